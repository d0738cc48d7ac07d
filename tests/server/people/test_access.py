"""What the gate keeps out: other hosts and sites, forged forms, floods, and secrets in the wrong places."""

from __future__ import annotations

import logging
import socket
from datetime import timedelta

import pytest

from making_courts import HOST, Clock, open_bar, options_for, served
from venire.errors import ConfigError
from venire.server.court.court import Court
from venire.server.options import RateLimit
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind, Registry
from venire.server.serve import check_exposure

VOTE = "/api/v1/votes/skip"


@pytest.fixture
def bar(tmp_path):
    with open_bar(tmp_path) as opened:
        yield opened


def enter(bar, role="juror"):
    """Log in as a browser does; return its cookie and its token."""
    answer = bar.ask("stranger", "POST", "/login", data={"secret": bar.secret(role)})
    secret = answer.cookies["venire_session"]
    bar.http.cookies.clear()
    return secret, bar.court.registry.person_of(secret).csrf_token, answer


def by_cookie(bar, method, path, cookie, headers=None, **terms):
    said = {"host": HOST, "cookie": f"venire_session={cookie}", **(headers or {})}
    return bar.http.request(method, path, headers=said, follow_redirects=False, **terms)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:1", "", "127.0.0.1:8600.evil.example"])
def test_requests_for_another_host_are_refused(bar, host):
    for path in ("/api/v1/overview", "/"):
        answer = bar.ask("reader", "GET", path, headers={"host": host, "accept": "text/html"})
        assert answer.status_code == 400


def test_the_public_address_is_a_host_too(tmp_path):
    with open_bar(tmp_path, public_url="https://jury.example") as bar:
        assert bar.ask("reader", "GET", "/api/v1/overview", headers={"host": "jury.example"}).status_code == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:8600.evil.example"])
def test_a_page_of_another_site_cannot_write(bar, origin):
    cookie, token, _ = enter(bar)
    said = {"origin": origin, "x-csrf-token": token}

    assert by_cookie(bar, "POST", VOTE, cookie, said, json={"item": "x"}).status_code == 403


def test_a_request_that_the_browser_calls_cross_site_cannot_write(bar):
    cookie, token, _ = enter(bar)
    said = {"sec-fetch-site": "cross-site", "x-csrf-token": token}

    assert by_cookie(bar, "POST", VOTE, cookie, said, json={"item": "x"}).status_code == 403


def test_a_session_writes_with_its_token_only(bar):
    cookie, token, _ = enter(bar)
    said = {"origin": f"http://{HOST}"}

    assert by_cookie(bar, "POST", VOTE, cookie, said, json={"item": "x"}).status_code == 403
    assert (
        by_cookie(bar, "POST", VOTE, cookie, {**said, "x-csrf-token": "0" * 40}, json={"item": "x"}).status_code == 403
    )
    assert by_cookie(bar, "POST", VOTE, cookie, {**said, "x-csrf-token": token}, json={"item": "x"}).status_code == 404


@pytest.mark.parametrize("token", [None, "", "0" * 40])
def test_a_key_in_the_cookie_is_no_session(bar, token):
    said = {"origin": f"http://{HOST}"} | ({} if token is None else {"x-csrf-token": token})
    key = bar.secret("operator")

    assert by_cookie(bar, "GET", "/api/v1/me", key).status_code == 401
    assert by_cookie(bar, "POST", "/api/v1/votes", key, said, json={"item": "x", "vote": 1}).status_code == 401


def test_an_empty_token_opens_no_form(bar):
    cookie, _, _ = enter(bar)

    assert by_cookie(bar, "POST", VOTE, cookie, {"x-csrf-token": ""}, json={"item": "x"}).status_code == 403
    assert by_cookie(bar, "POST", "/vote", cookie, data={"item": "x", "csrf_token": ""}).status_code == 403


def test_a_form_sends_the_token_in_a_field(bar):
    cookie, token, _ = enter(bar)

    assert by_cookie(bar, "POST", "/vote", cookie, data={"item": "x"}).status_code == 403
    assert by_cookie(bar, "POST", "/vote", cookie, data={"item": "x", "csrf_token": token}).status_code == 400


def test_the_token_of_another_session_does_not_do(bar):
    cookie, _, _ = enter(bar)
    _, other, _ = enter(bar)

    assert by_cookie(bar, "POST", VOTE, cookie, {"x-csrf-token": other}, json={"item": "x"}).status_code == 403


def test_the_session_cookie_is_out_of_reach_of_scripts_and_other_sites(bar):
    _, _, answer = enter(bar)
    said = answer.headers["set-cookie"].lower()

    assert "httponly" in said
    assert "samesite=lax" in said
    assert "secure" not in said


def test_behind_https_the_cookie_is_secure(tmp_path):
    with open_bar(tmp_path, public_url="https://jury.example") as bar:
        assert "secure" in enter(bar)[2].headers["set-cookie"].lower()


def test_signing_out_ends_the_session(bar):
    cookie, token, _ = enter(bar)

    assert by_cookie(bar, "POST", "/logout", cookie, {"x-csrf-token": token}).status_code == 303
    assert by_cookie(bar, "GET", "/api/v1/me", cookie).status_code == 401


def test_a_wrong_secret_opens_nothing(bar):
    answer = bar.ask("stranger", "POST", "/login", data={"secret": "vk_guess"})

    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


def test_revoking_an_invitation_ends_its_sessions(bar):
    cookie, _, _ = enter(bar)
    invitation = bar.court.registry.person_of(bar.secret("juror")).credential

    assert bar.ask("operator", "DELETE", f"/api/v1/credentials/{invitation}").status_code == 204
    assert by_cookie(bar, "GET", "/api/v1/me", cookie).status_code == 401


def test_an_invitation_expires(tmp_path):
    clock = Clock()
    registry = Registry(tmp_path / "people", clock)
    issued = registry.issue(CredentialKind.INVITATION, Role.JUROR, lifetime=timedelta(days=7))
    clock.advance(days=8)

    assert registry.open_session(issued.secret, timedelta(hours=1)) is None
    assert registry.person_of(issued.secret) is None


def test_a_session_does_not_outlive_the_invitation_that_it_came_from(tmp_path):
    clock = Clock()
    registry = Registry(tmp_path / "people", clock)
    issued = registry.issue(CredentialKind.INVITATION, Role.JUROR, lifetime=timedelta(hours=1))
    session = registry.open_session(issued.secret, timedelta(hours=12))
    clock.advance(minutes=61)

    assert session.credential.expires_at == issued.credential.expires_at
    assert registry.person_of(session.secret) is None


def test_signing_out_with_a_key_leaves_the_key_as_it_is(bar):
    assert bar.ask("reader", "POST", "/logout").status_code == 303
    assert bar.ask("reader", "GET", "/api/v1/me").status_code == 200


def test_every_answer_carries_the_strict_headers(bar):
    for path in ("/api/v1/overview", "/", "/nowhere", "/static/court.css"):
        headers = bar.ask("reader", "GET", path).headers
        assert "default-src 'none'" in headers["content-security-policy"], path
        assert "unsafe" not in headers["content-security-policy"], path
        assert headers["x-content-type-options"] == "nosniff"


def test_a_limit_is_a_persons_however_many_sessions_there_are(tmp_path):
    with open_bar(tmp_path, rate_limit=RateLimit(per_second=0.001, burst=8)) as bar:
        cookies = [enter(bar, "reader")[0] for _ in range(4)]

        answers = [by_cookie(bar, "GET", "/api/v1/me", cookie).status_code for cookie in cookies for _ in range(3)]

        assert answers.count(200) == 8


def test_a_request_that_can_be_read_in_two_ways_is_refused(tmp_path):
    with served(tmp_path) as (court, address):
        host = address.removeprefix("http://")
        key = court.registry.issue(CredentialKind.KEY, Role.READER).secret
        plain = [f"Host: {host}", f"Authorization: Bearer {key}", "Content-Length: 0", "Connection: close"]
        odd = ["Authorization: Bearer vk_other", "Transfer-Encoding: chunked"]

        answers = []
        for more in ([], *([each] for each in odd)):
            with socket.create_connection(host.split(":"), timeout=60) as connection:
                head = "\r\n".join(["GET /api/v1/me HTTP/1.1", *plain, *more])
                connection.sendall(f"{head}\r\n\r\n".encode() + (b"0\r\n\r\n" if more == odd[1:] else b""))
                answers.append(connection.recv(100).split()[1])

    assert answers == [b"200", b"400", b"400"]


@pytest.mark.parametrize("vote", ['"1"', "true", '"yes"', "null", "[1]"])
def test_a_vote_is_a_number_and_not_a_text_that_looks_like_one(bar, vote):
    item = bar.ask("juror", "GET", "/api/v1/docket").json()["ballot"]["item"]
    body = f'{{"item": "{item}", "vote": {vote}}}'
    headers = {"content-type": "application/json"}

    for path, sent in (("/api/v1/votes", body), ("/api/v1/votes/batch", f'{{"votes": [{body}]}}')):
        answer = bar.ask("juror", "POST", path, headers=headers, content=sent)
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["key"].endswith("vote")
    assert bar.court.state.tally.votes == 0


@pytest.mark.parametrize("body", ["[" * 100_000, '{"a":' * 100_000, '{"item": 1', "\x00", '{"item": "\xff"}'])
def test_json_of_any_depth_or_shape_is_a_bad_request(bar, body):
    headers = {"content-type": "application/json"}
    for who, path in (("juror", "/api/v1/votes"), ("reader", "/api/v1/evaluate"), ("operator", "/api/v1/invitations")):
        answer = bar.ask(who, "POST", path, headers=headers, content=body.encode("latin-1"))
        assert answer.status_code == 400, path


def test_who_asks_too_often_is_told_to_wait(tmp_path):
    with open_bar(tmp_path, rate_limit=RateLimit(per_second=0.001, burst=3)) as bar:
        answers = [bar.ask("reader", "GET", "/api/v1/me") for _ in range(4)]

        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert int(answers[3].headers["retry-after"]) > 1
        assert bar.ask("curator", "GET", "/api/v1/me").status_code == 200


def test_a_body_beyond_the_limit_is_refused(tmp_path):
    with open_bar(tmp_path, body_limit_bytes=2000) as bar:
        body = {"item": "x", "vote": 1, "reason": "a" * 3000}

        assert bar.ask("operator", "POST", "/api/v1/votes", json=body).status_code == 413


def test_secrets_are_kept_as_digests_only(bar, tmp_path):
    enter(bar)
    bar.court.registry.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("people.sqlite*"))

    assert bar.secret("juror").encode() not in kept
    assert bar.secret("juror").removeprefix("vi_").encode() not in kept


def test_a_key_is_256_random_bits(bar):
    import base64

    assert len(base64.urlsafe_b64decode(bar.secret("reader").removeprefix("vk_") + "=")) == 32


def test_an_unexpected_error_tells_nothing_outside_and_no_secret_in_the_log(bar, monkeypatch, caplog):
    async def break_down():
        raise RuntimeError("insides")

    monkeypatch.setattr(bar.court, "overview", break_down)
    with caplog.at_level(logging.DEBUG):
        answer = bar.ask("reader", "GET", "/api/v1/overview")

    assert answer.status_code == 500
    assert "insides" not in answer.text
    assert "insides" in caplog.text
    assert bar.secret("reader") not in caplog.text


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::"])
def test_listening_to_others_without_a_key_is_refused_with_an_explanation(tmp_path, host):
    options = options_for(tmp_path, host=host)
    court = Court(options)

    with pytest.raises(ConfigError, match="nobody has a key") as refused:
        check_exposure(options, court)
    assert "venire keys create" in refused.value.hint

    court.registry.issue(CredentialKind.KEY, Role.OPERATOR)
    check_exposure(options, court)
    court.state.ledger.close()
    court.registry.close()


def test_loopback_needs_no_key(tmp_path):
    options = options_for(tmp_path, host="127.0.0.1")
    court = Court(options)
    check_exposure(options, court)
    court.state.ledger.close()
    court.registry.close()
