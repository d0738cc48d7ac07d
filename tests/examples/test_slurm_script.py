"""The batch script for Slurm joins its machines and runs the panel; Slurm's own commands are stood in for."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from doc_scripts import ROOT
from postgres_server import WRITER
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger

SCRIPT = ROOT / "examples" / "ray" / "venire.sbatch"
STAND_INS = {
    "scontrol": "printf 'one\\ntwo\\n'",
    # The first machine where it is named, otherwise the second; each has an address of its own in the loopback network.
    "srun": """machine=2
while [[ $1 == --* ]]; do [[ $1 == --nodelist=* ]] && machine=1; shift; done
MACHINE=$machine exec "$@" """,
    "hostname": 'echo "127.0.1.$MACHINE 10.0.0.1"',
}

PRETENDED = {
    "ray": "[[ $1 != start ]] || exec sleep 600",
    "python": "[[ $1 == -c ]] && echo 0123456789abcdef || cat >/dev/null",
    "venire": """trap 'echo waiting for requests that are under way; exit 3' TERM
echo "judging $2"
while :; do read -r -t 1 <> <(:) || :; done""",
}


def stand_in(folder, commands):
    """Put commands into a folder that comes first in the path."""
    for name, body in commands.items():
        (folder / name).write_text(f"#!/usr/bin/env bash\n{body}\n")
        (folder / name).chmod(0o755)


@pytest.fixture
def slurm(tmp_path):
    """The environment of a job on two machines."""
    folder = tmp_path / "bin"
    folder.mkdir()
    stand_in(folder, STAND_INS)
    path = os.pathsep.join([str(folder), str(Path(sys.executable).parent), os.environ["PATH"]])
    job = {"SLURM_JOB_NODELIST": "[one-two]", "SLURM_JOB_ID": str(os.getpid()), "SLURM_CPUS_PER_TASK": "1"}
    with tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as short:  # Ray's sockets are there.
        yield {**os.environ, "PATH": path, "TMPDIR": short, **job}


def run_script(environment, *arguments):
    command = ["bash", str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)


@pytest.mark.long
def test_the_script_runs_the_panel_on_all_machines_of_the_job(slurm, postgres, tmp_path):
    ledger = postgres.url(postgres.new_ledger(), WRITER)
    drift = shutil.copytree(ROOT / "examples" / "drift", tmp_path / "drift")
    config = drift / "venire.yaml"
    config.write_text(config.read_text().replace("../../demo-output/ledger.sqlite", ledger))
    done = run_script(slurm, config, "--quiet")
    assert done.returncode == 0, done.stdout + done.stderr
    store = open_ledger(ledger, read_only=True)
    (closed,) = store.read(kinds=[Kind.RUN_CLOSED])
    store.close()
    assert {name: counts["done"] for name, counts in closed.content["counts"].items()} == {
        "strict": 104,
        "balanced": 103,
        "lenient": 102,
    }
    assert "not all machines have joined" not in done.stderr


def test_a_job_whose_time_is_up_lets_the_run_finish_and_ends_with_its_code(slurm, tmp_path):
    stand_in(tmp_path / "bin", PRETENDED)
    script = subprocess.Popen(["bash", str(SCRIPT), "any.yaml"], env=slurm, stdout=subprocess.PIPE, text=True)
    assert script.stdout.readline() == "judging any.yaml\n"
    script.terminate()
    told, _ = script.communicate(timeout=120)
    assert (script.returncode, told) == (3, "waiting for requests that are under way\n")


def test_the_script_asks_for_a_configuration(slurm):
    done = run_script(slurm)
    assert done.returncode != 0
    assert "which configuration?" in done.stderr


def test_the_script_is_sound_shell():
    subprocess.run(["bash", "-n", str(SCRIPT)], check=True)
