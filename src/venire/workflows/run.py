"""Run a configuration from a script or a notebook, with a plain call."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from venire.config import load_settings
from venire.runner.run import RunResult
from venire.workflows.judge import judge


def run(config: str | Path) -> RunResult:
    """Put the samples of a configuration before its panel and return how it went.

    Goes on where an earlier run has stopped. It may be called where an event loop is running, as in a notebook.
    """
    settings = load_settings(Path(config))
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(judge(settings))
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, judge(settings)).result()
