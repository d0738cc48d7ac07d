"""Every route before everybody: who may use it, and who may not."""

from __future__ import annotations

import pytest
from litestar.routes import HTTPRoute

from making_courts import open_bar

READERS = {"reader", "curator", "operator"}
EVERYONE = {"juror", *READERS}
PUBLIC = {"stranger", *EVERYONE}
WHO = ("stranger", "juror", "reader", "curator", "operator")

ALLOWED = {
    ("GET", "/api/v1/health"): PUBLIC,
    ("GET", "/api/v1/ready"): PUBLIC,
    ("GET", "/api/v1/me"): EVERYONE,
    ("GET", "/api/v1/prompt"): EVERYONE,
    ("GET", "/api/v1/overview"): READERS,
    ("GET", "/api/v1/invitations"): {"curator", "operator"},
    ("POST", "/api/v1/invitations/{invitation:str}/free"): {"curator", "operator"},
    ("GET", "/invitations"): {"curator", "operator"},
    ("POST", "/invitations"): {"curator", "operator"},
    ("GET", "/api/v1/samples"): READERS,
    ("GET", "/api/v1/samples/{digest:str}"): READERS,
    ("GET", "/api/v1/runs"): READERS,
    ("GET", "/api/v1/runs/{run:str}"): READERS,
    ("GET", "/api/v1/runs/{run:str}/events"): READERS,
    ("GET", "/api/v1/judgements"): READERS,
    ("GET", "/api/v1/judgements/{key:str}"): READERS,
    ("GET", "/api/v1/docket"): {"juror"},
    ("POST", "/api/v1/votes"): {"juror", "operator"},
    ("POST", "/api/v1/votes/batch"): {"juror", "operator"},
    ("POST", "/api/v1/votes/undo"): {"juror"},
    ("POST", "/api/v1/votes/skip"): {"juror"},
    ("POST", "/api/v1/votes/judgement"): {"juror"},
    ("GET", "/api/v1/scores"): READERS,
    ("GET", "/api/v1/scores/trail"): READERS,
    ("GET", "/api/v1/queue"): READERS,
    ("POST", "/api/v1/queue/decisions"): {"curator"},
    ("GET", "/api/v1/report"): READERS,
    ("GET", "/api/v1/report/trace"): READERS,
    ("GET", "/api/v1/audit"): READERS,
    ("GET", "/api/v1/audit/entries"): READERS,
    ("GET", "/api/v1/checkpoint"): READERS,
    ("POST", "/api/v1/checkpoint"): {"operator"},
    ("GET", "/api/v1/proof/{sequence:int}"): READERS,
    ("POST", "/api/v1/evaluate"): READERS,
    ("POST", "/api/v1/verdict/histogram"): READERS,
    ("POST", "/api/v1/verdict/completeness"): READERS,
    ("POST", "/api/v1/verdict/population-confidence"): READERS,
    ("POST", "/api/v1/verdict/majority-good"): READERS,
    ("POST", "/api/v1/verdict/votes-distribution"): READERS,
    ("GET", "/api/v1/credentials"): {"operator"},
    ("POST", "/api/v1/invitations"): {"operator"},
    ("DELETE", "/api/v1/credentials/{credential:str}"): {"operator"},
    ("GET", "/api/v1/schema"): PUBLIC,
    ("GET", "/api/v1/schema/openapi.json"): PUBLIC,
    ("GET", "/api/v1/schema/{path:str}"): PUBLIC,
    ("POST", "/login"): PUBLIC,
    ("POST", "/logout"): EVERYONE,
    ("GET", "/"): EVERYONE,
    ("GET", "/login"): PUBLIC,
    ("GET", "/language/{language:str}"): PUBLIC,
    ("GET", "/static/{name:str}"): PUBLIC,
    ("GET", "/vote"): {"juror"},
    ("POST", "/vote"): {"juror"},
    ("POST", "/vote/undo"): {"juror"},
    ("GET", "/items"): READERS,
    ("GET", "/judges"): READERS,
    ("GET", "/queue"): READERS,
    ("POST", "/queue"): {"curator"},
    ("GET", "/cells/{cell_id:str}"): READERS,
    ("GET", "/judgements/{key:path}"): READERS,
    ("GET", "/changes"): READERS,
    ("GET", "/outputs"): READERS,
    ("GET", "/outputs-live"): READERS,
    ("GET", "/outputs/{key:str}"): READERS,
    ("GET", "/outputs/{key:str}/beside"): READERS,
    ("POST", "/outputs/{key:str}/marks"): {"curator", "operator"},
    ("GET", "/runs"): READERS,
    ("GET", "/runs/{run:str}"): READERS,
    ("GET", "/runs/{run:str}/live"): READERS,
    ("GET", "/audit"): READERS,
}
"""The whole table; what is not in it fails the first test."""


@pytest.fixture(scope="module")
def bar(tmp_path_factory):
    with open_bar(tmp_path_factory.mktemp("roles")) as opened:
        yield opened


def routes(bar):
    served = {
        (method, route.path)
        for route in bar.http.app.routes
        if isinstance(route, HTTPRoute)
        for method in route.methods
        if method != "OPTIONS"
    }
    return {(method, path) for method, path in served if method != "HEAD"}


def test_the_table_names_every_route_and_nothing_else(bar):
    assert routes(bar) == set(ALLOWED)


def address(path):
    filled = path
    for part in path.split("/"):
        if part.startswith("{"):
            filled = filled.replace(part, "1" if part.endswith(":int}") else "none")
    return filled


@pytest.mark.parametrize(("method", "path"), sorted(ALLOWED))
@pytest.mark.parametrize("who", WHO)
def test_a_route_lets_in_whom_the_table_names(bar, who, method, path, figures):
    # A key of its own for each call: signing out must not end the others'.
    answer = bar.ask(who, method, address(path), name=f"{who} {method} {path}")

    if who in ALLOWED[method, path]:
        assert answer.status_code not in (401, 403), answer.text
        assert answer.status_code < 500, answer.text
    else:
        assert answer.status_code == (401 if who == "stranger" else 403), answer.text
    figures("routes × roles", calls=1, **{"let_in" if who in ALLOWED[method, path] else "refused": 1})


@pytest.mark.parametrize(("method", "path"), sorted(ALLOWED))
def test_whoever_holds_a_revoked_key_is_a_stranger(bar, method, path, figures):
    secret = bar.secret("operator", f"revoked {method} {path}")
    bar.court.registry.revoke(bar.court.registry.person_of(secret).credential)

    answer = bar.ask("operator", method, address(path), name=f"revoked {method} {path}")

    assert (answer.status_code == 401) == ("stranger" not in ALLOWED[method, path])
    figures("routes × revoked keys", calls=1)


def test_a_route_without_roles_is_for_nobody(bar):
    # The framework itself answers OPTIONS on every route, and names no roles for it.
    assert bar.ask("operator", "OPTIONS", "/api/v1/overview").status_code == 403
