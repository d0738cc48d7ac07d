"""The records of a jury: anybody can draw again what was drawn."""

import msgspec

from venire.domain.jury import JuryAsk, JuryTerms, draw_number, jury_id

TERMS = JuryTerms(protocol="p", asks=(JuryAsk("oak", "d", "0", 1.0),), start=1, scale=(0.0, 8.0), seed=1)


def test_other_terms_outputs_or_labels_make_another_jury():
    ids = [
        jury_id(TERMS, ("a", "b"), {}),
        jury_id(TERMS, ("b", "a"), {}),
        jury_id(TERMS, ("a", "b"), {"a": "PASS"}),
        jury_id(msgspec.structs.replace(TERMS, seed=2), ("a", "b"), {}),
    ]
    assert len(set(ids)) == 4
    assert jury_id(TERMS, ("a",), {"x": "1", "y": "2"}) == jury_id(TERMS, ("a",), {"y": "2", "x": "1"})


def test_a_draw_follows_from_what_is_drawn_and_from_nothing_else():
    first = draw_number("j", 0, "a", 1, 7)
    assert first == draw_number("j", 0, "a", 1, 7)
    others = [draw_number("k", 0, "a", 1, 7), draw_number("j", 1, "a", 1, 7), draw_number("j", 0, "b", 1, 7),
              draw_number("j", 0, "a", 2, 7), draw_number("j", 0, "a", 1, 8)]  # fmt: skip
    assert len({first, *others}) == 6


def test_draws_are_spread_evenly_from_0_to_1():
    drawn = [draw_number("j", 0, str(output), 0, 7) for output in range(2000)]
    assert 0 <= min(drawn) < 0.01
    assert 0.99 < max(drawn) < 1
    assert abs(sum(drawn) / 2000 - 0.5) < 0.02
