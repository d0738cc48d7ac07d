"""A table of labels: what a row must have, and what is said of one that has it not."""

import pytest

from venire.domain.label import Label, LabelMaker
from venire.errors import InputError
from venire.workflows.evidence.label_file import located_labels, read_labels


def read(tmp_path, text, **options):
    path = tmp_path / "labels.csv"
    path.write_text(text)
    return located_labels(path, **options) if options else read_labels(path)


def test_labels_are_read_with_all_that_is_said_of_them(tmp_path):
    head = "output_id,score,verdict,dimension,rater,made_by,probability\n"
    first, second = read(tmp_path, f"{head}a,7.5,PASS,STYLE,p1,person,0.5\nb,,FAIL,,,Model ,1\n")
    assert first == Label(
        output_id="a", score=7.5, verdict="PASS", dimension="STYLE", rater="p1", made_by=LabelMaker.PERSON,
        probability=0.5,
    )  # fmt: skip
    assert second == Label(output_id="b", verdict="FAIL", made_by=LabelMaker.MODEL, probability=1.0)


def test_without_a_word_on_it_a_person_made_a_label(tmp_path):
    assert read(tmp_path, "output_id,score\na,0\n") == (Label(output_id="a", score=0.0),)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("output_id,score\n,5\n", "error.table.not_label"),
        ("output_id,score,verdict\na,,\n", "error.table.not_label"),
        ("output_id,note\na,x\n", "error.table.not_label"),
        ("output_id,score\na,high\n", "error.table.not_score"),
        ("output_id,score,made_by\na,5,robot\n", "error.table.not_maker"),
        ("output_id,score,probability\na,5,0\n", "error.table.not_probability"),
        ("output_id,score,probability\na,5,1.01\n", "error.table.not_probability"),
        ("output_id,score,probability\na,5,0.5\nb,5,\n", "error.table.some_probabilities"),
    ],
)
def test_a_row_that_is_no_label_is_refused_at_its_place(tmp_path, text, code):
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert caught.value.message.code == code
    assert "labels.csv" in caught.value.where


def test_how_many_labels_state_a_probability_is_told(tmp_path):
    with pytest.raises(InputError) as caught:
        read(tmp_path, "output_id,score,probability\na,5,0.5\nb,5,\nc,5,\n")
    assert caught.value.values == {"stated": 1, "labels": 3}


def test_rows_that_nobody_has_labelled_yet_may_be_left_out(tmp_path):
    text = "output_id,score\na,5\nb,\n"
    [(label, where)] = read(tmp_path, text, may_be_empty=True)
    assert label.output_id == "a"
    assert where.endswith(":2")
    for bad in ("output_id,score\n,\n", "output_id,note\na,x\n"):
        with pytest.raises(InputError):
            read(tmp_path, bad, may_be_empty=True)


@pytest.mark.parametrize(
    "head", ["id,score,rater", "Output-ID,Score,annotator", "编号,分数,评分人", "样本编号,得分,标注人"]
)
def test_columns_may_have_the_names_that_people_give_them(tmp_path, head):
    assert read(tmp_path, f"{head}\na,7,p1\n") == (Label(output_id="a", score=7.0, rater="p1"),)


def test_what_cannot_be_a_label_is_told_with_its_columns(tmp_path):
    with pytest.raises(InputError, match="'编号', '备注'"):
        read(tmp_path, "编号,备注\na,x\n")
