"""What `make demo` runs, offline: a panel judges 96 outputs; the answer first, then in a few lines what is behind it.

Its titles are in the language of the terminal. Run: python -m examples.demo
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from venire.cli.arguments.language import language

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "demo-output"
WIDTH = "100"


def say(words: dict[str, str]) -> None:
    """Print words of our own."""
    print(words[language()], flush=True)


def title(words: dict[str, str]) -> None:
    """Print what the next commands are for."""
    say({name: f"\n\033[1m{text}\033[0m" for name, text in words.items()})


class Step:
    """One command, run as a user would."""

    def __init__(self, command: str) -> None:
        self.command = command if language() == "en" or "--lang" in command else f"{command} --lang {language()}"
        done = subprocess.run(
            [sys.executable, "-m", "venire", *self.command.split()],
            cwd=ROOT,
            check=False,
            stdout=subprocess.PIPE,
            env=os.environ | {"COLUMNS": WIDTH},
        )
        if done.returncode not in (0, 1):
            raise SystemExit(done.returncode)
        self.lines = done.stdout.decode().splitlines()

    def place(self, words: dict[str, str]) -> int:
        """Return the number of the line that begins so."""
        return next(number for number, line in enumerate(self.lines, 1) if line.startswith(words[language()]))

    def show(self, *ranges: tuple[int, int]) -> None:
        """Print the command, and these lines of what it said."""
        print(f"$ venire {self.command}" + ({"en": "  (in part)", "zh": "（节选）"}[language()] if ranges else ""))
        for first, last in ranges:
            print(*self.lines[first - 1 : last], sep="\n")
        sys.stdout.flush()


def main() -> None:
    """Show the answer, and then the way to it."""
    shutil.rmtree(OUTPUT, ignore_errors=True)
    title({"en": "Three judges score 96 outputs of three models, blind", "zh": "三位评审盲评三个模型的 96 份输出"})
    Step("judge examples/drift/venire.yaml --archive demo-output/archive").show()
    answer = Step("report demo-output/ledger.sqlite")
    answer.show((1, answer.place({"en": "In plain words", "zh": "概述"}) - 1))
    english = "--lang en --html demo-output/report.html --json demo-output/report.json"
    Step(f"report demo-output/ledger.sqlite {english}").show()
    Step("report demo-output/ledger.sqlite --lang zh --html demo-output/report.zh.html").show()
    say(
        {
            "en": f"Open in a browser: {OUTPUT / 'report.html'} (中文: report.zh.html)",
            "zh": f"用浏览器打开：{OUTPUT / 'report.zh.html'}（English: report.html）",
        }
    )

    title({"en": "Which words of which output are behind a number?", "zh": "一个数字背后是哪份输出里的哪些话？"})
    number = Step("trace demo-output/report.json leaderboard.alder-1.score --limit 1")
    text = number.place({"en": "judged text", "zh": "被评文本"})
    number.show((1, 3), (7, 8), (text, text + 2))

    title(
        {
            "en": "Is every entry as it was written, and does every judgement follow from its reply?",
            "zh": "每个条目是否原样未动，每条评判是否与回复相符？",
        }
    )
    signed = "--checkpoint demo-output/checkpoint.json --key demo-output/audit.key"
    Step(f"audit demo-output/ledger.sqlite {signed}").show((1, 3))

    title({"en": "Replies that somebody else collected: which are valid?", "zh": "别人收集的回复，哪些有效？"})
    found = Step("check examples/drift/replies --protocol drift-sample --sources examples/drift/outputs.jsonl")
    found.show((len(found.lines) - 3, len(found.lines) - 1))

    title(
        {
            "en": "Do a bot's answers rest on the documents it was given? A weak judge, without a model",
            "zh": "机器人的回答是否有文档依据？一位不用模型的弱评审",
        }
    )
    Step("judge examples/grounded/venire.yaml").show()
    claims = Step("report demo-output/grounded.sqlite")
    place = claims.place({"en": "Claims and their documents", "zh": "论断与文档依据"})
    claims.show((place + 1, place + 8))

    title(
        {
            "en": "The whole way: prompts to scripted models, their outputs to judges, a report",
            "zh": "全程：提示词交给脚本模型，输出交给评审，得出报告",
        }
    )
    Step("run examples/drift/study.yaml --html demo-output/study.html").show()

    title({"en": "See more", "zh": "接下来"})
    say(
        {
            "en": "Every output with every judge's words:  venire view demo-output/ledger.sqlite\n"
            "Let people vote:                        venire votes open examples/drift/outputs.jsonl\n"
            "Fail a build when quality drops:        venire gate examples/drift/gate.yaml demo-output/ledger.sqlite\n"
            "Your own CSV:                           docs/tutorial/from-csv-to-report.md",
            "zh": "逐份查看输出与评审的话：venire view demo-output/ledger.sqlite\n"
            "请人投票：              venire votes open examples/drift/outputs.jsonl\n"
            "质量下降时让构建失败：  venire gate examples/drift/gate.yaml demo-output/ledger.sqlite\n"
            "用你自己的 CSV：        docs/tutorial/from-csv-to-report.zh.md",
        }
    )


if __name__ == "__main__":
    main()
