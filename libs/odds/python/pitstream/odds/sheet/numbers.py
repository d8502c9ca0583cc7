"""How exact figures are written."""

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

_CONTEXT = Context(prec=60, rounding=ROUND_HALF_EVEN)


def decimal(value: Fraction | Decimal, places: int) -> str:
    """Rounded to so many places.

    >>> decimal(Fraction(-1, 3), 4), decimal(Fraction(1, 2), 0)
    ('-0.3333', '0')
    """
    exact = (
        value if isinstance(value, Decimal) else _CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator))
    )
    rounded = exact.quantize(Decimal(1).scaleb(-places), context=_CONTEXT)
    return f"{rounded or abs(rounded):,f}"


def percent(value: Fraction | Decimal, places: int = 4) -> str:
    """
    >>> percent(Fraction(50643648973, 2317817502000))
    '2.1850%'
    """
    return f"{decimal(value * 100, places)}%"


def one_in(chance: Fraction) -> str:
    """
    >>> one_in(Fraction(19, 6497400)), one_in(Fraction(0))
    ('341,968.4', 'never')
    """
    return decimal(1 / chance, 1) if chance else "never"


def ratio(value: Fraction) -> str:
    """A fraction as it is written in a sheet: ``-2760479/50896300``."""
    return str(value)
