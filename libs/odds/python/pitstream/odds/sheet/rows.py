"""The PAR sheet as rows of a table: one for each outcome of each wager."""

import csv
from fractions import Fraction
from io import StringIO

from pitstream.odds.sheet.content import Sheet, part_of_mean
from pitstream.odds.sheet.numbers import decimal

COLUMNS = (
    "game",
    "wager",
    "paytable",
    "outcome",
    "net",
    "meter_shares",
    "deals",
    "of_deals",
    "probability",
    "return",
    "return_decimal",
)


def rows(sheet: Sheet) -> str:
    """CSV with a head; ``net`` and ``return`` are exact fractions, of main wagers in Antes."""
    out = StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    write(COLUMNS)
    result = sheet.result
    for wager in result.wagers.values():
        for row in wager.rows:
            part = part_of_mean(wager, row.net, row.deals)
            shares = " ".join(f"{meter}={share}" for meter, share in row.net.shares.items())
            write(
                (
                    result.inputs.game.name,
                    wager.name,
                    result.inputs.paytables[wager.name].id,
                    row.outcome,
                    str(row.net.fixed),
                    shares,
                    row.deals,
                    wager.deals,
                    decimal(Fraction(row.deals, wager.deals), 15),
                    str(part.fixed),
                    decimal(part.fixed, 12),
                )
            )
    return out.getvalue()
