"""Coming in and going out."""

from __future__ import annotations

from making_courts import by_cookie, enter, open_bar
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind


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


def join(bar, link, cookie=""):
    bar.http.cookies.clear()
    headers = {"cookie": f"venire_session={cookie}"} if cookie else {}
    token = {"csrf_token": bar.court.registry.person_of(cookie).csrf_token} if cookie else {}
    return bar.ask("stranger", "POST", "/login", data={"secret": link, "name": " Ada ", **token}, headers=headers)


def test_everybody_comes_in_by_an_open_link_up_to_the_limit_of_an_address(tmp_path):
    with open_bar(tmp_path, jurors_per_address=2) as bar:
        link = bar.court.registry.issue(CredentialKind.OPEN_LINK, Role.JUROR).secret
        first, second = (join(bar, link).cookies["venire_session"] for _ in range(2))
        people = [bar.court.registry.person_of(each) for each in (first, second)]
        refused = join(bar, link)
        again = join(bar, link, second)

        assert people[0].pseudonym != people[1].pseudonym
        assert people[0].name == "Ada"
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 3500
        # A browser that is a juror already is not counted again, and stays the same one.
        assert bar.court.registry.person_of(again.cookies["venire_session"]).pseudonym == people[1].pseudonym
