from __future__ import annotations

import html
import re

from litestar.testing import TestClient

from courthouse import as_a
from making_courts import enter, open_bar
from venire.domain.vote import VoterPrompt
from venire.protocols.voter_prompts import bundled_prompt
from venire.server.court.court import Court
from venire.server.people.person import Role


def test_what_was_filled_in_for_another_output_does_not_come_back(client: TestClient, court: Court) -> None:
    juror = as_a(Role.JUROR, court)
    shown = client.get("/vote", headers=juror).text
    item = re.search(r'name="item" value="([^"]+)"', shown)
    assert item
    for name, expected in ((item[1], True), ("item-0000000000", False)):
        answer = client.post("/vote", headers=juror, data={"item": name, "vote": "", "reason": "Because of its end."})
        assert ("Because of its end." in answer.text) is expected


def test_a_vote_without_a_number_or_on_nothing_is_refused(client: TestClient, court: Court) -> None:
    juror = as_a(Role.JUROR, court)
    shown = client.get("/vote", headers=juror).text
    item = re.search(r'name="item" value="([^"]+)"', shown)
    assert item
    for vote in ("", "2", "nan", "0.3", "-1"):
        assert client.post("/vote", headers=juror, data={"item": item[1], "vote": vote}).status_code == 400
    assert client.post("/vote", headers=juror, data={"item": "none", "vote": "1"}).status_code == 409
    assert client.post("/vote/undo", headers=juror).status_code == 409


def asked(bar, languages: str, **cookies: str) -> str:
    cookie, _, _ = enter(bar)
    said = "; ".join(f"{name}={value}" for name, value in {"venire_session": cookie, **cookies}.items())
    headers = {"host": "127.0.0.1:8600", "cookie": said, "accept-language": languages}
    page = bar.http.get("/vote", headers=headers).text
    return html.unescape(re.search(r'<h1 id="asked">(.*?)</h1>', page)[1])


def test_a_juror_is_asked_in_the_first_language_of_theirs_that_the_question_has(tmp_path) -> None:
    said = {"de": "Hilft das?", "en": "Does it help?", "zh": "有帮助吗？"}
    with open_bar(tmp_path, voter_prompt=VoterPrompt("helps", said["de"], said)) as bar:
        assert asked(bar, "zh-CN,zh;q=0.9,en;q=0.8") == said["zh"]
        assert asked(bar, "en-GB,en;q=0.9,zh;q=0.8") == said["en"]
        assert asked(bar, "fr,de-AT;q=0.5") == said["de"]
        assert asked(bar, "fr") == said["de"]
        assert asked(bar, "zh-CN", language="en") == said["en"]


def test_without_a_question_of_ones_own_jurors_are_asked_in_english_or_chinese(tmp_path) -> None:
    with open_bar(tmp_path, voter_prompt=bundled_prompt("grand-jury-en-zh")) as bar:
        assert asked(bar, "zh-TW") == bundled_prompt("grand-jury-zh").question
        assert asked(bar, "en") == bundled_prompt("grand-jury").question


def guided(bar, language: str) -> str:
    cookie, _, _ = enter(bar)
    headers = {"host": "127.0.0.1:8600", "cookie": f"venire_session={cookie}", "accept-language": language}
    page = bar.http.get("/vote", headers=headers).text
    return html.unescape(re.search(r'<details class="guidance".*?</summary>(.*?)</details>', page, re.DOTALL)[1])


def test_what_0_and_1_mean_is_said_only_where_a_juror_sees_them(tmp_path) -> None:
    prompt = bundled_prompt("grand-jury-en-zh")
    begun = {
        "unit": {"en": "1 means accept, 0 means reject", "zh": "1 表示接受，0 表示拒绝"},
        "five": {"en": "1 means reject, 5 means accept", "zh": "1 表示拒绝，5 表示接受"},
        "yes_no": {"en": "Read the task", "zh": "请先读完任务"},
    }
    for scale, said in begun.items():
        (tmp_path / scale).mkdir()
        with open_bar(tmp_path / scale, voter_prompt=prompt, vote_scale=scale) as bar:
            assert {language: guided(bar, language)[: len(first)] for language, first in said.items()} == said
