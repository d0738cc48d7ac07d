"""Models that were scored by different judges: the report says so, and does not compare their bars."""

from venire.reports.report import Choices
from venire.workflows.analyse import analyse

HEAD = "output_id,question_id,target_model,judge,score"


def notes_of(tmp_path, rows):
    table = tmp_path / "scores.csv"
    table.write_text("\n".join([HEAD, *rows]) + "\n", encoding="utf-8")
    return [note.key for note in analyse(table, Choices()).section("overview").notes]


def rows_of(judges):
    lenient = {"ash": 4, "yew": 2, "box": 2}
    return [
        f"{model}-{question},{question},{model},{judge},{lenient[judge] + question % 2}"
        for model, panel in judges.items()
        for question in range(8)
        for judge in panel
    ]


def test_models_with_other_judges_are_told_of(tmp_path):
    assert "overview.panels_differ" in notes_of(tmp_path, rows_of({"oak": ("ash", "yew"), "elm": ("yew", "box")}))


def test_models_that_share_no_judge_are_not_said_to_have_differences(tmp_path):
    notes = notes_of(tmp_path, rows_of({"oak": ("ash",), "elm": ("yew",)}))
    assert "overview.panels_apart" in notes
    assert "overview.panels_differ" not in notes


def test_means_answer_where_no_scale_is_known(tmp_path):
    assert notes_of(tmp_path, rows_of({"oak": ("ash", "yew")}))[0] == "overview.alone_unscaled"


def test_models_with_the_same_judges_are_not(tmp_path):
    assert "overview.panels_differ" not in notes_of(tmp_path, rows_of({"oak": ("ash", "yew"), "elm": ("ash", "yew")}))


def test_a_scale_with_too_few_questions_is_not_given_a_difference_beyond_it(tmp_path):
    rows = [
        f"{model}-{q},{q},{model},ash,{score}"
        for model, q, score in [("oak", 1, 5), ("oak", 2, 1), ("elm", 1, 1), ("elm", 2, 4)]
    ]
    table = tmp_path / "scores.csv"
    table.write_text("\n".join([HEAD, *rows]) + "\n", encoding="utf-8")
    notes = analyse(table, Choices(scale=(1, 5))).section("overview").notes
    assert [note.key for note in notes if "detectable" in note.key] == ["overview.nothing_detectable"]
