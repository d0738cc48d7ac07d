"""The outputs of a report in a real browser, from a file, without any server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from accessibility import violations
from browsing import DESKTOP, PHONE, launched_browser, opened_page
from courthouse import write_judged_ledger
from numbered_ledger import names_behind, read_votes, write_numbered_ledger
from shaped_ledgers import write_judged_pairs
from venire.reports.outputs.asked import outputs_behind
from venire.reports.outputs.in_report import ReportOutputs
from venire.reports.page.html_page import html_page
from venire.reports.report import Choices, Report
from venire.reports.sections.votes import VoteEvidence
from venire.workflows.outputs.in_report import analyse_with_outputs

FIND = """async (addresses) => {
  const found = {};
  for (const [cell, query] of Object.entries(addresses)) {
    const wanted = `#outputs?${query}&cell=${encodeURIComponent(cell)}`;
    const followed = new Promise((done) => addEventListener("hashchange", done, { once: true }));
    if (location.hash !== wanted) { location.hash = wanted; await followed; }
    const links = document.querySelectorAll("#list li:not([hidden]) a");
    found[cell] = Array.from(links, (each) => Number(each.dataset.place));
  }
  return found;
}"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Report, ReportOutputs]:
    return analyse_with_outputs(write_judged_ledger(tmp_path_factory.mktemp("made") / "ledger.sqlite"), Choices())


@pytest.fixture(scope="module")
def report_file(made: tuple[Report, ReportOutputs], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(html_page(made[0], "en", made[1]), "utf-8")
    return path


@pytest.fixture(scope="module")
def numbered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Report, ReportOutputs, VoteEvidence]:
    """The page of a report with every kind of number, the report, its outputs and its votes."""
    folder = tmp_path_factory.mktemp("numbered")
    ledger = write_numbered_ledger(folder / "ledger.sqlite")
    report, outputs = analyse_with_outputs(ledger, Choices())
    (folder / "report.html").write_text(html_page(report, "en", outputs), "utf-8")
    return folder / "report.html", report, outputs, read_votes(ledger, report)


@pytest.fixture(scope="module")
def paired_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a report on judged pairs."""
    folder = tmp_path_factory.mktemp("paired")
    report, outputs = analyse_with_outputs(write_judged_pairs(folder / "ledger.sqlite"), Choices())
    (folder / "report.html").write_text(html_page(report, "en", outputs), "utf-8")
    return folder / "report.html"


@pytest.fixture(scope="module")
def browser(report_file: Path, numbered: object, paired_file: Path) -> Iterator[Browser]:
    del (
        report_file,
        numbered,
        paired_file,
    )  # They are made first: no run can be made while a browser is open in this thread.
    with launched_browser() as found:
        yield found


@pytest.fixture
def page(browser: Browser, report_file: Path) -> Iterator[Page]:
    with opened_page(browser, report_file.as_uri()) as page:
        yield page
        assert page.evaluate("window.pwned") is None


def shown(page: Page) -> int:
    return page.locator("#list li:not([hidden])").count()


def test_filters_and_search_narrow_the_list_and_stay_in_the_address(page):
    page.click("nav >> text=Outputs")
    every = shown(page)
    page.select_option("#filters [name=model]", "alder-1")
    page.wait_for_function("location.hash.includes('model=alder-1')")
    models = page.locator("#list li:not([hidden]) .line > .soft").all_text_contents()
    assert set(models) == {"alder-1"}
    assert len(models) < every
    page.fill("#filters [name=q]", "LINE 1")
    page.keyboard.press("Enter")
    page.wait_for_function("location.hash.includes('q=')")
    assert 0 < shown(page) < len(models)
    expect(page.locator("#text")).to_contain_text("line 1")
    page.reload()
    assert page.input_value("#filters [name=q]") == "LINE 1"
    page.fill("#filters [name=q]", "no output says this")
    page.keyboard.press("Enter")
    expect(page.locator("#none")).to_be_visible()


def test_the_worst_come_first_unless_another_order_is_chosen(page):
    def scores() -> list[float]:
        texts = page.locator("#list li:not([hidden]) .score").all_text_contents()
        return [float(text) for text in texts if text != "–"]

    assert scores() == sorted(scores())
    page.select_option("#filters [name=order]", "best")
    page.wait_for_function("location.hash.includes('order=best')")
    assert scores() == sorted(scores(), reverse=True)
    page.click("[data-only=invalid]")
    expect(page.locator("#list li:not([hidden])")).to_have_count(page.locator("#list .badge.invalid").count())


def test_keys_go_through_the_list_and_to_the_same_question_side_by_side(page):
    page.click("nav >> text=Outputs")
    links = page.locator("#list li:not([hidden]) a")
    page.keyboard.press("j")
    expect(links.nth(1)).to_have_attribute("aria-current", "true")
    page.keyboard.press("k")
    expect(links.nth(0)).to_have_attribute("aria-current", "true")
    page.select_option("#filters [name=model]", "alder-1")
    expect(page.locator(".beside")).to_be_hidden()
    page.click("#list li:not([hidden]) a")
    page.keyboard.press("s")
    expect(page.locator(".beside > section")).to_have_count(2)
    assert {page.inner_text(f".beside > section:nth-child({place}) h3").split()[0] for place in (1, 2)} == {
        "alder-1",
        "birch-2",
    }
    expect(page.locator(".beside ins")).not_to_have_count(0)
    own, other = (page.locator(f".beside > section:nth-child({place}) .prose") for place in (1, 2))
    assert other.evaluate("e => { e.querySelectorAll('ins').forEach((i) => i.remove()); return e.textContent }") == (
        own.text_content()
    )
    page.keyboard.press("s")
    expect(page.locator(".beside")).to_be_hidden()


def test_a_judged_pair_names_its_rival_side_by_side_and_shows_no_empty_scores(browser, paired_file):
    with opened_page(browser, f"{paired_file.as_uri()}#outputs?") as page:
        expect(page.locator("#list .score")).to_have_count(0)
        page.locator("#list a", has_text="alder").click()
        page.keyboard.press("s")
        first = page.locator(".beside > section").first
        expect(first.locator("th")).to_have_text(["oak against q0-birch", "oak against q0-cedar"])
        expect(first.locator("td")).to_have_text(["won", "won"])
        expect(first.locator("h3")).to_have_text("alder")
        assert violations(page, "#group-outputs") == []


def test_a_number_opens_exactly_the_outputs_behind_it(browser, numbered):
    path, report, outputs, votes = numbered
    cells = {cell.id: cell for cell in report.cells() if cell.unit != "word" and outputs_behind(cell)}
    by_address = {outputs_behind(cell).partition("?")[2]: name for name, cell in cells.items()}
    addresses = {name: address for address, name in by_address.items()}
    with opened_page(browser, path.as_uri()) as page:
        page.click("#leaderboard td.number a")
        expect(page.locator("#behind-cell")).to_contain_text("leaderboard.")
        found = page.evaluate(FIND, addresses)
    assert {"counted", "recorded", "replies", "votes"} <= {cells[name].rows.among for name in found}
    for name, places in found.items():
        shown = {outputs.kept[place].row.output_id for place in places}
        assert shown == names_behind(cells[name], report, votes), name


def test_a_number_on_requests_says_what_its_list_shows(browser, numbered):
    with opened_page(browser, numbered[0].as_uri()) as page:
        page.click("#cost td.number a")
        expect(page.locator("#behind-requests")).to_contain_text("on which this judge replied")
        page.click("#leaderboard td.number a")
        expect(page.locator("#behind-requests")).to_be_hidden()


def test_a_number_with_no_output_behind_it_shows_how_it_was_made(browser, numbered):
    path, report, _, votes = numbered
    found = (
        cell.id
        for cell in report.cells()
        if cell.unit != "word" and cell.value == 0 and not names_behind(cell, report, votes)
    )
    name = next(found)
    with opened_page(browser, path.as_uri()) as page:
        page.evaluate("name => document.querySelector(`td a[href='#cell-${name}']`).click()", name)
        page.wait_for_url(f"**#cell-{name}")


def test_hostile_outputs_stay_text_and_no_other_script_runs(page, made):
    for place in range(len(made[1].kept)):
        page.evaluate("place => document.querySelector(`[data-place='${place}']`).click()", place)
        expect(page.locator("#shown article")).to_have_attribute("data-key", made[1].kept[place].row.key)
        assert page.locator("#shown script, #shown img, #shown svg, #shown style, #shown iframe").count() == 0
    policy = page.get_attribute("meta[http-equiv]", "content")
    assert policy is not None
    assert "script-src 'sha256-" in policy


@pytest.mark.parametrize(
    ("scheme", "viewport", "language", "place"),
    [
        pytest.param("light", DESKTOP, "zh", "outputs?show={}", marks=pytest.mark.long),
        ("dark", PHONE, "en", "outputs?show={}&beside=1"),
    ],
)
def test_everybody_can_read_outputs_in_the_report_and_nothing_is_cut_off(
    browser, made, tmp_path, scheme, viewport, language, place
):
    path = tmp_path / "report.html"
    path.write_text(html_page(made[0], language, made[1]), "utf-8")
    key = next(each.row.key for each in made[1].kept if each.row.model == "alder-1")
    address = f"{path.as_uri()}#{place.format(key)}"
    with opened_page(browser, address, viewport=viewport, color_scheme=scheme) as page:
        page.evaluate("document.querySelectorAll('.group:not(#group-outputs)').forEach((other) => other.remove())")
        assert violations(page, "#group-outputs") == []
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_on_a_phone_the_chosen_output_stands_alone(browser, report_file, made):
    address = f"{report_file.as_uri()}#outputs?show={made[1].kept[-1].row.key}"
    with opened_page(browser, address, viewport=PHONE) as page:
        expect(page.locator("#text")).to_be_visible()
        expect(page.locator("#list")).to_be_hidden()
        page.click(".back a")
        expect(page.locator("#list")).to_be_visible()


def test_in_print_lights_and_heat_maps_keep_their_colours(page):
    page.emulate_media(media="print")
    asked = "every => every.map(each => getComputedStyle(each).printColorAdjust)"
    for shown in (".light", "table.heat td", ".key"):
        found = page.locator(shown).evaluate_all(asked)
        assert set(found) == {"exact"}, shown


def test_in_print_what_is_folded_is_shown(page):
    folded = page.locator("main details:not([open]) table").first
    heights = []
    for media in ("screen", "print"):
        page.emulate_media(media=media)
        heights.append(
            folded.evaluate(
                "each => each.checkVisibility({contentVisibilityAuto: true}) && each.getBoundingClientRect().height"
            )
        )
    assert not heights[0]
    assert heights[1] > 0
