import os
import select
import subprocess
import sys
from pathlib import Path

CODE = """
import sys
from last_will import LastWill
will = LastWill('echo gone > "$1"', sys.argv[1])
print("made", flush=True)
sys.stdin.read()
"""


def test_a_last_will_is_executed_when_its_process_is_killed(tmp_path):
    os.mkfifo(tmp_path / "news")
    news = os.open(tmp_path / "news", os.O_RDONLY | os.O_NONBLOCK)
    command = [sys.executable, "-c", CODE, str(tmp_path / "news")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=Path(__file__).parent, **pipes) as process:
        assert process.stdout.readline() == b"made\n"
        process.kill()
    assert select.select([news], [], [], 60)[0]
    assert os.read(news, 100) == b"gone\n"
    os.close(news)
