"""Labels in a ledger: the last of a rater holds, and draws say how likely each output was."""

import pytest

from venire.domain.label import DrawKind, Label, LabelDraw, LabelMaker
from venire.ledger.entry import Kind
from venire.ledger.labels import LedgerLabels, draw_draft, label_draft, read_draw
from venire.ledger.memory import MemoryLedger


def taken(*drafts):
    ledger = MemoryLedger()
    ledger.append(list(drafts))
    labels = LedgerLabels("p")
    for entry in ledger.read():
        labels.take(entry)
    return labels


def label(unit, score, **more):
    return label_draft(Label(output_id=unit, unit=unit, score=score, rater="r", **more), "p")


def test_the_last_label_of_a_rater_on_an_output_holds():
    found, left_out = taken(label("a", 1.0), label("b", 2.0), label("a", 3.0)).read()
    assert {each.unit: each.score for each in found} == {"a": 3.0, "b": 2.0}
    assert left_out == 0


def test_another_dimension_rater_or_maker_is_another_label():
    keys = {
        label("a", 1.0).key,
        label("a", 1.0, dimension="d").key,
        label("a", 1.0, made_by=LabelMaker.MODEL).key,
        label("b", 1.0).key,
        label_draft(Label(output_id="a", unit="a", score=1.0, rater="s"), "p").key,
        label_draft(Label(output_id="a", unit="a", score=1.0, rater="r"), "q").key,
    }
    assert len(keys) == 6


def test_labels_on_another_protocols_scale_are_not_read():
    other = label_draft(Label(output_id="a", unit="a", score=1.0), "q")
    assert taken(other).read() == ((), 0)
    assert taken(other).labelled == frozenset()


def test_labels_of_models_are_there_and_label_nothing():
    labels = taken(label("a", 1.0, made_by=LabelMaker.MODEL), label("b", 2.0))
    assert labels.labelled == {"b"}
    found, _ = labels.read()
    assert [each.made_by for each in found] == [LabelMaker.PERSON, LabelMaker.MODEL]


def test_without_draws_labels_without_a_probability_are_left_out_where_others_have_one():
    found, left_out = taken(label("a", 1.0, probability=0.5), label("b", 2.0)).read()
    assert [each.unit for each in found] == ["a"]
    assert left_out == 1


def test_a_draw_is_read_as_it_was_written():
    draw = LabelDraw(protocol="p", kind=DrawKind.RANDOM, seed=1, chances={"a": 0.5, "b": 0.5}, drawn=("a",))
    ledger = MemoryLedger()
    ledger.append([draw_draft(draw)])
    [entry] = ledger.read(kinds=[Kind.LABEL_DRAW])
    assert read_draw(entry.payload) == draw
    assert entry.key == "p"
    assert taken(draw_draft(draw)).draws == (draw,)


def test_labels_of_outputs_that_were_not_drawn_are_left_out_after_a_draw():
    draw = LabelDraw(protocol="p", kind=DrawKind.RANDOM, seed=1, chances={"a": 0.5, "b": 0.5}, drawn=("a",))
    labels = taken(label("old", 1.0), draw_draft(draw), label("a", 2.0), label("b", 3.0))
    found, left_out = labels.read()
    assert labels.labelled == {"old", "a", "b"}
    assert labels.labelled_before == {"old"}
    assert "b" not in {each.unit for each in found}
    assert left_out >= 1
    chances = {each.unit: each.probability for each in found}
    assert chances["a"] == pytest.approx(0.5)
