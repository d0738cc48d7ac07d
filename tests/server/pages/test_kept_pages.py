"""What pages show stays, line by line: words, numbers, links and fields of forms, in the order in which they are read.

What is behind each number is held by tests of its own; here a change anywhere on the way to a page is seen.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from courthouse import as_a
from golden_values import assert_as_kept
from making_courts import open_bar
from venire.server.people.person import Role

PAGES = {
    "dashboard": ("reader", "/"),
    "judges": ("reader", "/judges"),
    "item": ("reader", "/items?output=q1&prompt=funny"),
    "queue": ("reader", "/queue"),
    "queue_of_a_curator": ("curator", "/queue"),
    "runs": ("reader", "/runs"),
    "run": ("reader", "/runs/{run}"),
    "audit": ("operator", "/audit"),
    "cell": ("reader", "/cells/leaderboard.alder-1.score"),
    "cell_of_cost": ("reader", "/cells/cost.oak.requests"),
    "unknown_cell": ("reader", "/cells/nothing.here"),
    "judgement": ("reader", "/judgements/{key}"),
    "outputs": ("reader", "/outputs"),
    "outputs_filtered": ("curator", "/outputs?order=disputed&model=birch-2&q=answer"),
    "outputs_without_any": ("reader", "/outputs?model=nobody"),
    "output": ("curator", "/outputs/{output}"),
    "beside": ("reader", "/outputs/{output}/beside"),
    "changes": ("reader", "/changes"),
    "live_outputs": ("reader", "/outputs-live"),
    "live_run": ("reader", "/runs/{run}/live"),
    "login": ("stranger", "/login"),
    "invitations": ("operator", "/invitations"),
    "invitations_after": ("operator", "/invitations?done=freed"),
    "invitations_refused": ("reader", "/invitations"),
    "home_of_a_juror": ("juror", "/"),
    "unknown_page": ("reader", "/nothing"),
}
"""Whose page it is, and its address."""
CHANGING = (
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ][\d:.]+)?(?:Z|\+00:00)?|\b\d+(?:\.\d+)? (?:s|ms)\b"), "…"),
    (re.compile(r"(?<=entry[= ])\d+"), "…"),
    (re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,64}\b"), "…"),
    (re.compile(r"\b(juror|curator|operator|reader)-[\w-]+"), r"\1-…"),
)
"""Moments, numbers of entries, digests and people, which differ from run to run."""
SILENT = {"script", "style", "svg"}
VOID = {"br", "hr", "img", "input", "link", "meta", "path", "rect", "wbr"}
SHOWN = ("id", "href", "action", "method", "name", "value", "type", "placeholder", "title", "aria-label", "lang")
INLINE = {"a", "abbr", "b", "code", "em", "i", "mark", "small", "span", "strong", "sub", "sup", "td", "th"}


class Lines(HTMLParser):
    """Reads a page as lines of text, with the marks of what one can follow or fill in."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = [""]
        self._silent = 0

    def handle_starttag(self, tag, attrs):
        self._silent += tag in SILENT
        if self._silent:
            return
        told = " ".join(f"{name}={value}" for name, value in attrs if name in SHOWN)
        if tag not in INLINE:
            self.lines.append("")
        if told:
            self.lines[-1] += f"<{tag} {told}>"

    def handle_endtag(self, tag):
        self._silent -= tag in SILENT
        self.lines[-1] += " "

    def handle_data(self, data):
        if not self._silent:
            self.lines[-1] += data


def lines_of(page):
    """Give what a page shows, without what stands above and below on all of them."""
    reader = Lines()
    reader.feed(page.partition("<main")[2] or page)
    lines = [" ".join(line.split()) for line in reader.lines]
    return "".join(f"{line}\n" for line in lines if line)


@pytest.fixture(scope="module", name="names")
def names_of_what_there_is(client, court):
    """Give the names in addresses that differ from run to run."""
    reader = as_a(Role.READER, court)
    judgements = client.get("/api/v1/judgements?limit=500", headers=reader).json()["items"]
    first = min(judgements, key=lambda each: (each["sample"], each["judge"]))
    run = client.get("/api/v1/runs", headers=reader).json()["items"][0]["run"]
    output = re.findall(r'href="/outputs/([^"?/]+)', client.get("/outputs?order=recorded", headers=reader).text)[0]
    return {"key": first["key"], "run": run, "output": output}


def kept(answer):
    text = f"{answer.status_code} {answer.headers.get('location', answer.headers.get('content-type'))}\n"
    text += lines_of(answer.text)
    for pattern, instead in CHANGING:
        text = pattern.sub(instead, text)
    return text


@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_shows_stays(name, client, court, names):
    who, address = PAGES[name]
    headers = {} if who == "stranger" else as_a(Role(who), court)
    answer = client.get(address.format(**names), headers=headers, follow_redirects=False)
    assert_as_kept(f"pages/{name}.txt", kept(answer))


FORMS = (
    ("juror", "/login", {"secret": "wrong"}),
    ("juror", "/vote", None),
    ("juror", "/vote", {"vote": "1"}),
    ("juror", "/vote", {"item": "{item}", "action": "cast", "vote": "7", "reason": "why"}),
    ("juror", "/vote", {"item": "{item}", "action": "skip"}),
    ("juror", "/vote", {"item": "{item}", "action": "cast", "vote": "1", "reason": "good"}),
    ("juror", "/vote", None),
    ("juror", "/vote/undo", {}),
    ("juror", "/vote", None),
    ("juror", "/language/zh?back=/vote", None),
    ("juror", "/queue", None),
    ("curator", "/queue", None),
    ("curator", "/queue", {"inference_id": "nobody", "outcome": "accept"}),
    ("curator", "/outputs", None),
    ("operator", "/invitations", {"invitation": "nothing"}),
    ("reader", "/queue", {"inference_id": "nobody", "outcome": "accept"}),
)
"""Who asks for an address, and what is filled in where a form is sent."""


def test_what_forms_answer_stays(tmp_path):
    told = []
    with open_bar(tmp_path, samples=1) as bar:
        given = {}
        for who, address, form in FORMS:
            headers = {"accept": "text/html"}
            if form is None:
                answer = bar.ask(who, "GET", address, headers=headers)
            else:
                filled = {name: value.format(**given) for name, value in form.items()}
                answer = bar.ask(who, "POST", address, headers=headers, data=filled)
            given |= dict(re.findall(r'name="(\w+)" value="([^"]*)"', answer.text))
            told.append(f"{who} {address} {form}\n{kept(answer)}")
    assert_as_kept("pages/forms.txt", "\n".join(told))


@pytest.mark.parametrize("scale", ["five", "unit"])
def test_what_a_juror_is_asked_stays(scale, tmp_path):
    with open_bar(tmp_path, samples=1, vote_scale=scale) as bar:
        asked = bar.ask("juror", "GET", "/vote", headers={"accept": "text/html"})
    assert_as_kept(f"pages/vote_{scale}.txt", kept(asked))
