"""People compare two outputs in a real browser: side by side on a screen, one below the other on a phone, by keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from accessibility import violations
from browsing import launched_browser, opened_page
from courthouse import HOSTILE, Courthouse, open_courthouse
from shaped_ledgers import write_voted_pairs
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Sample
from venire.inputs.pairs import PairPlan, read_pairs
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger
from venire.protocols.catalogue import find_protocol
from venire.protocols.voter_prompts import bundled_prompt
from venire.server.people.person import Role
from venire.workflows.import_votes import open_voting

PATIENCE = 60_000
"""How many milliseconds a busy machine may take for anything."""
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
expect.set_options(timeout=PATIENCE)


def write_pairs(path: Path, protocol: EvalProtocol | None = None) -> None:
    """Write outputs of three models to four questions, one of them hostile, and all their pairs."""
    samples = [
        Sample(
            output_id=f"{model}-{number}",
            text=HOSTILE["script"]
            if (model, number) == ("cedar", 0)
            else f"Answer {number}, worth {worth}, by {model}.",
            question_id=f"q{number}",
            target_model=model,
            task=f"Question {number}: how do I send it back?",
        )
        for number in range(4)
        for worth, model in enumerate(("alder", "birch", "cedar"))
    ]
    ledger = open_ledger(str(path))
    if protocol is not None:
        ledger.append([Draft(Kind.PROTOCOL, protocol, protocol.digest)])
    pairs = read_pairs(samples, PairPlan(order="fixed"), seed=0, where="here", on_problem=None)
    open_voting(ledger, [*samples, *pairs], bundled_prompt("prefer"))
    ledger.close()


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pairs") / "pairs.sqlite"
    write_pairs(path)
    return path


@pytest.fixture(scope="module")
def voted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs on which four people have voted, not all alike."""
    return write_voted_pairs(tmp_path_factory.mktemp("voted") / "voted.sqlite")


@pytest.fixture(scope="module")
def browser(pairs: Path, voted: Path) -> Iterator[Browser]:
    del pairs, voted  # They are written first: nothing else can use an event loop beside the browser in this thread.
    with launched_browser() as opened:
        yield opened


@pytest.fixture
def house(pairs: Path, tmp_path: Path) -> Iterator[Courthouse]:
    """A court of this test alone, over a copy of the ledger."""
    options = {"vote_scale": "pairs", "voter_prompt": bundled_prompt("prefer")}
    with open_courthouse(pairs, tmp_path / "court", **options) as opened:
        yield opened


@pytest.fixture
def visit(browser: Browser, house: Courthouse) -> Iterator[object]:
    """Open windows of new visitors; a script that fails, or one of an output that runs, fails the test."""
    opened, complaints = [], []

    def enter(viewport: dict[str, int], role: Role = Role.JUROR, locale: str = "en-US") -> Page:
        context = browser.new_context(viewport=viewport, locale=locale)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(house.invite(role))
        page.wait_for_url(lambda address: "/login" not in address)
        opened.append((context, page))
        return page

    yield enter
    for context, page in opened:
        assert page.evaluate("window.pwned") is None
        context.close()
    assert complaints == []


def press(page: Page, key: str) -> None:
    page.wait_for_load_state()
    page.keyboard.press(key)


def cast(page: Page, key: str) -> None:
    """Choose by a key, and vote."""
    press(page, key)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def last_vote(house: Courthouse) -> dict[str, object]:
    ledger = open_ledger(str(house.ledger), read_only=True)
    found = [entry.content for entry in ledger.read(kinds=[Kind.VOTE]) if "vote" in entry.content]
    ledger.close()
    return found[-1]


def test_a_juror_compares_side_by_side_by_keys_undoes_and_skips(visit, house):
    page = visit(DESKTOP)
    first, second = (page.locator(f"#{side}").bounding_box() for side in ("first", "second"))
    assert first["y"] == second["y"]
    assert first["x"] + first["width"] <= second["x"]
    expect(page.locator("#asked")).to_contain_text("Which of these two outputs")
    expect(page.locator("body")).not_to_contain_text("alder")
    assert violations(page) == []

    for key, value in (("1", {1.0, 0.0}), ("2", {1.0, 0.0}), ("0", {0.5})):
        cast(page, key)
        content = last_vote(house)
        assert content["vote"]["vote"] in value
        left, right = content["vote"]["inference_id"].split(" | ")
        if key != "0":  # The key says the side; the ledger says the output by its name.
            won = left if content["vote"]["vote"] == 1 else right
            assert (won == content["shown_first"]) == (key == "1")
    expect(page.locator("#progress")).to_have_text("3 of 12 done")

    press(page, "u")
    expect(page.locator("#notice")).to_contain_text("taken back")
    assert last_vote(house)["vote"]["vote"] is None
    item = page.locator("input[name=item]").input_value()
    with page.expect_navigation():
        press(page, "s")
    assert page.locator("input[name=item]").input_value() != item
    expect(page.locator("#progress")).to_have_text("2 of 12 done")


def test_on_a_phone_outputs_are_stacked_and_the_buttons_always_in_sight(visit, house):
    page = visit(PHONE, locale="zh-CN")
    first, second = (page.locator(f"#{side}").bounding_box() for side in ("first", "second"))
    assert first["x"] == second["x"]
    assert first["y"] + first["height"] <= second["y"]
    expect(page.locator("#task-details")).not_to_have_attribute("open", "")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    for name in ("#cast", "label:has(input[data-key='0'])", "label:has(input[data-key='2'])"):
        box = page.locator(name).bounding_box()
        assert box["y"] + box["height"] <= PHONE["height"]
    assert violations(page) == []
    page.locator("label", has_text="不分高下").click()
    page.locator("#cast").click()
    expect(page.locator("#progress")).to_contain_text("1 / 12")
    assert last_vote(house)["vote"]["vote"] == 0.5


def test_all_pairs_can_be_voted_on_and_the_dashboard_ranks_the_models(visit, house):
    page = visit(DESKTOP)
    for place in range(12):
        cast(page, "012"[place % 3])
    expect(page.locator(".done")).to_contain_text("voted on everything")
    reader = visit(DESKTOP, Role.READER)
    expect(reader.locator("#results figcaption").first).to_contain_text("comparisons")
    expect(reader.locator("#results figure").first).to_contain_text("cedar")
    assert violations(reader) == []


def select(page: Page, side: str) -> None:
    """Select all words of an output, as a mouse would."""
    page.evaluate("side => window.getSelection().selectAllChildren(document.getElementById(side))", side)


def test_two_outputs_are_judged_by_the_protocols_form_by_keys_and_selected_words(browser, tmp_path):
    write_pairs(tmp_path / "pairs.sqlite", find_protocol("preference"))
    with open_courthouse(tmp_path / "pairs.sqlite", tmp_path / "house", vote_scale="protocol") as house:
        context = browser.new_context(viewport=PHONE, locale="en-US")
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(house.invite(Role.JUROR))
        page.wait_for_url(lambda address: "/login" not in address)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert violations(page) == []
        expect(page.locator("body")).not_to_contain_text("alder")

        with page.expect_navigation():
            press(page, "Enter")
        expect(page.locator("[data-dimension=winner] .findings")).to_have_text("Choose one of these.")
        expect(page.locator("[data-dimension=quotes] .findings")).to_have_text("Quote each output at least once.")

        for key in ("2", "3"):  # The second output, far better.
            press(page, key)
        for side in ("first", "second"):
            select(page, side)
            press(page, "q")
            assert page.locator(f"[name='quote.{side}']").input_value().strip()
        for name in ("correctness", "completeness", "clarity"):
            page.locator(f"[name='reason.{name}']").fill("It says more.")
        with page.expect_navigation():
            page.locator("#cast").click()
        expect(page.locator("#progress")).to_have_text("1 of 12 done")
        content = last_vote(house)
        assert content["judgement"]["preference"] == {"winner": "second", "strength": 3}
        left, right = content["vote"]["inference_id"].split(" | ")
        assert (right if content["vote"]["vote"] == 0 else left) != content["shown_first"]
        context.close()


@pytest.mark.parametrize(
    ("viewport", "scheme", "locale"),
    [pytest.param(DESKTOP, "light", "en-US", marks=pytest.mark.long), (PHONE, "dark", "zh-CN")],
)
def test_everybody_can_read_the_standing_and_the_disputes_of_several_pairs(
    browser, voted, tmp_path, viewport, scheme, locale
):
    options = {"vote_scale": "pairs", "voter_prompt": bundled_prompt("prefer")}
    with open_courthouse(voted, tmp_path / "court", **options) as house:
        address = house.invite(Role.CURATOR)
        with opened_page(browser, address, viewport=viewport, color_scheme=scheme, locale=locale) as page:
            page.wait_for_url(lambda found: "/login" not in found)
            page.goto(f"{house.address}/queue")
            assert page.locator("article .scroll").count() > 1
            assert violations(page) == []
            page.goto(house.address)
            title, said = ("Pairs by votes", "named first") if locale == "en-US" else ("各配对的投票得分", "写在前面")
            expect(page.locator("#scores h2")).to_have_text(title)
            expect(page.locator("#scores")).to_contain_text(said)
            expect(page.locator("#results figure").first).to_contain_text("alder")
            assert violations(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
