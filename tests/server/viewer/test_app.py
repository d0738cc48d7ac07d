"""The viewer's own server: for whoever has the address, on this machine, and nobody else."""

import re
import shutil
from pathlib import Path

import pytest

from experiment import venire
from foreign_files import foreign
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.server.viewer.app import listen_on_loopback
from viewing import viewing


def csrf_of(page: str) -> str:
    return re.search(r'name="csrf_token" value="([^"]+)"', page).group(1)


def test_nobody_sees_anything_without_the_token(judged):
    with viewing(judged) as (client, _):
        for address in ("/", "/outputs", "/outputs-live", "/outputs/x"):
            assert client.get(address, follow_redirects=False).status_code == 401
        assert client.get("/open/guessed", follow_redirects=False).status_code == 401
        assert client.get("/outputs").status_code == 401


def test_the_address_lets_a_browser_in_and_the_token_leaves_the_address(judged):
    with viewing(judged) as (client, reader):
        page = client.get(f"/open/{reader.token}")
        assert (page.status_code, page.url.path) == (200, "/outputs")
        assert "q1 · conflict" in page.text
        assert reader.token not in page.text


def test_a_site_that_points_its_name_to_this_machine_is_refused(judged):
    with viewing(judged) as (client, reader):
        client.get(f"/open/{reader.token}")
        assert client.get("/outputs", headers={"host": "evil.example:8777"}).status_code == 400


def test_only_this_machine_is_listened_to():
    with listen_on_loopback() as listening:
        assert listening.getsockname()[0] == "127.0.0.1"


def test_an_output_under_two_protocols_says_which(judged, tmp_path):
    ledger = tmp_path / "imported.sqlite"
    assert venire("import", foreign("promptfoo-museum.json"), "--ledger", ledger) == 0
    with viewing(ledger) as (client, reader):
        page = client.get(f"/open/{reader.token}").text
        listed = re.search(r'<ol id="list".*?</ol>', page, re.DOTALL).group()
        assert len(re.findall('data-key="', listed)) == 20
        assert len(re.findall(r'<span class="soft">promptfoo/(?:answers|icontains)</span>', listed)) == 16
        assert re.search(r">promptfoo/answers · 8</option>", page)
        assert "judged under promptfoo/icontains" in page
        key = re.search(r'data-key="(\w+)"', listed).group(1)
        assert "promptfoo/answers" in client.get(f"/outputs/{key}/beside").text
    with viewing(judged) as (client, reader):
        assert "judged under" not in client.get(f"/open/{reader.token}").text


def test_looking_changes_nothing(judged, tmp_path):
    path = Path(shutil.copy(judged, tmp_path / "ledger.sqlite"))
    before = path.read_bytes()
    with viewing(path) as (client, reader):
        page = client.get(f"/open/{reader.token}")
        key = re.search(r'data-key="(\w+)"', page.text).group(1)
        assert "/marks" not in page.text
        assert client.post(f"/outputs/{key}/marks", data={"remark": "wrong"}).status_code == 403
    assert path.read_bytes() == before


def test_a_mark_is_recorded_under_the_name_that_was_given(judged, tmp_path):
    path = Path(shutil.copy(judged, tmp_path / "ledger.sqlite"))
    with viewing(path, "ann") as (client, reader):
        page = client.get(f"/open/{reader.token}")
        key = re.search(r'data-key="(\w+)"', page.text).group(1)
        form = {"remark": "look_again", "text": "Too harsh?", "csrf_token": csrf_of(page.text)}
        assert client.post(f"/outputs/{key}/marks", data=form | {"csrf_token": "guessed"}).status_code == 403
        shown = client.post(f"/outputs/{key}/marks", data=form)
        assert shown.status_code == 200
        assert "Too harsh?" in shown.text
        assert "Too harsh?" in client.get(f"/outputs/{key}").text
    ledger = open_ledger(str(path), read_only=True)
    [entry] = ledger.read(kinds=[Kind.NOTE])
    ledger.close()
    assert (entry.content["mark"]["author"], entry.content["mark"]["remark"]) == ("ann", "look_again")


def test_a_note_without_words_is_not_recorded(judged, tmp_path):
    path = Path(shutil.copy(judged, tmp_path / "ledger.sqlite"))
    with viewing(path, "ann") as (client, reader):
        page = client.get(f"/open/{reader.token}")
        key = re.search(r'data-key="(\w+)"', page.text).group(1)
        client.post(f"/outputs/{key}/marks", data={"remark": "note", "text": " ", "csrf_token": csrf_of(page.text)})
    ledger = open_ledger(str(path), read_only=True)
    assert list(ledger.read(kinds=[Kind.NOTE])) == []
    ledger.close()


@pytest.mark.parametrize("query", ["?first=999999999999", "?order=best&only=nonsense", "?f.trigger=implicit", "?q=%00"])
def test_odd_addresses_give_a_page(judged, query):
    with viewing(judged) as (client, reader):
        client.get(f"/open/{reader.token}")
        assert client.get(f"/outputs{query}").status_code == 200


def test_an_output_that_is_not_there_is_said_so(judged):
    with viewing(judged) as (client, reader):
        client.get(f"/open/{reader.token}")
        assert client.get("/outputs/nobody").status_code == 404


def test_hostile_outputs_stay_text(judged):
    with viewing(judged) as (client, reader):
        client.get(f"/open/{reader.token}")
        page = client.get("/outputs?model=yew-9&q=hostile-script").text
        assert "<script>window.pwned" not in page
        assert "&lt;script&gt;window.pwned" in page


def test_a_table_has_no_page_of_runs_and_a_ledger_has(judged, tmp_path):
    table = tmp_path / "scores.csv"
    table.write_text("output_id,judge,score\na,oak,2\na,elm,4\n", "utf-8")
    for path, has_runs in ((table, False), (judged, True)):
        with viewing(path) as (client, reader):
            page = client.get(f"/open/{reader.token}").text
            assert ('href="/changes"' in page) is has_runs
