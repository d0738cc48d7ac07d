from __future__ import annotations

import json
import re
import string
from importlib.resources import files

import pytest
from litestar.testing import TestClient

from courthouse import as_a
from venire.domain.curation import Outcome
from venire.domain.judgement import Status
from venire.ledger.entry import Kind
from venire.server.court.court import Court
from venire.server.people.person import Role
from venire.words.language import FOLDER

READ = ("/", "/judges", "/runs", "/queue", "/audit", "/cells/leaderboard.alder-1.score")
PAGES = files("venire.server.pages")


def page_texts(language: str) -> dict[str, str]:
    texts = json.loads((FOLDER / f"{language}.json").read_text("utf-8"))
    return {code.removeprefix("pages."): text for code, text in texts.items() if code.startswith("pages.")}


ENGLISH, CHINESE = page_texts("en"), page_texts("zh")
USED = re.compile(r"""["']pages\.([a-z_.0-9-]+)["']""")
BUILT = {
    *(f"role.{role}" for role in Role),
    *(f"outcome.{outcome}" for outcome in Outcome),
    *(f"status.{status}" for status in Status),
    *(f"kind.{kind}" for kind in Kind),
    *(f"nav.{name}" for name in ("vote", "dashboard", "runs", "judges", "queue", "audit", "invitations", "changes")),
    *(f"state.{name}" for name in ("running", "done", "stopped", "failed")),
    *(f"runs.{name}" for name in ("done", "planned", "valid", "invalid", "failed", "cost")),
    *(f"problem.{status}" for status in (403, 404, 429, 503)),
    *(f"judgement.{asked}" for asked in ("by", "again", "reasked")),
    *(f"judgement.level.{level}" for level in ("exact", "whitespace", "nfkc")),
    *(f"login.join_read_{scale}" for scale in ("pairs", "protocol")),
    *(f"vote.{side}" for side in ("first", "second", "neither")),
    *(f"results.agree_{state}" for state in ("good", "middling", "poor")),
    *(f"results.{chart}" for chart in ("chart", "chart_points", "chart_pairs")),
    *(
        f"count.{name}"
        for name in ("samples", "runs", "judgements", "valid", "votes", "voters", "ambiguous", "entries")
    ),
}
"""Keys that are put together from a part of the code and a name."""


def used_keys() -> set[str]:
    sources = [
        file.read_text("utf-8")
        for folder in (PAGES, PAGES.joinpath("templates"))
        for file in folder.iterdir()
        if file.name.endswith((".html", ".py"))
    ]
    return {key for source in sources for key in USED.findall(source) if not key.endswith(".")}


def test_both_languages_have_the_same_texts_with_the_same_arguments() -> None:
    assert ENGLISH.keys() == CHINESE.keys()
    for key, text in ENGLISH.items():
        assert arguments(text) == arguments(CHINESE[key]), key


def arguments(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_pages_use_all_texts_and_no_others() -> None:
    assert used_keys() | BUILT == ENGLISH.keys()


def test_chinese_texts_are_chinese() -> None:
    plain = {key for key, text in CHINESE.items() if not re.search("[\u4e00-\u9fff]", text)}
    assert plain == {"change_language"}


@pytest.mark.parametrize("path", READ)
def test_a_page_allows_only_files_of_this_server_and_carries_no_script_or_style_itself(
    path: str, client: TestClient, court: Court
) -> None:
    answer = client.get(path, headers=as_a(Role.READER, court))
    assert answer.status_code == 200
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src")
    assert not re.search(r'<style|\sstyle=|\son\w+="|<script(?! src="/static/)|(?:src|href)="(?!/|#)', answer.text)
