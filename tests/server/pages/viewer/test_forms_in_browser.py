"""Every form of judgement in a real browser: claims, pairs, conversations, repeats and votes, wide and narrow.

The ledgers are written once, before the browser opens, and only read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from accessibility import violations
from browsing import DESKTOP, PATIENCE, PHONE, launched_browser, opened_page
from shaped_ledgers import (
    write_claims,
    write_conversation,
    write_judged_pairs,
    write_repeats,
    write_voted_pairs,
    write_votes,
)
from viewing import serving_view

expect.set_options(timeout=PATIENCE)
FORMS: dict[str, Callable[[Path], Path]] = {
    "claims": write_claims,
    "conversation": write_conversation,
    "judged pairs": write_judged_pairs,
    "repeats": write_repeats,
    "voted pairs": write_voted_pairs,
    "votes": write_votes,
}


@pytest.fixture(scope="module")
def ledgers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("forms")
    return {name: write(folder / f"{name}.sqlite") for name, write in FORMS.items()}


@pytest.fixture(scope="module")
def addresses(ledgers: dict[str, Path]) -> Iterator[dict[str, str]]:
    with ExitStack() as stack:
        yield {name: stack.enter_context(serving_view(path)) for name, path in ledgers.items()}


@pytest.fixture(scope="module")
def browser(addresses: dict[str, str]) -> Iterator[Browser]:
    del addresses  # Runs are made first: nothing else can use an event loop beside the browser in this thread.
    with launched_browser() as opened:
        yield opened


@pytest.fixture
def visit(browser: Browser, addresses: dict[str, str]) -> Iterator[Callable[..., Page]]:
    """Open the outputs of one of the ledgers."""
    with ExitStack() as stack:
        yield lambda form, **options: stack.enter_context(opened_page(browser, addresses[form], **options))


def open_output(page: Page, name: str) -> None:
    """Choose an output in the list by words in its line."""
    page.locator("#list a", has_text=name).first.click()
    page.wait_for_url("**/outputs/*")


@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize(
    ("scheme", "viewport", "locale"),
    [pytest.param("light", DESKTOP, "en-US", marks=pytest.mark.long), ("dark", PHONE, "zh-CN")],
)
def test_everybody_can_read_it_and_nothing_is_cut_off(visit, form, scheme, viewport, locale):
    page = visit(form, viewport=viewport, color_scheme=scheme, locale=locale)
    parts = urlsplit(page.url)
    first = page.locator("#list a").first.get_attribute("href").partition("?")[0]
    found = {}
    for path in ("/outputs", first, f"{first}/beside"):
        page.goto(f"{parts.scheme}://{parts.netloc}{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"], path
        found[path] = violations(page)
    assert not any(found.values()), found


def test_a_claim_stands_beside_its_passage(visit):
    page = visit("claims", viewport=PHONE)
    open_output(page, "opening-hours bot-2")
    claim = page.locator(".claim.contradicted").first
    expect(claim).to_contain_text("opens at 8 am")
    expect(claim.locator(".passage")).to_contain_text("opening The library opens at 9 am")
    expect(page.locator("details.material[open] mark").first).to_contain_text("9 am")


def test_a_conversation_is_shown_turn_by_turn_with_quotes_in_it(visit):
    page = visit("conversation", viewport=PHONE)
    open_output(page, "For how many")
    expect(page.locator(".turns li")).to_have_count(5)
    expect(page.locator(".turns li").first.locator("mark")).to_have_text(["Book a table for two"])
    assert page.locator(".turns li").evaluate_all("every => every.map(each => each.className)") == [
        "user", "assistant", "user", "tool", "tool",
    ]  # fmt: skip


def test_a_pair_is_shown_with_reasons_and_each_quote_where_it_stands(visit):
    page = visit("judged pairs", viewport=PHONE)
    open_output(page, "alder")
    cards = page.locator(".judge")
    expect(cards).to_have_count(2)
    expect(cards.nth(0)).to_contain_text("against q0-birch · strength 2")
    expect(cards.nth(0).locator("p.reason").first).to_have_text("Correctness It is worth more.")
    expect(cards.nth(0)).to_contain_text("Answer 0 is worth 70 poin in q0-birch")
    expect(page.locator("#text mark").first).to_have_text("Answer 0 is worth 90 poin")
    page.locator("#beside").click()
    page.wait_for_url("**/beside")
    expect(page.locator(".beside section").first.locator("thead th")).to_have_text(["Judge", "Verdict"])
    expect(page.locator(".beside section").first.locator("tbody th")).to_have_text(
        ["oak against q0-birch", "oak against q0-cedar"]
    )
    boxes = [page.locator(".beside section").nth(place).bounding_box() for place in (0, 1)]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
    expect(page.locator(".beside section").nth(1).locator("ins")).to_have_text(["70"])


def test_outputs_that_only_people_voted_on_come_in_the_order_of_their_votes(visit):
    page = visit("votes")
    expect(page.locator("#list .score")).to_have_text(["0.00", "0.25", "0.75", "1.00"])
    page.select_option("select[name=order]", "best")
    page.wait_for_url("**order=best**")
    expect(page.locator("#list .score")).to_have_text(["1.00", "0.75", "0.25", "0.00"])


def test_votes_on_pairs_are_shown_at_both_outputs_and_order_them(visit):
    page = visit("voted pairs")
    expect(page.locator("#list .line > .soft")).to_have_text(["cedar", "cedar", "birch", "birch", "alder", "alder"])
    expect(page.locator("#list .score").first).to_have_text("0.25")
    expect(page.locator(".votes li")).to_have_count(8)
    expect(page.locator(".votes li").first).to_contain_text("against q0-birch")
