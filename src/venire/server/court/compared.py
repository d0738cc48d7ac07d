"""Pairs of outputs that jurors compare: which there are, on which side each juror sees an output, and who wins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from venire.domain.sample import Sample, make_pair, pair_name
from venire.judges.blinding import find_leaks, mask_leaks, mask_materials, names_of
from venire.server.court.vote_views import ModelResult
from venire.votes.pairs import rank_votes, win_chance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from venire.domain.material import Material, MaterialKind
    from venire.server.court.ledger_index import IndexedSample
    from venire.server.people.court_secret import CourtSecret
    from venire.votes.decay.terms import Decay
    from venire.votes.pairs import VotedPair


class IndexedPair(msgspec.Struct, frozen=True, gc=False):
    """Two outputs to one task, whatever their order."""

    output_id: str
    """What the two outputs are called together."""
    handle: str
    """The opaque name under which jurors know it."""
    places: tuple[int, int]
    """The places of the two samples in the index, by the names of their outputs: a vote of 1 is for the first."""


class PairIndex:
    """The pairs of a ledger, each once."""

    def __init__(self, secret: CourtSecret) -> None:
        self._secret = secret
        self.listed: list[IndexedPair] = []
        self._numbers: dict[str, int] = {}

    def add(self, samples: Sequence[IndexedSample], places: Sequence[int]) -> None:
        """Take in two samples at these places of the index; a pair that is known in another order is not new."""
        (first, one), (second, two) = sorted(zip((each.output_id for each in samples), places, strict=True))
        name = pair_name(first, second)
        if name in self._numbers or first == second:
            return
        pair = IndexedPair(name, self._secret.item_name(name), (one, two))
        self._numbers[name] = self._numbers[pair.handle] = len(self.listed)
        self.listed.append(pair)

    def find(self, name: str) -> IndexedPair | None:
        """Return a pair by its handle or the name of its outputs; None if there is none."""
        number = self._numbers.get(name)
        return None if number is None else self.listed[number]


class BlindedPair(msgspec.Struct, frozen=True):
    """Two outputs as one juror sees them, with the names of both models masked."""

    first: str
    """The output on the first side."""
    second: str
    """The other one."""
    task: str
    """What both answer."""
    materials: tuple[Material, ...]
    """What stands beside them."""


def blind_pair(first: Sample, second: Sample, kinds: frozenset[MaterialKind]) -> BlindedPair:
    """Return two outputs in this order with nothing that tells who wrote them."""
    names = tuple(name for each in (first, second) if each.target_model for name in names_of(each.target_model))
    texts = [mask_leaks(each, find_leaks(each, names)) for each in (first.text, second.text, first.task)]
    materials = mask_materials(make_pair(first, second).materials_of(kinds), kinds, names)[0]
    return BlindedPair(texts[0], texts[1], texts[2], materials)


def models_by_pairs(
    votes: pl.DataFrame, pairs: Mapping[str, VotedPair], decay: Decay
) -> tuple[tuple[ModelResult, ...], str]:
    """Return the models by people's votes on pairs, the best first, and why there are no strengths, if there are none.

    A model's score is its chance to win against one of mean strength; without strengths, its share of points.
    """
    ranked = rank_votes(votes, pairs, decay)
    if ranked is None:
        return (), ""
    models = []
    for each in ranked.ranking.models:
        name, chances = each.model, [win_chance(getattr(each.strength, end)) for end in ("value", "low", "high")]
        score = ranked.points(name) if chances[0] is None else chances[0]
        counts = {"votes": ranked.votes[name], "outputs": ranked.outputs[name], "voters": ranked.voters[name]}
        found: dict[str, Any] = {"model": name, "score": score, "low": chances[1], "high": chances[2], **counts}
        models.append(ModelResult(**found))
    return tuple(sorted(models, key=lambda model: (-model.score, model.model))), ranked.ranking.reason
