"""A collection on a cluster: workers elsewhere ask the targets, and nothing is asked for twice."""

from __future__ import annotations

from collecting import write_collection
from experiment import served_judge, serving, venire
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger


def test_outputs_are_collected_by_workers_of_a_cluster(tmp_path, postgres, shared_cluster):
    location = postgres.tcp_url(postgres.new_ledger())
    with serving(reply_for=lambda body: f"Heard: {body['messages'][-1]['content']}") as server:
        targets = {"oak": served_judge(server.base_url)}
        config = write_collection(tmp_path, {"targets": targets, "repeats": 3}, ledger=location, ray={"workers": 2})
        asked = ("--quiet", "--engine", "ray", "--address", shared_cluster.address)
        assert venire("collect", config, *asked) == 0
        assert len(server.requests) == 12
        assert venire("collect", config, *asked) == 0
        assert len(server.requests) == 12
    ledger = open_ledger(location, read_only=True)
    texts = {entry.content["text"] for entry in ledger.read(kinds=[Kind.OUTPUT])}
    assert len(list(ledger.read(kinds=[Kind.OUTPUT]))) == 12
    ledger.close()
    assert "Heard: Please tell me: Why is it so?" in texts
    assert venire("audit", location) == 0
