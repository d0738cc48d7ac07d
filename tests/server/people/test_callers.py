"""How often each person may call."""

from __future__ import annotations

from making_courts import by_cookie, enter, open_bar
from venire.server.options import RateLimit


def test_a_limit_is_a_persons_however_many_sessions_there_are(tmp_path):
    with open_bar(tmp_path, rate_limit=RateLimit(per_second=0.001, burst=8)) as bar:
        cookies = [enter(bar, "reader")[0] for _ in range(4)]

        answers = [by_cookie(bar, "GET", "/api/v1/me", cookie).status_code for cookie in cookies for _ in range(3)]

        assert answers.count(200) == 8


def test_who_asks_too_often_is_told_to_wait(tmp_path):
    with open_bar(tmp_path, rate_limit=RateLimit(per_second=0.001, burst=3)) as bar:
        answers = [bar.ask("reader", "GET", "/api/v1/me") for _ in range(4)]

        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert int(answers[3].headers["retry-after"]) > 1
        assert bar.ask("curator", "GET", "/api/v1/me").status_code == 200
