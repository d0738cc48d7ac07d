"""What holds for every answer."""

from __future__ import annotations

from making_courts import open_bar


def test_every_answer_carries_the_strict_headers(bar):
    for path in ("/api/v1/overview", "/", "/nowhere", "/static/court.css"):
        headers = bar.ask("reader", "GET", path).headers
        assert "default-src 'none'" in headers["content-security-policy"], path
        assert "unsafe" not in headers["content-security-policy"], path
        assert headers["x-content-type-options"] == "nosniff"


def test_a_body_beyond_the_limit_is_refused(tmp_path):
    with open_bar(tmp_path, body_limit_bytes=2000) as bar:
        body = {"item": "x", "vote": 1, "reason": "a" * 3000}

        assert bar.ask("operator", "POST", "/api/v1/votes", json=body).status_code == 413
