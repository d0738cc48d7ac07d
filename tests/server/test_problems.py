"""What is told of errors, and what is not."""

from __future__ import annotations

import logging


def test_an_unexpected_error_tells_nothing_outside_and_no_secret_in_the_log(bar, monkeypatch, caplog):
    async def break_down():
        raise RuntimeError("insides")

    monkeypatch.setattr(bar.court, "overview", break_down)
    with caplog.at_level(logging.DEBUG):
        answer = bar.ask("reader", "GET", "/api/v1/overview")

    assert answer.status_code == 500
    assert "insides" not in answer.text
    assert "insides" in caplog.text
    assert bar.secret("reader") not in caplog.text
