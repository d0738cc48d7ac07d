"""The queue over HTTP, page after page."""

from __future__ import annotations


def test_the_next_page_of_the_queue_begins_where_the_last_one_ended(bar):
    for item in ("secretmodel-0", "secretmodel-1", "secretmodel-2"):
        for place, voter in enumerate(("ann", "ben", "cid")):
            body = {"item": item, "vote": place % 2, "voter_id": voter}
            bar.ask("operator", "POST", "/api/v1/votes", json=body)

    first = bar.ask("reader", "GET", "/api/v1/queue?limit=2").json()
    last = bar.ask("reader", "GET", f"/api/v1/queue?limit=2&after={first['next_after']}").json()

    assert (first["total"], first["next_after"], last["next_after"]) == (3, 2, None)
    assert len({item["inference_id"] for item in first["items"] + last["items"]}) == 3
