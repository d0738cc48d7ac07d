"""The report over HTTP, and the way from its numbers to judgements."""

from __future__ import annotations

import json

import pytest

from making_courts import write_samples


def test_a_report_leads_to_judgements_and_their_quotes(demo):
    _, http, _ = demo
    report = http.get("/api/v1/report").json()
    cells = [cell["id"] for section in report["sections"] for table in section.get("tables", ())
             for row in table["rows"] for cell in row["cells"] if cell["rows"]["among"] == "counted"]  # fmt: skip

    found = http.get("/api/v1/report/trace", params={"cell": cells[0], "limit": 2}).json()

    assert len(found["judgements"]) == 2
    key = found["judgements"][0]["line"]["judgement"]
    view = http.get(f"/api/v1/judgements/{key}").json()
    quotes = [each for each in view["judgement"]["evidence"] if each.get("start") is not None]
    assert quotes
    assert all(view["text"][each["start"] : each["end"]] for each in quotes)
    assert [link["kind"] for link in view["trail"]].count("judgement") == 1
    assert http.get("/api/v1/report/trace", params={"cell": "no such cell"}).status_code == 422


@pytest.fixture
def ledger(tmp_path):
    path = str(tmp_path / "ledger.sqlite")
    write_samples(path, 1)
    return path


def test_an_answer_is_json_that_others_can_read(demo):
    assert json.loads(demo[1].get("/api/v1/samples?limit=1").text)["items"][0]["output_id"]
