"""What `make demo` runs, offline: a panel hears 96 outputs; the answer first, then in a few lines what is behind it.

Its titles are in the language of the terminal. Run: python -m examples.demo
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from venire.cli.arguments.language import language

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "demo-output"


def step(
    title: dict[str, str], *arguments: str, until: str = "", since: str = "", first: int = 0, last: int = 0
) -> None:
    """Run one command as a user would, and show the beginning or the end of what it prints, or a part of it."""
    if title:
        print(f"\n\033[1m{title[language()]}\033[0m")
    if language() != "en" and "--lang" not in arguments:
        arguments = (*arguments, "--lang", language())
    command = [sys.executable, "-m", "venire", *arguments]
    done = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.PIPE)
    if done.returncode not in (0, 1):
        raise SystemExit(done.returncode)
    said = done.stdout.decode().splitlines()
    begin = next((place for place, line in enumerate(said) if since and line.startswith(since)), 0)
    end = next((place for place, line in enumerate(said) if until and line.startswith(until)), len(said))
    shown = said[begin:end]
    shown = shown[:first] if first else shown[-last:] if last else shown
    print(f"$ venire {' '.join(arguments)}{_pipe(begin, len(shown), len(said), is_end=bool(last))}")
    print(*shown, sep="\n", flush=True)


def _pipe(begin: int, shown: int, said: int, *, is_end: bool) -> str:
    """Return what shows the same lines in a shell."""
    if shown == said:
        return ""
    if is_end:
        return f" | tail -n {shown}"
    return f" | sed -n {begin + 1},{begin + shown}p" if begin else f" | head -n {shown}"


def main() -> None:
    """Show the answer, and then the way to it."""
    shutil.rmtree(OUTPUT, ignore_errors=True)
    step(
        {"en": "1. Three judges hear 96 outputs of three models, blind", "zh": "1. 三位评审盲评三个模型的 96 份输出"},
        *("judge", "examples/drift/venire.yaml", "--archive", "demo-output/archive"),
        first=5,
    )
    step(
        {"en": "   The answer, and how far to trust it", "zh": "   结论，以及可信程度"},
        *("report", "demo-output/ledger.sqlite"),
        until={"en": "In plain words", "zh": "概述"}[language()],
    )
    step(
        {},
        *(
            "report",
            "demo-output/ledger.sqlite",
            "--lang",
            "en",
            "--html",
            "demo-output/report.html",
            "--json",
            "demo-output/report.json",
        ),
    )
    step({}, *("report", "demo-output/ledger.sqlite", "--lang", "zh", "--html", "demo-output/report.zh.html"))
    step(
        {"en": "2. Which words in which output is a number made of?", "zh": "2. 一个数字背后是哪份输出里的哪些话？"},
        *("trace", "demo-output/report.json", "leaderboard.alder-1.score", "--limit", "1"),
        first=12,
    )
    step(
        {
            "en": "3. Is every entry as it was written, and does every judgement follow from its reply?",
            "zh": "3. 每个条目是否原样未动，每条评判是否与回复相符？",
        },
        *("audit", "demo-output/ledger.sqlite", "--checkpoint", "demo-output/checkpoint.json"),
        *("--key", "demo-output/audit.key"),
        first=3,
    )
    step(
        {"en": "4. Which replies, found in the wild, can be admitted?", "zh": "4. 别处收集来的回复，哪些可以采信？"},
        *("check", "examples/drift/replies", "--protocol", "drift-sample"),
        *("--sources", "examples/drift/outputs.jsonl"),
        last=4,
    )
    step(
        {
            "en": "5. Do a bot's answers rest on the documents it was given? A weak judge, without a model",
            "zh": "5. 机器人的回答是否有文档依据？一位不用模型的弱评审",
        },
        *("judge", "examples/grounded/venire.yaml"),
        last=1,
    )
    step(
        {},
        *("report", "demo-output/grounded.sqlite"),
        since={"en": "Claims and their documents", "zh": "论断与文档依据"}[language()],
        first=9,
    )
    step(
        {
            "en": "6. The whole way: prompts to scripted models, their outputs to judges, a report",
            "zh": "6. 全程：提示词交给脚本模型，输出交给评审，得出报告",
        },
        *("run", "examples/drift/study.yaml", "--html", "demo-output/study.html"),
        last=1,
    )
    print(
        {
            "en": f"\nOpen in a browser: {OUTPUT / 'report.html'} (中文: report.zh.html)\n"
            "Every output with every judge's words: venire view demo-output/ledger.sqlite\n"
            "Let people vote: venire votes open examples/drift/outputs.jsonl\n"
            "Next: docs/tutorial/from-csv-to-report.md",
            "zh": f"\n用浏览器打开：{OUTPUT / 'report.zh.html'}（English: report.html）\n"
            "逐份查看输出与评审的话：venire view demo-output/ledger.sqlite\n"
            "请人投票：venire votes open examples/drift/outputs.jsonl\n"
            "下一步：docs/tutorial/from-csv-to-report.zh.md",
        }[language()]
    )


if __name__ == "__main__":
    main()
