"""The outputs that a report holds beside its numbers, as long as they are few enough for one file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from venire.reports.outputs.asked import Only
from venire.reports.outputs.one_output import OneOutput
from venire.reports.outputs.rows import Facets, Level, OutputRow

MOST_OUTPUTS = 3_000
"""How many outputs a report holds at most."""
MOST_CHARACTERS = 16_000_000
"""How many characters of outputs and replies it holds at most; a browser opens a page of that size without trouble."""
MOST_LEVELS = 200
"""How many values of a factor one can choose from."""


class KeptOutput(msgspec.Struct, frozen=True):
    """One output of a report."""

    row: OutputRow
    """The output in a list; its scores count what the report counts."""
    one: OneOutput
    """Everything that is known of it."""
    factors: Mapping[str, str]
    """The values of everything that the report slices by."""

    @property
    def kinds(self) -> tuple[Only, ...]:
        """Which kinds of outputs it is among."""
        row, one = self.row, self.one
        holds = {
            Only.DISPUTED: row.verdicts > 1,
            Only.INVALID: row.invalid > 0,
            Only.UNJUDGED: row.judgements == 0,
            Only.VOTED: any(each.vote is not None for each in one.votes),
            Only.MARKED: bool(one.marks),
        }
        return tuple(kind for kind, is_so in holds.items() if is_so)


class ReportOutputs(msgspec.Struct, frozen=True, kw_only=True):
    """The outputs of a report, or how to see them where they are too many."""

    kept: tuple[KeptOutput, ...] = ()
    """The outputs, those with the lowest score first; none if they are too many."""
    is_whole: bool = True
    """Whether all outputs are here; otherwise none is."""
    command: str = ""
    """The command that shows them all."""

    @property
    def are_there(self) -> bool:
        """Whether there is any output to look at, here or by the command; votes may come without the texts."""
        return bool(self.kept) or not self.is_whole

    def facets(self) -> Facets:
        """Return what one can filter by."""
        rows = [each.row for each in self.kept]
        fields = {name: _levels(getattr(row, name) for row in rows) for name in ("model", "variant", "protocol")}
        names = dict.fromkeys(name for each in self.kept for name in each.factors)
        factors = {name: _levels(each.factors.get(name, "") for each in self.kept) for name in names}
        judged = [each.one.judgements for each in self.kept]
        return Facets(
            outputs=len(rows),
            is_ordered=any(value is not None for row in rows for value in (row.score, row.good, row.voted)),
            kinds={kind: sum(kind in each.kinds for each in self.kept) for kind in Only},
            fields={name: levels for name, levels in fields.items() if len(levels) > 1},
            factors={name: levels for name, levels in factors.items() if 1 < len(levels) <= MOST_LEVELS},
            judges=_levels(name for found in judged for name in {each.judge for each in found}),
            verdicts=_levels(name for found in judged for name in {each.verdict for each in found}),
        )


def _levels(values: Iterable[str]) -> tuple[Level, ...]:
    return tuple(Level(value, count) for value, count in sorted(Counter(values).items()) if value)
