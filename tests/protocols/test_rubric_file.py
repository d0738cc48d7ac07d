"""Rubrics written for people, as Markdown or CSV, become rubrics in plain words; what is not clear is refused."""

from __future__ import annotations

import pytest

from venire.errors import ProtocolError
from venire.protocols.catalogue import bundled_text
from venire.protocols.load import build_protocol
from venire.protocols.rubric_file import read_rubric


def read(folder, text, name="rubric.md"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    rubric = read_rubric(path)
    build_protocol(rubric, "mine", bundled_text)
    return rubric.value


def refused(folder, text, name="rubric.md"):
    with pytest.raises(ProtocolError) as caught:
        read(folder, text, name)
    problems = [caught.value, *caught.value.further]
    assert all(problem.hint for problem in problems)
    return [(problem.where.rpartition(":")[2], str(problem.message)) for problem in problems]


def test_a_table_of_scores_is_read_with_title_and_text(tmp_path):
    value = read(
        tmp_path,
        "# Support answers\n\nYou judge an answer.\nBe strict.\n\n"
        "| Criterion | What we look for | Poor (1) | 3 | 5 - Great |\n|---|:--|---|---|---|\n"
        "| **Helpful** | Does it answer \\| help? | No | Partly | Fully<br>and kindly |\n"
        "| Tone | Is it ours? | Rude | | Warm |\n\n- evidence: no\n",
    )
    assert value == {
        "ask": "You judge an answer.\nBe strict.",
        "score": {
            "Helpful": {
                "ask": "Does it answer | help?", "levels": {"1": "No", "3": "Partly", "5": "Fully\nand kindly"},
            },
            "Tone": {"ask": "Is it ours?", "levels": {"1": "Rude", "5": "Warm"}},
        },
        "scale": {"1": "Poor", "3": "", "5": "Great"},
        "evidence": False,
        "title": "Support answers",
    }  # fmt: skip


def test_a_table_of_questions_alone_has_the_usual_scale(tmp_path):
    value = read(tmp_path, "| dimension | question |\n|---|---|\n| helpful | Does it help? |\n")
    assert value == {"score": {"helpful": "Does it help?"}}


@pytest.mark.parametrize("heads", ["Poor | Fair | Excellent", "Excellent | Fair | Poor"])
def test_levels_with_names_are_put_in_order_by_their_words(tmp_path, heads):
    value = read(tmp_path, f"| dimension | {heads} |\n|---|---|---|---|\n| clear | a | b | c |\n")
    assert value["scale"] == ["Poor", "Fair", "Excellent"]
    assert value["score"]["clear"]["levels"] == dict(zip(heads.split(" | "), "abc", strict=True))


@pytest.mark.parametrize("colon", [": ", "："])
def test_a_question_behind_the_name_in_one_cell_is_taken_apart(tmp_path, colon):
    value = read(tmp_path, f"| dimension | 1 | 2 |\n|---|---|---|\n| Helpful{colon}does it answer? | no | yes |\n")
    assert value["score"] == {"Helpful": {"ask": "does it answer?", "levels": {"1": "no", "2": "yes"}}}


def test_a_row_for_every_dimension_words_the_scale(tmp_path):
    value = read(
        tmp_path,
        "| dimension | question | 0 | 1 |\n|---|---|---|---|\n| a | Is it a? | | |\n| * | | It is not. | It is. |\n",
    )
    assert value == {"score": {"a": "Is it a?"}, "scale": {"0": "It is not.", "1": "It is."}}


def test_a_list_of_questions_is_read(tmp_path):
    value = read(
        tmp_path,
        "Judge it.\n\n- **helpful**: Does it help?\n* polite - Is it?\n- `tone`：合适吗？\n\n- scale: pass/fail\n",
    )
    assert value["score"] == {"helpful": "Does it help?", "polite": "Is it?", "tone": "合适吗？"}
    assert (value["ask"], value["scale"]) == ("Judge it.", "pass/fail")


def test_sections_with_levels_are_read(tmp_path):
    value = read(
        tmp_path,
        "# Rubric\n\n## Accuracy\n\nAre facts right?\n\n- 1: None is.\n- Score 4: All are.\n\n## Style\nIs it ours?\n",
    )
    assert value["score"] == {
        "Accuracy": {"ask": "Are facts right?", "levels": {"1": "None is.", "4": "All are."}},
        "Style": "Is it ours?",
    }
    assert value["scale"] == "1-4"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("r.csv", '\ufeffdimension,question,1,5\nhelpful,"Does it, really, help?",No,"Yes\nfully"\n\n'),
        ("r.csv", 'dimension;question;1;5\nhelpful;"Does it, really, help?";No;"Yes\nfully"\n'),
        ("r.tsv", 'dimension\tquestion\t1\t5\nhelpful\tDoes it, really, help?\tNo\t"Yes\nfully"\n'),
    ],
)
def test_a_table_of_a_spreadsheet_is_read(tmp_path, name, text):
    value = read(tmp_path, text, name)
    assert value == {
        "score": {"helpful": {"ask": "Does it, really, help?", "levels": {"1": "No", "5": "Yes\nfully"}}},
        "scale": "1-5",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [("1", "no dimension was found")]),
        ("Judge it well.\n", [("1", "no dimension was found")]),
        ("| d | question | weight |\n|---|---|---|\n| a | A? | 3 |\n", [("1", "column 'weight'")]),
        (
            "| d | question | 0-4 | 5-10 |\n|---|---|---|---|\n",
            [("1", "column '0-4' names"), ("1", "column '5-10' names")],
        ),
        ("| d | one | two |\n|---|---|---|\n| a | A | B |\n", [("1", "it is not clear whether 'one' or 'two'")]),
        ("| d | x | y | 1 | 2 |\n|---|---|---|---|---|\n", [("1", "it is not clear what these columns are: x, y")]),
        (
            "| d | question |\n|---|---|\n| a | A? |\n| a | B? |\n| | C? |\n| e | F? | G |\n",
            [
                ("4", "duplicate dimension 'a'; it is in line 3 too"),
                ("5", "the row has no dimension"),
                ("6", "the row has 3 cells, but the head has 2"),
            ],
        ),
        ("| d | q |\n|---|---|\n| a | A? |\n\n| d | q |\n|---|---|\n", [("5", "a second table")]),
        ("- a: A?\n- scale: {1\n", [("2", "`scale` cannot be understood")]),
        ("- a: A?\n- scale: some\n", [("2", "'some' is not a scale")]),
        ("| d | 1 | 5 |\n|---|---|---|\n| a | | |\n", [("3", "dimension 'a' has no question")]),
    ],
)
def test_what_is_not_clear_is_refused_at_its_line(tmp_path, text, expected):
    found = refused(tmp_path, text)
    assert [
        (line, message[: len(start)]) for (line, message), (_, start) in zip(found, expected, strict=True)
    ] == expected


def test_a_file_that_is_no_rubric_is_refused(tmp_path):
    assert "not from '.docx'" in refused(tmp_path, "x", "r.docx")[0][1]
    (tmp_path / "r.csv").write_bytes("维度,问题\n".encode("gb18030"))
    with pytest.raises(ProtocolError, match="not UTF-8"):
        read_rubric(tmp_path / "r.csv")
    with pytest.raises(ProtocolError, match="cannot be read"):
        read_rubric(tmp_path / "none.csv")
    assert "the table cannot be read" in refused(tmp_path, 'a,b\n"x"y,z\n', "r.csv")[0][1]
