"""Labels and draws in a ledger: the one place where they are written and read.

Labels are entries of the kind `label`, each under the key of its output, dimension, rater and protocol: the last one
holds. Draws are entries of the kind `label_draw`. What jurors judged by a protocol counts as labels where the outputs
were drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from venire.domain.canonical import digest
from venire.domain.label import Label, LabelDraw, LabelMaker, chance_of_label
from venire.ledger.entry import Draft, Entry, Kind


class LabelContent(msgspec.Struct, frozen=True):
    """The content of an entry of the kind `label`."""

    label: Label
    """The label."""
    protocol: str
    """The digest of the protocol on whose scale it is."""


_label_content = msgspec.json.Decoder(LabelContent)
_draw_content = msgspec.json.Decoder(LabelDraw)

KINDS = (Kind.LABEL, Kind.LABEL_DRAW, Kind.VOTE)
"""The kinds of entries that labels are read from."""


def label_draft(label: Label, protocol: str) -> Draft:
    """Record a label; an earlier one of the same rater on the same output and dimension stays, and holds no more."""
    key = digest("label", [label.unit, label.dimension, label.rater, label.made_by.value, protocol])
    return Draft(Kind.LABEL, LabelContent(label, protocol), key)


def draw_draft(draw: LabelDraw) -> Draft:
    """Record which outputs were drawn, and how likely each was to be."""
    return Draft(Kind.LABEL_DRAW, draw, draw.protocol)


def read_draw(payload: bytes) -> LabelDraw:
    """Read the content of an entry of the kind `label_draw`."""
    return _draw_content.decode(payload)


class LedgerLabels:
    """What a ledger holds of labels on one protocol's scale; entries are taken in order."""

    def __init__(self, protocol: str) -> None:
        self._protocol = protocol
        self._labels: dict[str, tuple[int, Label]] = {}
        self._votes: dict[str, tuple[int, tuple[Label, ...]]] = {}
        self._draws: list[tuple[int, LabelDraw]] = []

    def take(self, entry: Entry) -> None:
        """Take note of an entry of one of the `KINDS`; others have nothing to do with labels."""
        if entry.kind is Kind.LABEL:
            content = _label_content.decode(entry.payload)
            if content.protocol == self._protocol:
                self._labels[entry.key] = (entry.sequence, content.label)
        elif entry.kind is Kind.LABEL_DRAW:
            draw = read_draw(entry.payload)
            if draw.protocol == self._protocol:
                self._draws.append((entry.sequence, draw))
        elif entry.kind is Kind.VOTE and self._draws:
            self._votes[entry.key] = (entry.sequence, _labels_of_vote(entry.content, self._protocol))

    @property
    def draws(self) -> tuple[LabelDraw, ...]:
        """The draws, in order."""
        return tuple(draw for _, draw in self._draws)

    @property
    def labelled(self) -> frozenset[str]:
        """The digests of outputs that people labelled, jurors too where outputs were drawn."""
        return frozenset(label.unit for _, label in self._all() if label.made_by is LabelMaker.PERSON)

    @property
    def labelled_before(self) -> frozenset[str]:
        """The digests of outputs that people labelled before the first draw, or at all if there is none."""
        first = self._draws[0][0] if self._draws else None
        return frozenset(
            label.unit
            for sequence, label in self._all()
            if label.made_by is LabelMaker.PERSON and (first is None or sequence < first)
        )

    def read(self) -> tuple[tuple[Label, ...], int]:
        """Return the labels with the probabilities of their outputs, and how many of people's are left out.

        Without draws, labels have the probabilities that came with them. With draws, each has the chance of its output
        to be drawn by any of them; labels from before the first draw are taken as drawn at random. Where some
        outputs have a probability, labels of others are left out. Labels of models are there as they were made.
        """
        every = self._all()
        by_models = tuple(label for _, label in every if label.made_by is LabelMaker.MODEL)
        found = [(sequence, label) for sequence, label in every if label.made_by is LabelMaker.PERSON]
        draws = self.draws
        if not draws:
            labels = [label for _, label in found]
            kept = [label for label in labels if label.probability is not None] or labels
            return (*kept, *by_models), len(labels) - len(kept)
        first = self._draws[0][0]
        labelled = self.labelled
        answered = tuple(sum(unit in labelled for unit in draw.drawn) / max(len(draw.drawn), 1) for draw in draws)
        drawn = {unit for draw in draws for unit in draw.drawn}
        kept = [label for sequence, label in found if label.unit in drawn or sequence < first]
        chances = {label.unit: chance_of_label(label.unit, draws, answered) for label in kept}
        weighed = tuple(replace(label, probability=chances[label.unit]) for label in kept if chances[label.unit] > 0)
        return (*weighed, *by_models), len(found) - len(weighed)

    def _all(self) -> list[tuple[int, Label]]:
        drawn = {unit for _, draw in self._draws for unit in draw.drawn}
        votes = [(sequence, label) for sequence, cast in self._votes.values() for label in cast if label.unit in drawn]
        return [*self._labels.values(), *votes]


def _labels_of_vote(content: Mapping[str, Any], protocol: str) -> tuple[Label, ...]:
    """Return what a juror's judgement by the protocol says; nothing for other votes, and for one taken back."""
    vote: Mapping[str, Any] = content.get("vote") or {}
    judgement: Mapping[str, Any] = content.get("judgement") or {}
    is_person = vote.get("voter_kind", "person") == "person"
    if not is_person or vote.get("vote") is None or not judgement or content.get("protocol") != protocol:
        return ()
    named = {"output_id": judgement["sample"], "unit": judgement["sample_digest"], "rater": vote["voter_id"]}
    overall = Label(**named, score=judgement.get("overall"), verdict=judgement.get("verdict") or "")
    scores = judgement.get("scores") or {}
    return (overall, *(Label(**named, dimension=name, score=score) for name, score in scores.items()))
