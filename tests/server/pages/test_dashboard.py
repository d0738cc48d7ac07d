from __future__ import annotations

import asyncio
import re

import pytest
from litestar.testing import TestClient

from courthouse import as_a
from venire.reports.words import ReportWords
from venire.server.court.court import Court
from venire.server.court.vote_views import VoteStanding
from venire.server.pages.dashboard import DASHBOARD, JUDGES, _agreement
from venire.server.people.person import Role


def test_what_an_address_asks_for_is_shown_as_text(client: TestClient, court: Court) -> None:
    named = {"output": "<script>alert(1)</script>", "prompt": '"><img src=x>'}
    answer = client.get("/items", params=named, headers=as_a(Role.READER, court))
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    assert "<img" not in answer.text


def test_the_dashboard_shows_its_sections_in_order_and_those_of_the_judges_their_own(
    client: TestClient, court: Court
) -> None:
    def sections(path: str) -> list[str]:
        page = client.get(path, headers=as_a(Role.READER, court)).text
        return re.findall(r'<section[^>]* id="([a-z_]+)"', page)

    assert sections("/")[:3] == ["summary", "leaderboard", "dimensions"]
    assert sections("/judges")[:2] == ["judges", "agreement"]


def test_the_page_of_the_judges_says_one_thing_before_how_to_read_it(client: TestClient, court: Court) -> None:
    page = client.get("/judges", headers=as_a(Role.READER, court)).text
    shown = page.partition('<section id="judges"')[2].partition('<details class="read">')[0]
    assert '<p class="lead-line">' in shown
    assert "<p>" not in shown
    assert "`" not in re.sub(r"<code>.*?</code>", "", page)
    assert "<code>--labels FILE</code>" in page


def test_the_dashboard_begins_with_the_answer_and_every_link_of_it_leads_somewhere(
    client: TestClient, court: Court
) -> None:
    reader = as_a(Role.READER, court)
    page = client.get("/", headers=reader).text
    report = asyncio.run(court.report())
    headline = ReportWords("en", report.names).sentence(report.section("overview").notes[0])
    assert re.findall("<h1>(.*?)</h1>", page) == [headline]
    first = page[page.index('<div class="first">') : page.index('id="results"')]
    assert first.index('class="tracks"') < first.index('class="lights"')
    links = set(re.findall('href="([^"]+)"', first))
    assert any(each.startswith("/cells/") for each in links)
    for each in links:
        path, _, anchor = each.partition("#")
        led = client.get(path, headers=reader) if path else None
        assert led is None or led.status_code == 200, each
        assert not anchor or f'id="{anchor}"' in (led.text if led else page), each


def test_charts_come_before_the_paragraphs_of_a_section(client: TestClient, court: Court) -> None:
    page = client.get("/", headers=as_a(Role.READER, court)).text
    section = page[page.index('<section id="leaderboard">') :]
    assert section.index("<figure>") < section.index("<p")


def test_votes_of_several_days_are_followed_with_bands_and_what_ageing_did_is_said(
    client: TestClient, court: Court
) -> None:
    page = client.get("/", headers=as_a(Role.READER, court)).text
    models = asyncio.run(court.vote_standing()).models
    assert page.count("<polygon") == len(models)
    moved = max(abs(each.score - each.unaged) for each in models)
    assert max(each.batches for each in models) > 1
    assert f"that moved scores by at most {moved:.2f}" in page
    for each in models:
        assert [point.time for point in each.points] == sorted(point.time for point in each.points)
        assert each.points[-1].score == pytest.approx(each.score)


def test_every_section_that_pages_show_is_one_of_the_report() -> None:
    words = ReportWords("en")
    assert [name for name in (*DASHBOARD, *JUDGES) if f"section.{name}" not in words] == []


@pytest.mark.parametrize(
    ("alpha", "said"), [(0.95, "good"), (0.5, "moderate"), (0.2, "low"), (-0.3, "low"), (None, "not known")]
)
def test_how_far_voters_agree_is_said_in_a_word(alpha: float | None, said: str) -> None:
    standing = VoteStanding(models=(), is_led=False, agreement=alpha, disputes=0, votes_needed=0, least_votes=3)
    assert _agreement(standing, ReportWords("en")) == said


def test_the_dashboard_says_from_how_many_votes_on_an_output_is_disputed(client: TestClient, court: Court) -> None:
    page = client.get("/", headers=as_a(Role.READER, court)).text
    assert "disputed if it has at least 3 votes and they vary by more than 0.05" in page
