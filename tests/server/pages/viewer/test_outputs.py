"""The pages of outputs in a court: for readers, from the numbers of the report, and not for jurors."""

import re
from html import unescape

import pytest

from courthouse import as_a
from venire.server.people.person import Role


@pytest.fixture(scope="module")
def cells(client, court) -> list[str]:
    """The addresses of some numbers of the report."""
    page = client.get("/", headers=as_a(Role.READER, court)).text
    return list(dict.fromkeys(re.findall(r'href="(/cells/leaderboard\.[^"]+)"', page)))[:4]


def test_a_number_of_the_report_opens_the_outputs_behind_it(client, court, cells):
    reader = as_a(Role.READER, court)
    assert cells
    for cell in cells:
        link = re.search(r'id="outputs" href="([^"]+)"', client.get(cell, headers=reader).text)
        page = client.get(unescape(link.group(1)), headers=reader)
        shown = re.findall(r'<span class="soft">((?:alder|birch|yew)-\d)</span>', page.text)
        model = re.search(r"alder-1|birch-2|yew-9", cell).group()
        assert shown
        assert set(shown) == {model}


def test_a_number_on_requests_says_how_many_outputs_it_opens_and_which(client, court):
    reader = as_a(Role.READER, court)
    page = client.get("/cells/cost.oak.requests", headers=reader).text
    assert "names no output" in page
    address, count = re.search(r'id="outputs" href="([^"]+)">See (\d+) outputs? behind', page).groups()
    listed = client.get(unescape(address), headers=reader).text
    assert f'id="total">{count} output' in listed


@pytest.mark.parametrize("path", ["/outputs", "/outputs/x", "/outputs/x/beside", "/outputs-live"])
def test_jurors_see_none_of_it(client, court, path):
    assert client.get(path, headers=as_a(Role.JUROR, court)).status_code == 403


def test_curators_mark_under_their_pseudonym_and_readers_do_not(client, court):
    curator, reader = as_a(Role.CURATOR, court), as_a(Role.READER, court)
    page = client.get("/outputs", headers=curator).text
    key = re.search(r'data-key="(\w+)"', page).group(1)
    assert client.post(f"/outputs/{key}/marks", headers=reader, data={"remark": "wrong"}).status_code == 403
    shown = client.post(f"/outputs/{key}/marks", headers=curator, data={"remark": "wrong", "text": "No line 1."})
    assert "No line 1." in client.get(f"/outputs/{key}", headers=reader).text
    assert shown.status_code == 200
    assert "/marks" not in client.get("/outputs", headers=reader).text
