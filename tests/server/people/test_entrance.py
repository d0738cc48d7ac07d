"""Coming in and going out."""

from __future__ import annotations

from making_courts import by_cookie, enter, open_bar


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


def test_signing_out_with_a_key_leaves_the_key_as_it_is(bar):
    assert bar.ask("reader", "POST", "/logout").status_code == 303
    assert bar.ask("reader", "GET", "/api/v1/me").status_code == 200
