"""The loop that asynchronous work goes on."""

import asyncio
import sys

import pytest

from venire.event_loop import run_async


async def loop_of_this():
    await asyncio.sleep(0)
    return type(asyncio.get_running_loop()).__module__


@pytest.mark.skipif(sys.platform == "win32", reason="there is no uvloop for Windows")
def test_work_goes_on_uvloop():
    assert run_async(loop_of_this()).partition(".")[0] == "uvloop"


def test_work_goes_on_the_loop_of_python_where_there_is_no_uvloop(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert run_async(loop_of_this()).partition(".")[0] == "asyncio"


def test_errors_come_through():
    async def fail():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run_async(fail())
