"""Runs the commands of the pages and puts their real output below them.

Run: python docs/refresh_sessions.py [PAGE...]

A page's fenced blocks marked `sh` are run one after another by bash, in a scratch folder that holds a copy of
`examples/`, as if it were a fresh clone. A block marked `text` that follows one directly is its output, standard error
included. Blocks marked `python` that have an output are run too, each after all earlier ones of the page. Blocks with
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
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHOWN_FOLDER = "/home/you/venire"
_STEP = re.compile(
    r"^```(?P<mark>sh|python)\n(?P<command>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?", re.DOTALL | re.MULTILINE
)
_PROGRESS = re.compile(r"^\d+ s .*(judged|已评).*$")
_BORDER = "--- output of the last block ---"
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
        scripts: list[str] = []
        return _STEP.sub(lambda step: _step(step, folder, scripts, commands) if _is_run(step) else step[0], text)


def masked(text: str) -> str:
    """Return a page with everything that differs from run to run made equal."""
    return _VOLATILE.sub(lambda found: "0" * len(found[0]), text)


def _is_run(step: re.Match[str]) -> bool:
    return step["mark"] == "sh" or step["output"] is not None


def _step(step: re.Match[str], folder: Path, scripts: list[str], commands: Path | None) -> str:
    command = step["command"]
    if step["mark"] == "python":
        scripts.append(command)
        script = [*scripts[:-1], f"print({_BORDER!r})\n", command]
        output = _run(["python3", "-c", "".join(script)], folder, commands).partition(f"{_BORDER}\n")[2]
    else:
        output = _run(["/bin/bash", "-c", command], folder, commands)
    if step["output"] is None or masked(output) == masked(step["output"]):
        return step[0]
    return f"```{step['mark']}\n{command}```\n\n```text\n{output}```\n"


def _run(command: list[str], folder: Path, commands: Path | None) -> str:
    first = [str(commands)] if commands else []
    path = os.pathsep.join([*first, str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    home = folder / ".home"
    home.mkdir(exist_ok=True)
    environment = {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", "COLUMNS": "100", "PYTHONUTF8": "1"}
    environment["PYTHONPATH"] = str(ROOT / "src")  # of this clone, wherever the command was installed from
    result = subprocess.run(  # noqa: S603 - the commands are those of our own pages
        ["/usr/bin/env", *command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    lines = result.stdout.decode().replace(str(folder), SHOWN_FOLDER).splitlines()
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
