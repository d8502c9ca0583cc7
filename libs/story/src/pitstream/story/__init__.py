"""A round told from its events alone, for whoever reads it: the terminal, the printed page, the ops room.

``History`` is what was read, ``tell`` makes a ``Telling`` of it: plain values, with every sentence already said.
``page`` draws it as one self-contained page; ``card_svg`` and ``theme`` are what such pages are made of.
"""
