"""Functions as targets: where they are found, and what becomes of one that raises, hangs or is not there."""

import asyncio

import pytest

from venire.domain.output import Case, OutputPlace, PlannedOutput, PromptText
from venire.errors import ConfigError
from venire.judges.provider import Decoding, Request
from venire.targets.python_function import PythonOptions, create, function_file

REQUEST = Request(
    "", "", "Hi", Decoding(), {}, may_be_empty=True,
    planned=PlannedOutput(OutputPlace("q1-a-bot", "q1", "a", "bot"), Case("q1"), PromptText("", ("Hi",))),
)  # fmt: skip
SOURCE = """
import asyncio
not_callable = 7
def plain(request):
    return "plain " + request["prompt"]
async def later(request):
    return "later " + request["prompt"]
def returning_a_coroutine(request):
    return later(request)
def raising(request):
    raise ValueError("x" * 600)
async def hanging(request):
    await asyncio.Event().wait()
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.path", ["."])
    (tmp_path / "bot_of_functions.py").write_text(SOURCE)
    return tmp_path


def ask(folder, name, **options):
    provider = create({"function": f"bot_of_functions:{name}", "folder": str(folder), **options})
    return asyncio.run(provider.ask(REQUEST))


@pytest.mark.parametrize(
    ("name", "said"), [("plain", "plain Hi"), ("later", "later Hi"), ("returning_a_coroutine", "later Hi")]
)
def test_functions_of_all_kinds_answer(folder, name, said):
    reply = ask(folder, name)
    assert (reply.text, reply.error) == (said, None)
    assert reply.latency_seconds > 0


def test_what_a_function_raises_is_a_failure_in_its_own_words_cut_short(folder):
    reply = ask(folder, "raising")
    assert (reply.text, reply.error_kind) == (None, "server")
    assert reply.error.code == "error.target.raised"
    assert reply.error.values["error"] == f"ValueError: {'x' * 488}"
    assert reply.latency_seconds > 0


def test_a_function_that_hangs_ends_at_its_limit(folder):
    reply = ask(folder, "hanging", timeout_seconds=0.01)
    assert (reply.text, reply.error_kind) == (None, "timeout")
    assert reply.error.code == "error.target.timeout"
    assert reply.error.values["seconds"] == 0.01
    assert reply.latency_seconds > 0
    assert PythonOptions(function="a:b").timeout_seconds == 120


@pytest.mark.parametrize(
    ("place", "code"),
    [("bot_of_functions", "error.target.function_place"), (":plain", "error.target.function_place"),
     ("bot_of_functions:", "error.target.function_place"), ("bot_of_functions:missing", "error.target.no_function"),
     ("bot_of_functions:not_callable", "error.target.no_function"), ("no_such_bot:plain", "error.target.module")],
)  # fmt: skip
def test_a_function_that_is_not_there_is_refused_at_once(folder, place, code):
    with pytest.raises(ConfigError) as caught:
        create({"function": place, "folder": str(folder)})
    assert caught.value.message.code == code


def test_a_module_that_raises_when_it_is_imported_says_why(folder):
    (folder / "broken_bot.py").write_text("raise KeyError('gone')")
    with pytest.raises(ConfigError) as caught:
        create({"function": "broken_bot:plain", "folder": str(folder)})
    assert caught.value.values == {"module": "broken_bot", "reason": "KeyError: 'gone'", "folder": str(folder)}


def test_a_module_is_read_anew_and_a_package_is_found_too(folder):
    (folder / "pack").mkdir()
    (folder / "pack" / "__init__.py").write_text("def f(request):\n    return 'one'\n")
    assert function_file("pack:f", str(folder)) == folder / "pack" / "__init__.py"
    assert function_file("bot_of_functions:f", str(folder)) == folder / "bot_of_functions.py"
    assert function_file("json:loads", str(folder)) is None
    for text in ("first", "second"):
        (folder / "bot_of_functions.py").write_text(f"def plain(request):\n    return '{text}'\n")
        assert ask(folder, "plain").text == text


def test_the_folder_comes_first_among_the_places_of_modules_and_once(folder):
    import sys

    ask(folder, "plain")
    ask(folder, "plain")
    assert sys.path == [str(folder), "."]
