"""Pages in a real browser: what jurors, curators and readers do, in both languages, and what hostile outputs cannot do.

All tests share one browser and nothing else: each opens courthouses of its own. A flow is one test: its steps depend on
one another.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from accessibility import shorten, tiny_words, violations
from browsing import launched_browser
from courthouse import HOSTILE, SPLIT, Courthouse, open_courthouse, write_judged_ledger
from venire.ledger.checkpoint import decode_checkpoint, verify_checkpoint
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.protocols.voter_prompts import bundled_prompt
from venire.reports.page.html_page import html_page
from venire.reports.report import Choices
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind
from venire.workflows.analyse import analyse

DESKTOP, PHONE = {"width": 1200, "height": 800}, {"width": 390, "height": 844}
SPLIT_TEXT = "An answer of worth 6. It names line 0."
PATIENCE = 120_000
"""How many milliseconds a busy machine may take for anything."""
expect.set_options(timeout=PATIENCE)
LOCALES = {"en": "en-US", "zh": "zh-CN"}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A judged ledger; a courthouse serves a copy of it."""
    return write_judged_ledger(tmp_path_factory.mktemp("judged") / "judged.sqlite")


@pytest.fixture(scope="module")
def browser(judged: Path) -> Iterator[Browser]:
    """A browser; it comes after the ledger, as nothing else can use an event loop beside it in this thread."""
    del judged
    with launched_browser() as opened:
        yield opened


@pytest.fixture
def open_house(judged: Path, tmp_path: Path) -> Iterator[Callable[[str], Courthouse]]:
    """Open courthouses until the end of the test, each for a scale that jurors vote on."""
    with ExitStack() as stack:
        yield lambda scale: stack.enter_context(open_courthouse(judged, tmp_path / scale, vote_scale=scale, demo=True))


SCREENSHOTS = os.environ.get("VENIRE_SCREENSHOTS")
"""The folder for screenshots of every page; they take long, and none are made without it."""


@contextmanager
def visit(browser: Browser, link: str = "", language: str = "en", **options: object) -> Iterator[Page]:
    """Open a window of one visitor; anything that a page complains about fails the test."""
    context = browser.new_context(locale=LOCALES[language], viewport=options.pop("viewport", DESKTOP), **options)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    page.on(
        "console",
        lambda message: complaints.append(message.text) if "Content Security Policy" in message.text else None,
    )
    page.on(
        "request",
        lambda request: complaints.append(f"asked {request.url}") if "127.0.0.1" not in request.url else None,
    )
    if link:
        page.goto(link)
        page.wait_for_url(lambda address: "/login" not in address)
    yield page
    assert page.evaluate("window.pwned") is None
    assert not complaints
    context.close()


def press(page: Page, *keys: str) -> None:
    """Press keys when the page listens to them: its script runs once all of it is there."""
    page.wait_for_load_state()
    for key in keys:
        page.keyboard.press(key)


def skip_while(page: Page, *texts: str) -> None:
    """Leave outputs for later as long as they begin like one of these; each juror has an order of their own."""
    beginnings = tuple(text[:20] for text in texts)
    while shown_output(page)[:20].startswith(beginnings):
        with page.expect_navigation():
            page.locator("#skip").click()


def shown_output(page: Page) -> str:
    """Return the output before a juror, with characters that are shown by their code as what they are."""
    shown: str = page.locator("#output").evaluate(
        "output => { const copy = output.cloneNode(true); copy.querySelectorAll('[data-code]').forEach(each =>"
        "each.replaceWith(String.fromCodePoint(parseInt(each.dataset.code, 16)))); return copy.textContent }"
    )
    return shown


def votes_in(house: Courthouse) -> list[float | None]:
    """Return all votes that the ledger holds, in order, those that were taken back too."""
    ledger = open_ledger(str(house.ledger), read_only=True)
    contents = [entry.content for entry in ledger.read(kinds=[Kind.VOTE])]
    ledger.close()
    return [content["vote"]["vote"] for content in contents if "vote" in content]


def test_a_juror_votes_by_mouse_and_by_keys_undoes_skips_and_cannot_vote_twice(
    browser: Browser, open_house: Callable[[str], Courthouse]
) -> None:
    house = open_house("yes_no")
    before = len(votes_in(house))
    with visit(browser, house.invite()) as page:
        expect(page).to_have_url(f"{house.address}/vote")
        expect(page.locator("#asked")).to_contain_text("good enough")
        progress = page.locator("#progress")
        expect(progress).to_have_text(re.compile(r"^0 of \d+ done$"))

        first_item = page.locator("input[name=item]").input_value()
        page.locator("label", has_text="Yes").click()
        page.click("#ballot .reason summary")
        page.locator("#ballot textarea").fill("It answers the question.")
        page.locator("#cast").click()
        expect(progress).to_have_text(re.compile("^1 of"))
        assert page.locator("input[name=item]").input_value() != first_item

        press(page, "2", "Enter")
        expect(progress).to_have_text(re.compile("^2 of"))
        assert votes_in(house)[before:] == [1.0, 0.0]

        expect(page.locator("#undo-seconds")).to_have_text(re.compile(r"^\d+ s left$"))
        press(page, "u")
        expect(progress).to_have_text(re.compile("^1 of"))
        expect(page.locator("#notice")).to_be_visible()
        expect(page.locator("#undo")).to_have_count(0)
        assert votes_in(house)[before:] == [1.0, 0.0, None]

        skipped = page.locator("input[name=item]").input_value()
        press(page, "s")
        expect(page.locator("input[name=item]")).not_to_have_value(skipped)
        expect(progress).to_have_text(re.compile("^1 of"))

        press(page, "Enter")
        expect(page.locator("#problem")).to_have_text("Choose an answer before voting.")

        page.click("#ballot .reason summary")
        page.locator("#ballot textarea").focus()
        page.keyboard.type("12 apples")
        assert page.locator("input[name=vote]:checked").count() == 0

        page.evaluate("item => { document.querySelector('input[name=item]').value = item }", first_item)
        press(page, "Escape", "1")
        with page.expect_response(lambda answer: answer.request.method == "POST") as answered:
            page.keyboard.press("Enter")
        assert answered.value.status == 409
        expect(page.locator("#problem")).to_contain_text("already voted")
        assert votes_in(house)[before:] == [1.0, 0.0, None, None]  # One taken back, one put off.


def test_jurors_grade_from_0_to_1_and_by_dimensions_with_quotes_that_are_checked(
    browser: Browser, open_house: Callable[[str], Courthouse]
) -> None:
    graded = open_house("unit")
    with visit(browser, graded.invite()) as page:
        press(page, "7", "Enter")
        expect(page.locator("#progress")).to_have_text(re.compile("^1 of"))
        assert votes_in(graded)[-1] == 0.75

    house = open_house("protocol")
    with visit(browser, house.invite()) as page:
        skip_while(page, *HOSTILE.values())
        before = len(votes_in(house))
        press(page, *"1111")
        page.locator("#cast").click()
        expect(page.locator(".dimension .findings li")).to_have_count(4)
        assert page.locator("input[type=radio]:checked").count() == 4
        assert len(votes_in(house)) == before

        page.wait_for_load_state()  # Its script takes what is selected.
        page.locator(".dimension textarea").first.fill("Words that stand nowhere.")
        page.locator("#output").evaluate(
            "output => { const range = document.createRange(); range.setStart(output.firstChild, 3);"
            "range.setEnd(output.firstChild, 18); const chosen = getSelection(); chosen.removeAllRanges();"
            "chosen.addRange(range) }"
        )
        for button in page.locator(".take").all()[1:]:
            button.click()
        for field in page.locator(".evidence input[type=text]").all():
            field.fill("It says so.")
        page.locator("#cast").click()
        expect(page.locator(".findings li")).to_have_count(1)
        expect(page.locator(".dimension").first.locator(".findings")).to_contain_text("word for word")
        assert page.locator(".dimension textarea").last.input_value() == "answer of worth"

        page.locator(".dimension textarea").first.fill("An answer of worth")
        page.locator("#cast").click()
        expect(page.locator("#progress")).to_have_text(re.compile("^1 of"))
        assert votes_in(house)[before:] == [1.0]


def test_a_curator_settles_what_jurors_disagree_on(browser: Browser, open_house: Callable[[str], Courthouse]) -> None:
    house = open_house("unit")
    with visit(browser, house.invite(Role.CURATOR)) as page:
        page.locator("nav").get_by_text("Disputes").click()
        card = page.locator("article", has_text=SPLIT)
        expect(card.locator("tbody tr")).to_have_count(4)
        expect(card.locator(".why")).to_contain_text("0.250")
        card.locator("textarea").fill("Both readings are fair.")
        card.locator("button", has_text="Leave as ambiguous").click()
        expect(page.locator("#settled")).to_be_visible()
        expect(page.locator("article", has_text=SPLIT)).to_have_count(0)
    with visit(browser, house.invite(Role.READER)) as page:
        page.goto(f"{house.address}/queue")
        assert page.locator("form.decide").count() == 0
    ledger = open_ledger(str(house.ledger), read_only=True)
    decided = [entry.content["curation"] for entry in ledger.read(kinds=[Kind.DECISION])]
    ledger.close()
    assert [(each["inference_id"], each["outcome"], each["note"]) for each in decided] == [
        (SPLIT, "ambiguous", "Both readings are fair.")
    ]


def test_a_reader_walks_from_the_leaderboard_to_a_highlighted_quote_and_audits_the_ledger(
    browser: Browser, open_house: Callable[[str], Courthouse]
) -> None:
    house = open_house("protocol")
    with visit(browser) as page:
        page.goto(house.address)
        page.locator("#secret").fill("not a key")
        page.keyboard.press("Enter")
        expect(page.locator("#problem")).to_contain_text("unknown")
        page.locator("#secret").fill(house.key(Role.READER))
        page.keyboard.press("Enter")
        expect(page.locator("nav [aria-current]")).to_have_text("Dashboard")

        page.locator("#table-leaderboard tr", has_text="alder-1").locator("td.number a").first.click()
        page.locator(".judgement-link", has_text="q0-baseline-explicit").first.click()
        page.locator(".to-quote").first.click()
        mark = page.locator("mark:target")
        expect(mark).to_be_in_viewport()
        expect(mark).to_contain_text("An answer of worth")
        expect(page.locator("#reply")).to_contain_text('"FORMAT_COMPLIANCE": 2')
        expect(page.locator(".trail li")).to_have_count(4)

        with page.expect_navigation():  # The buttons there do nothing before its script has run.
            page.locator(".trail a").last.click()
        page.locator("#start").click()
        expect(page.locator("#verdict")).to_have_class("intact")
        page.locator("#proof-form button").click()
        expect(page.locator("#proof-verdict")).to_have_class("intact")
        with page.expect_download() as download:
            page.locator("#checkpoint").click()
        checkpoint = decode_checkpoint(download.value.path().read_bytes())
        verify_checkpoint(checkpoint, checkpoint.public_key)
        assert checkpoint.hash == page.locator("#head").inner_text()

        page.goto(f"{house.address}/#scores")
        page.locator(f"#scores a[href*='{SPLIT}&prompt=accept']").click()
        expect(page.locator("#trail tr")).to_have_count(4)
        expect(page.locator("#score")).to_have_text(re.compile(r"^Σ = 0\.\d{4}$"))
        expect(page.locator("#text")).to_have_text(SPLIT_TEXT)

        # A server that sends a changed entry is found out by the browser.
        page.goto(f"{house.address}/audit")
        page.route("**/api/v1/audit/entries*", _change_an_entry)
        page.locator("#start").click()
        expect(page.locator("#verdict")).to_have_class("broken")
        expect(page.locator("#verdict")).to_contain_text("entry 3")
        page.locator("#sign-out").click()
        expect(page.locator("#secret")).to_be_visible()


def _change_an_entry(route: object) -> None:
    answer = route.fetch()  # type: ignore[attr-defined]
    content = answer.json()
    content["items"][2]["payload"] = "e30="
    route.fulfill(response=answer, body=json.dumps(content))  # type: ignore[attr-defined]


def test_hostile_outputs_stay_text_wherever_they_are_shown(
    browser: Browser, open_house: Callable[[str], Courthouse]
) -> None:
    house = open_house("yes_no")
    seen: set[str] = set()
    with visit(browser, house.invite()) as page:
        while page.locator("#ballot").count():
            shown = shown_output(page)
            seen |= {name for name, text in HOSTILE.items() if shown == text}
            inside = "#output script, #output img, #output svg, #output a, #output style"
            assert page.locator(inside).count() == 0
            wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            assert wide <= 0
            press(page, "1")
            with page.expect_navigation():
                page.keyboard.press("Enter")
        assert seen == set(HOSTILE)
    ledger = open_ledger(str(house.ledger), read_only=True)
    judged = [(entry.key, entry.content["judgement"]["sample"]) for entry in ledger.read(kinds=[Kind.JUDGEMENT])]
    ledger.close()
    keys = [key for key, sample in judged if sample.startswith("hostile-")]
    assert len(keys) == 2 * len(HOSTILE)
    with visit(browser, house.invite(Role.READER)) as page:
        for key in keys:
            page.goto(f"{house.address}/judgements/{key}")
            assert page.locator("main script, main img, main svg, main style").count() == 0
            assert page.locator("#text").inner_text()
        for name in ("script", "handler", "svg", "template"):
            page.goto(f"{house.address}/items?output=hostile-{name}&prompt=accept")
            expect(page.locator("#text")).to_have_text(HOSTILE[name], use_inner_text=False)
            expect(page.locator("#trail tr").first).to_be_visible()


def test_everybody_votes_by_one_link_on_a_phone_while_the_dashboard_follows(
    browser: Browser, open_house: Callable[[str], Courthouse]
) -> None:
    house = open_house("yes_no")
    link = house.court.registry.issue(CredentialKind.OPEN_LINK, Role.JUROR).secret
    with visit(browser, house.invite(Role.READER)) as reader:
        before, first_item = int(reader.inner_text("#count-votes")), reader.inner_text("#items tbody tr >> nth=0")
        for name in ("Ada", ""):
            with visit(browser, viewport=PHONE) as page:
                page.goto(f"{house.address}/login#{link}")
                page.fill("#name", name)
                page.click("#join button")
                page.wait_for_url("**/vote")
                expect(page.locator("#task-details")).not_to_have_attribute("open", "")
                box = page.locator("#cast").bounding_box()
                assert box is not None
                assert box["y"] + box["height"] <= PHONE["height"]
                press(page, "1", "Enter")
                expect(page.locator("#progress")).to_contain_text("1 of")
        expect(reader.locator("#count-votes")).to_have_text(str(before + 2))
        expect(reader.locator("#items tbody tr").first).not_to_have_text(first_item)


def test_on_a_phone_how_to_vote_is_one_tap_away_and_keys_are_not_named(
    browser: Browser, judged: Path, tmp_path: Path
) -> None:
    prompt = bundled_prompt("grand-jury-en-zh")
    with (
        open_courthouse(judged, tmp_path / "phone", vote_scale="yes_no", voter_prompt=prompt) as house,
        visit(browser, house.invite(), "zh", viewport=PHONE, has_touch=True, is_mobile=True) as page,
    ):
        guidance = page.locator("#guidance")
        expect(guidance).not_to_have_attribute("open", "")
        guidance.locator("summary").tap()
        expect(guidance).to_contain_text("拿不准就跳过")
        assert page.locator("kbd:visible").count() == 0
        page.locator("label", has_text="是").tap()
        page.locator("#cast").tap()
        expect(page.locator("#undo-seconds")).to_have_text(re.compile(r"^还剩 \d+ 秒$"))


def test_a_run_is_followed_while_it_goes_on(browser: Browser, open_house: Callable[[str], Courthouse]) -> None:
    house = open_house("unit")
    opened = {"event": "run_opened", "details": {"protocol": "drift-sample", "judges": ["oak"]}}
    house.events.write_text(json.dumps(opened) + "\n")
    with visit(browser, house.invite(Role.READER)) as page:
        page.goto(f"{house.address}/runs")
        page.locator("tbody a").first.click()
        expect(page.locator("#state")).to_have_text("running")
        page.evaluate("window.opened = true")  # It would be gone from a page that was loaded anew.
        with house.events.open("a") as file:
            for judge, status in (("oak", "valid"), ("oak", "invalid"), ("<b>elm</b>", "valid")):
                file.write(json.dumps({"event": "answered", "judge": judge, "status": status}) + "\n")
        rows = page.locator("#judges tbody tr")
        expect(rows).to_have_count(2)
        expect(rows.nth(0).locator("[data-count=done]")).to_have_text("2")
        expect(rows.nth(0).locator("[data-count=invalid]")).to_have_text("1")
        expect(rows.nth(1).locator("th")).to_have_text("<b>elm</b>")
        with house.events.open("a") as file:
            file.write(json.dumps({"event": "run_closed"}) + "\n")
        expect(page.locator("#state")).to_have_text("done")
        assert page.evaluate("window.opened") is True
    house.events.unlink()


LOOKS = {"en": [("light", DESKTOP), ("dark", PHONE)], "zh": [("dark", DESKTOP), ("light", PHONE)]}
"""Every language, every colour scheme and every width, each with each."""


@pytest.mark.long
def test_everybody_can_read_the_report_in_one_file(
    browser: Browser, open_house: Callable[[str], Courthouse], tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    report = analyse(open_house("yes_no").ledger, Choices())
    for language, scheme, size in (("en", "light", DESKTOP), ("zh", "dark", PHONE)):
        path.write_text(html_page(report, language), "utf-8")
        context = browser.new_context(viewport=size, color_scheme=scheme)
        page = context.new_page()
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        shorten(page)
        assert violations(page) == [], (language, scheme)
        context.close()


@pytest.mark.long
@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_page_is_there_in_both_languages_light_and_dark_wide_and_narrow(
    browser: Browser, open_house: Callable[[str], Courthouse], language: str
) -> None:
    house = open_house("protocol")
    links = {
        "vote-yes-no": open_house("yes_no").invite(),
        "vote-unit": open_house("unit").invite(),
        "vote-protocol": house.invite(),
        "": house.invite(Role.CURATOR),
    }
    found: list[str] = []
    for name, link in links.items():
        with visit(browser, link, language, reduced_motion="reduce") as page:
            if name:
                skip_while(page, *HOSTILE.values())
                found += _look(page, name, language)
            else:
                found += _look_at_all(page, house, language)
    assert not found, "\n".join(sorted(set(found)))


def _look_at_all(page: Page, house: Courthouse, language: str) -> list[str]:
    found: list[str] = []
    runs = house.court.progress.runs()
    places = {
        "dashboard": "/",
        "runs": "/runs",
        "run": f"/runs/{runs[0].run}",
        "judges": "/judges",
        "queue": "/queue",
        "audit": "/audit",
        "item": f"/items?output={SPLIT}&prompt=accept",
        "missing": "/nothing-here",
        "cell": "/cells/leaderboard.alder-1.score",
    }
    for name, address in places.items():
        answer = page.goto(f"{house.address}{address}")
        assert answer is not None
        assert answer.status == (404 if name == "missing" else 200), address
        found += _look(page, name, language)
    with page.expect_navigation():
        page.locator(".judgement-link").first.click()
    found += _look(page, "judgement", language)
    with page.expect_navigation():
        page.locator("#sign-out").click()
    return found + _look(page, "login", language)


def _look(page: Page, name: str, language: str) -> list[str]:
    """Return what axe finds on a page; anything else that is wrong with it fails the test."""
    found: list[str] = []
    page.wait_for_load_state("networkidle" if name == "item" else "load")
    for scheme, size in LOOKS[language]:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(size)
        if SCREENSHOTS:
            where = f"{language}-{scheme}-{size['width']}"
            page.screenshot(path=Path(SCREENSHOTS) / f"{name}-{where}.png", full_page=True)
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{name} is too wide for {size['width']}"
        assert tiny_words(page) == [], f"{name} at {size['width']}"
        if language == "en" or size == PHONE:
            found.extend(f"{name}, {language}, {scheme}: {each}" for each in violations(page))
    assert page.locator("html").get_attribute("lang") == {"en": "en", "zh": "zh-Hans"}[language]
    assert page.locator("#language").inner_text() == {"en": "中文", "zh": "English"}[language]
    words = page.locator("h1, h2, th[scope=col], button, dt").all_inner_texts()
    said = [each for each in words if re.search("[\u4e00-\u9fff]" if language == "zh" else "[A-Za-z]{3}", each)]
    assert said, f"{name} says nothing in {language}"
    if language == "en":
        assert not re.search("[\u4e00-\u9fff]", " ".join(words)), name
    return found
