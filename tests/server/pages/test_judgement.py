from __future__ import annotations

import re

from litestar.testing import TestClient
from markupsafe import escape

from courthouse import SPLIT, as_a
from venire.domain.judgement import EvidenceLevel
from venire.ledger.entry import Kind
from venire.server.court.court import Court
from venire.server.people.person import Role
from venire.words.language import Words


def test_numbers_judgements_runs_and_files_that_are_not_there_are_not_found(client: TestClient, court: Court) -> None:
    for path in ("/cells/none", "/judgements/none", "/judgements/a/entries/b", "/runs/none", "/static/none.css"):
        assert client.get(path, headers=as_a(Role.READER, court)).status_code == 404, path


def page_of(sample: str, judge: str, client: TestClient, court: Court, language: str = "en") -> str:
    row = next(each for each in court.state.index.judgements if (each.sample, each.judge) == (sample, judge))
    headers = as_a(Role.READER, court, **{"accept-language": language})
    return client.get(f"/judgements/{row.key}", headers=headers).text


def test_a_judgement_shows_which_model_answered_which_question(client: TestClient, court: Court) -> None:
    page = page_of(SPLIT, "oak", client, court)
    assert re.search(r"<dt>question</dt><dd>q0</dd>", page)
    assert re.search(r"<dt>(target )?model</dt><dd>birch-2</dd>", page)


def test_findings_are_said_in_the_visitors_language(client: TestClient, court: Court) -> None:
    broken = next(each for each in court.state.index.judgements if each.status == "invalid")
    stored = court.state.ledger.find(Kind.JUDGEMENT, broken.key).content["judgement"]["findings"][0]["expected"]
    english = page_of(broken.sample, broken.judge, client, court)
    chinese = page_of(broken.sample, broken.judge, client, court, "zh")
    assert str(escape(stored)) in english
    assert str(escape(stored)) not in chinese
    assert re.search('<h2>违规项与提醒</h2>.*?[\u4e00-\u9fff]+</td><td class="words">', chinese, re.DOTALL)


def test_how_a_quote_was_found_is_said_in_the_visitors_language(client: TestClient, court: Court) -> None:
    assert "found (exact)" in page_of(SPLIT, "oak", client, court)
    assert "已在原文中找到（逐字一致）" in page_of(SPLIT, "oak", client, court, "zh")


def test_every_level_at_which_quotes_are_looked_up_has_a_name() -> None:
    for level in EvidenceLevel:
        if level is not EvidenceLevel.OFF:
            assert Words("zh")(f"pages.judgement.level.{level}")
