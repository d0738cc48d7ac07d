"""The package on the page about plugins works as it stands there."""

import json
import subprocess
import sys
import tomllib

from doc_scripts import blocks

PAGE = "how-to/write-a-provider-plugin.md"

JUDGE = """
import json, re, sys

handle = re.search(r"item-[0-9a-f]+", sys.stdin.read())[0]
names = ["FORMAT_COMPLIANCE", "INSTRUCTION_COMPLIANCE", "SEMANTIC_FIDELITY", "COMPLETENESS"]
evidence = [{"dimension": name, "quote": "water", "reason": "it is there"} for name in names]
scores = {**dict.fromkeys(names, 2), "overall_score": 8}
reply = {"meta": {"output_id": handle}, "scores": scores, "verdict": "PASS", "flags": [], "evidence": evidence}
print(json.dumps(reply), end="")
"""


def test_the_plugin_of_the_page_judges_a_sample(tmp_path):
    points = tomllib.loads(blocks(PAGE, "toml")[0])["project"]["entry-points"]["venire.providers"]
    (tmp_path / "venire_echo.py").write_text(blocks(PAGE, "python")[0])
    metadata = tmp_path / "venire_echo-0.1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: venire-echo\nVersion: 0.1.0\n")
    lines = ["[venire.providers]", *(f"{name} = {value}" for name, value in points.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    (tmp_path / "judge.py").write_text(JUDGE)
    (tmp_path / "outputs.jsonl").write_text(json.dumps({"output_id": "a", "text": "water boils"}))
    judges = blocks(PAGE, "yaml")[0].replace("python3", sys.executable)
    (tmp_path / "venire.yaml").write_text(f"samples: outputs.jsonl\nrunner: {{reask_share: 0}}\n{judges}")
    code = "import venire; result = venire.run('venire.yaml'); print(result.counts['mine'].valid, result.failed)"
    found = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, '.'); {code}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout.strip() == "1 0", found.stderr


def test_the_plugin_of_the_page_keeps_to_the_agreement_as_the_page_tests_it(tmp_path):
    (tmp_path / "venire_echo.py").write_text(blocks(PAGE, "python")[0])
    (tmp_path / "test_echo.py").write_text(blocks(PAGE, "python")[1])
    code = "import test_echo; test_echo.test_the_command_keeps_to_the_agreement()"
    found = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
