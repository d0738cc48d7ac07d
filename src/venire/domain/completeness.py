"""How much of what was planned was answered; a reply that is invalid is an answer, a task without a reply is not."""

from __future__ import annotations

import msgspec

from venire.words.said import clauses, say


class JudgeCompleteness(msgspec.Struct, frozen=True):
    """The tasks that runs planned for one judge, and how many of them have a reply."""

    judge: str
    """The judge's name."""
    planned: int
    """How many different tasks were planned, retests included."""
    answered: int
    """How many of these have a reply, valid or not."""

    @property
    def missing(self) -> int:
        """How many have none."""
        return self.planned - self.answered


class Completeness(msgspec.Struct, frozen=True):
    """The completeness of a whole panel."""

    judges: tuple[JudgeCompleteness, ...] = ()
    """The judges whose plans are known."""
    unknown: str = ""
    """Why it is not known, or not for everything; empty if it is."""

    @property
    def planned(self) -> int:
        """How many tasks were planned, as far as is known."""
        return sum(judge.planned for judge in self.judges)

    @property
    def answered(self) -> int:
        """How many of these have a reply."""
        return sum(judge.answered for judge in self.judges)

    @property
    def missing(self) -> int:
        """How many of these have none."""
        return self.planned - self.answered

    def said(self) -> str:
        """Say what is known in one line.

        >>> Completeness((JudgeCompleteness("oak", 1000, 58),)).said()
        '58 of 1000 planned tasks were answered; missing: oak 942'
        """
        missing = tuple(f"{each.judge} {each.missing}" for each in self.judges if each.missing)
        answered = say("completeness.answered", answered=self.answered, planned=self.planned) if self.judges else ""
        absent = say("completeness.missing", missing=missing) if missing else ""
        unknown = say("completeness.unknown", reason=self.unknown) if self.unknown else ""
        return clauses(answered, absent, unknown)
