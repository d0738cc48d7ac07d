"""What the gate keeps out: other hosts and sites, forged forms, floods, and secrets in the wrong places."""

from __future__ import annotations

import socket

import pytest

from making_courts import HOST, by_cookie, enter, open_bar, served
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind

VOTE = "/api/v1/votes/skip"


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
