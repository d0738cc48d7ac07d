"""Runs the commands of the pages and puts their real output below them.

Run: python docs/refresh_sessions.py [PAGE...]

A page's fenced blocks marked `sh` are run one after another by bash, in a scratch folder that holds a copy of
`examples/`, as if it were a fresh clone. A block marked `text` that follows one directly is its output, standard error
included. Blocks marked `python` that have an output are run too, all of a page by one interpreter. Blocks with
other marks, such as `bash` for commands that need a key, are left alone. What differs from run to run (digests, keys,
times) is masked when outputs are compared, and the scratch folder is shown as /home/you/venire.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from itertools import takewhile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHOWN_FOLDER = "/home/you/venire"
_STEP = re.compile(
    r"^```(?P<mark>sh|python)\n(?P<command>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?", re.DOTALL | re.MULTILINE
)
_PROGRESS = re.compile(r"^\d+ s .*(judged|已评).*$")
_BORDER = "--- the end of a block ---"
_READER = """
import ast, sys, traceback
for _line in sys.stdin:
    try:
        exec(compile(ast.literal_eval(_line), "<page>", "exec"))
    except Exception:
        traceback.print_exc()
    sys.stderr.flush()
    print(sys.argv[1], flush=True)
"""
_VOLATILE = re.compile(r"\b[0-9a-f]{12,}\b|\b\d{4}-\d\d-\d\dT[\d:.]+Z")


def session_pages() -> list[Path]:
    """Return the pages that hold commands to be run; those on files of other tools have a test of their own."""
    pages = [*ROOT.glob("README*.md"), *sorted((ROOT / "docs").rglob("*.md"))]
    pages = [page for page in pages if not page.name.startswith("coming-from-")]
    return [page for page in pages if any(map(_is_run, _STEP.finditer(page.read_text(encoding="utf-8"))))]


def refreshed(text: str, commands: Path | None = None) -> str:
    """Return a page with the output of its commands as it is now; `commands` is a folder to look for them first."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve()
        shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
        with _Interpreter(folder, commands) as python:
            return _STEP.sub(lambda step: _step(step, folder, python, commands) if _is_run(step) else step[0], text)


def masked(text: str) -> str:
    """Return a page with everything that differs from run to run made equal."""
    return _VOLATILE.sub(lambda found: "0" * len(found[0]), text)


def _is_run(step: re.Match[str]) -> bool:
    return step["mark"] == "sh" or step["output"] is not None


class _Interpreter:
    """A Python that keeps what the blocks of a page have defined; it is started by the first of them."""

    def __init__(self, folder: Path, commands: Path | None) -> None:
        self._folder, self._environment = folder, _environment(folder, commands)
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> _Interpreter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.communicate()

    def run(self, block: str) -> str:
        """Return what a block prints, a traceback included."""
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603 - the blocks are those of our own pages
                ["/usr/bin/env", "python3", "-c", _READER, _BORDER],
                cwd=self._folder, env=self._environment,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip
        asked, said = self._process.stdin, self._process.stdout
        assert asked is not None
        assert said is not None
        asked.write(repr(block).encode() + b"\n")
        asked.flush()
        border = f"{_BORDER}\n".encode()
        lines = takewhile(lambda line: line not in (border, b""), iter(said.readline, None))  # b"": it has ended.
        return _shown(b"".join(lines), self._folder)


def _step(step: re.Match[str], folder: Path, python: _Interpreter, commands: Path | None) -> str:
    command = step["command"]
    output = python.run(command) if step["mark"] == "python" else _run(["/bin/bash", "-c", command], folder, commands)
    if step["output"] is None or masked(output) == masked(step["output"]):
        return step[0]
    return f"```{step['mark']}\n{command}```\n\n```text\n{output}```\n"


def _run(command: list[str], folder: Path, commands: Path | None) -> str:
    result = subprocess.run(  # noqa: S603 - the commands are those of our own pages
        ["/usr/bin/env", *command],
        cwd=folder,
        env=_environment(folder, commands),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return _shown(result.stdout, folder)


def _environment(folder: Path, commands: Path | None) -> dict[str, str]:
    first = [str(commands)] if commands else []
    path = os.pathsep.join([*first, str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    home = folder / ".home"
    home.mkdir(exist_ok=True)
    environment = {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", "COLUMNS": "100", "PYTHONUTF8": "1"}
    environment["PYTHONPATH"] = str(ROOT / "src")  # of this clone, wherever the command was installed from
    return environment


def _shown(output: bytes, folder: Path) -> str:
    lines = output.decode().replace(str(folder), SHOWN_FOLDER).splitlines()
    # A slow machine gets lines of progress that a fast one does not.
    return "".join(f"{line.rstrip()}\n" for line in lines if not _PROGRESS.match(line))


def main() -> None:
    """Refresh the named pages, or all."""
    pages = [Path(name).resolve() for name in sys.argv[1:]] or session_pages()
    for page in pages:
        text = page.read_text(encoding="utf-8")
        new = refreshed(text)
        if new != text:
            page.write_text(new, encoding="utf-8")
            sys.stdout.write(f"refreshed {page}\n")


if __name__ == "__main__":
    main()
