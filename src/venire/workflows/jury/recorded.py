"""Juries in a ledger: read with their replies, and derived again round by round."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from venire.domain.jury import JuryChoice, jury_id
from venire.domain.protocol import EvalProtocol
from venire.ledger.entry import Entry, Kind
from venire.ledger.store import Ledger
from venire.runner.records import read_judgement
from venire.words.said import say
from venire.workflows.jury.state import JuryState, is_same

_READ = [Kind.PROTOCOL, Kind.CHOICE, Kind.JUDGEMENT]


class RecordedJury(NamedTuple):
    """A jury with the entries of its rounds."""

    state: JuryState
    """What it has come to."""
    entries: tuple[int, ...]
    """The numbers of the entries that hold its rounds."""


def read_juries(ledger: Ledger, last: int | None = None, protocol: str = "") -> tuple[RecordedJury, ...]:
    """Read the juries of a ledger up to an entry, of one protocol if it is named, in the order of their rounds."""
    reading = _JuryReader(ledger)
    for entry in ledger.read(kinds=_READ):
        if last is None or entry.sequence <= last:
            reading.take(entry)
    found = (RecordedJury(state, tuple(reading.entries[state.id])) for state in reading.states.values())
    return tuple(each for each in found if not protocol or each.state.terms.protocol == protocol)


def find_jury(ledger: Ledger, wanted: str) -> JuryState | None:
    """Return a jury with its replies; None if the ledger holds none of its rounds."""
    return next((each.state for each in read_juries(ledger) if each.state.id == wanted), None)


class _JuryReader:
    """Takes in entries in their order."""

    def __init__(self, ledger: Ledger) -> None:
        self.states: dict[str, JuryState] = {}
        self.entries: dict[str, list[int]] = {}
        self._ledger = ledger
        self._protocols: dict[str, EvalProtocol] = {}

    def take(self, entry: Entry) -> None:
        """Take note of an entry."""
        if entry.kind is Kind.PROTOCOL:
            self._protocols[entry.key] = msgspec.convert(entry.content, EvalProtocol)
        elif entry.kind is Kind.CHOICE:
            self.choice(entry)
        elif entry.kind is Kind.JUDGEMENT and self.states:
            for state in self.states.values():
                self._score(state, entry)

    def choice(self, entry: Entry) -> JuryChoice:
        """Take note of a round."""
        choice = msgspec.convert(entry.content, JuryChoice)
        self.entries.setdefault(choice.jury, []).append(entry.sequence)
        if choice.jury in self.states:
            self.states[choice.jury].add(choice)
        elif choice.number == 0:
            state = self.states[choice.jury] = JuryState(choice)
            for before in self._ledger.read(kinds=[Kind.JUDGEMENT]):  # Replies of before count: nothing is paid twice.
                if before.sequence > entry.sequence:
                    break
                self._score(state, before)
        return choice

    def _score(self, state: JuryState, entry: Entry) -> None:
        record = read_judgement(entry)
        protocol = self._protocols.get(record.task.protocol_digest)
        if protocol is not None:
            state.scores.take(record, protocol, entry.sequence)


class JuryAudit:
    """Derives the rounds of juries again, entry by entry of a ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._reading = _JuryReader(ledger)

    def problem(self, entry: Entry) -> str:
        """Say what is wrong with the round that an entry holds; empty if nothing is, or it holds none."""
        try:
            if entry.kind is not Kind.CHOICE:
                self._reading.take(entry)
                return ""
            choice = msgspec.convert(entry.content, JuryChoice)
            known = self._reading.states.get(choice.jury)
            if known is not None and choice.number < len(known.rounds):
                is_right = choice == known.rounds[choice.number]
            else:
                is_right = self._follows(choice, known)
            self._reading.choice(entry)
        except (msgspec.MsgspecError, KeyError, TypeError, ValueError, IndexError) as error:
            return say("audit.not_readable", problem=str(error)) if entry.kind is Kind.CHOICE else ""
        return "" if is_right else say("audit.other_jury_choice", number=choice.number)

    def _follows(self, choice: JuryChoice, known: JuryState | None) -> bool:
        if known is None:
            terms = choice.terms
            is_first = terms is not None and choice.number == 0 and choice.rule == "start"
            return is_first and terms is not None and choice.jury == jury_id(terms, choice.outputs, choice.labels)
        return is_same(choice, known.next()) and known.drawn_again(choice) == choice.drawn
