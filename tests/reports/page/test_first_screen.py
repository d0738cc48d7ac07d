"""The first screen of the page: chart, breaks, disputes, cost, and sections by question."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec.structs import replace

from venire.reports import sections
from venire.reports.outputs.in_report import ReportOutputs
from venire.reports.page.first_screen import (
    BREAKS,
    GROUPS,
    breaks,
    grouped,
    no_breaks,
    of_ten,
    ranked_chart,
    strip,
    totals,
)
from venire.reports.page.html_page import html_page
from venire.reports.report import Choices, ReportCell
from venire.reports.words import ReportWords
from venire.stats.drift.slices import SMALLEST_SLICE
from venire.workflows.analyse import analyse

WORDS = ReportWords("en")


def test_every_section_stands_in_one_group(report):
    placed = [each for _, members in grouped(report) for each in members]
    assert sorted(placed) == sorted(section.id for section in report.sections)
    every = [each for members in GROUPS.values() for each in members]
    assert len(every) == len(set(every))


def test_the_headline_is_the_title_of_the_page(report):
    page = html_page(report, "en")
    headline = ReportWords("en", report.names).sentence(report.section("overview").notes[0])
    assert re.findall("<h1>(.*?)</h1>", page) == [headline]


def test_the_chart_shows_every_model_and_who_is_told_apart(compared):
    drawn = ranked_chart(compared, WORDS)
    assert drawn.count('class="dot"') == 2
    p_value = compared.table("comparisons").column("p_adjusted")[0].value
    assert re.findall('class="told ([a-z]+)"', drawn) == ["differs" if p_value < 0.05 else "open"]


def test_before_the_names_stand_the_ranks_that_models_may_have(compared):
    board = compared.table("leaderboard")
    ranks = [cell.text for cell in board.column("ranks")]
    assert all(ranks)
    assert re.findall('class="rank">([^<]*)<', ranked_chart(compared, WORDS)) == ranks
    assert "its possible ranks" in html_page(compared, "en")
    apart = compared.table("comparisons").column("p_adjusted")[0].value < 0.05
    assert ranks == (["1", "2"] if apart else ["1–2", "1–2"])
    alone = replace(board, rows=board.rows[:1])
    single = replace(compared, sections=(replace(compared.section("leaderboard"), tables=(alone,)),))
    assert 'class="rank"' not in ranked_chart(single, WORDS)


def test_the_worst_slices_are_where_it_breaks(report):
    found = breaks(report, WORDS)
    assert [each.cell for each in found] == [row.cells[0] for row in report.table("worst_slices").rows[:BREAKS]]


def test_without_slices_the_weakest_dimensions_are(report):
    kept = tuple(section for section in report.sections if section.id != "drift")
    found = breaks(replace(report, sections=kept), WORDS)
    shares = [(each.cell.value - each.cell.scale[0]) / (each.cell.scale[1] - each.cell.scale[0]) for each in found]
    every = [cell for row in report.table("dimension_means").rows for cell in row.cells]
    assert shares == sorted(shares)
    assert shares[0] == min((cell.value - cell.scale[0]) / (cell.scale[1] - cell.scale[0]) for cell in every)


def test_costs_are_summed_only_if_they_are_known_of_every_judge(report):
    cost = report.table("cost")
    assert totals(report)["requests"] == sum(cell.value for cell in cost.column("requests"))
    assert totals(report)["cost"] == sum(cell.value for cell in cost.column("cost"))
    unknown = replace(cost.rows[0], cells=tuple(replace(cell, value=None) for cell in cost.rows[0].cells))
    section = replace(report.section("cost"), tables=(replace(cost, rows=(*cost.rows[1:], unknown)),))
    assert totals(replace(report, sections=(section,))) == {"requests": None, "cost": None}


def test_a_strip_names_what_each_judge_gave():
    cells = tuple(ReportCell(id=f"c{value}", unit="score", value=value) for value in (0.0, None, 10.0))
    drawn = strip(cells, WORDS, ["a", "b", "c"])
    assert re.findall(r'cx="([\d.]+)%"', drawn) == ["4.00", "96.00"]
    assert 'aria-label="a 0.00, c 10.00"' in drawn


def test_with_labels_the_headline_is_what_people_make_of_the_lead(report):
    keys = [note.key for note in report.section("overview").notes]
    corrected = report.table("corrected_comparisons").rows[0].cells[0]
    said = ReportWords("en", report.names).sentence(report.section("overview").notes[0])
    assert keys[0].startswith("overview.corrected.")
    low, high = report.table("leaderboard").column("mean")[0].scale
    assert f"{corrected.value * 10 / (high - low):+.1f} points" in said
    assert "The judges alone: " in html_page(report, "en")


def test_every_section_that_there_can_be_has_its_group():
    source = "".join(path.read_text("utf-8") for path in Path(sections.__file__).parent.rglob("*.py"))
    made = set(re.findall(r'ReportSection\(\s*"([a-z_]+)"', source))
    assert made == {each for members in GROUPS.values() for each in members}


def test_what_holds_for_many_cells_is_said_once_below_the_table(report):
    notes = report.table("severity").notes()
    assert notes
    page = html_page(report, "en")
    table = page[page.index(">Severity and consistency") :]
    table = table[: table.index("</div>")]
    for number, note in enumerate(notes, 1):
        said = ReportWords("en", report.names).of(note)
        assert table.count(said) == 1
        assert table.count(f"<sup>{number}</sup>") > 1


def test_commands_in_sentences_are_shown_as_code(compared):
    assert "(<code>--labels FILE</code>)" in html_page(compared, "en")


def test_chinese_sentences_follow_one_another_without_a_blank(report):
    first = html_page(report, "zh")
    first = first[first.index("<h1>") : first.index("</section>")]
    assert not re.search("[。；] +[一-鿿]", re.sub("<[^>]*>", "", first))


def test_where_it_breaks_is_said_on_the_scale_of_the_headline(report):
    found = breaks(report, WORDS)[0]
    low, high = found.cell.scale
    assert high == 8
    assert of_ten(found, WORDS) == f"{10 * (found.cell.value - low) / (high - low):.1f} of 10"
    assert of_ten(found, ReportWords("zh")).endswith(" / 10")


def test_outputs_have_no_place_where_there_are_none(report):
    assert "outputs" not in dict(grouped(report, ReportOutputs()))
    assert "outputs" in dict(grouped(report, ReportOutputs(is_whole=False)))
    assert 'id="group-outputs"' not in html_page(report, "en", ReportOutputs())


def test_groups_that_are_too_small_to_rank_are_said_to_be_so(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"i{n},q{n},m,j,topic {n % 4},{n % 9}\n" for n in range(12))
    path.write_text("item,question,model,judge,topic,score\n" + rows)
    columns = {"unit": "item", "question_id": "question", "target_model": "model", "rater": "judge"}
    report = analyse(path, Choices(scale=(0, 10), columns=columns))
    assert no_breaks(report, WORDS).startswith(f"4 slices have fewer than {SMALLEST_SLICE} judgements")
    assert no_breaks(report, WORDS) in html_page(report, "en")
    kept = tuple(section for section in report.sections if section.id != "drift")
    assert no_breaks(replace(report, sections=kept), WORDS) == WORDS("page.no_breaks")
