"""The public names of the package."""

import subprocess
import sys
from pathlib import Path

import venire


def test_every_public_name_can_be_imported() -> None:
    assert all(getattr(venire, name) is not None for name in venire.__all__)


def test_the_public_names_are_sorted_and_complete() -> None:
    assert venire.__all__ == sorted(venire.__all__) == dir(venire)


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    assert not hasattr(venire, "no_such_name")


def test_importing_the_package_imports_nothing_heavy() -> None:
    heavy = ("numpy", "scipy", "polars", "httptools", "rich", "apsw", "pypdfium2", "cryptography", "msgspec")
    code = f"import venire, sys; print([name for name in {heavy!r} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found.strip() == "[]"


def test_the_help_of_the_command_imports_nothing_heavy() -> None:
    heavy = ("numpy", "scipy", "polars", "httptools", "rich", "apsw", "pypdfium2", "cryptography", "yaml")
    run = "import sys\nfrom venire.cli.main import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    "
    code = f"{run}print([name for name in {heavy!r} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found.strip().endswith("[]")


def test_a_run_imports_no_library_for_statistics(tmp_path: Path) -> None:
    (tmp_path / "outputs.jsonl").write_text('{"output_id": "o1", "text": "Water is wet.", "target_model": "m"}\n')
    protocol = 'protocol: {ask: Judge it., score: {helpful: "Does it help?"}, scale: 1-5}'
    rules = "{type: rules, rules: {dimensions: {helpful: [{check: contains, any_of: [wet]}]}}}"
    (tmp_path / "venire.yaml").write_text(f"samples: outputs.jsonl\n{protocol}\njudges: {{words: {rules}}}\n")
    run = "import sys\nfrom venire.cli.main import main\ntry:\n    main(['judge'])\nexcept SystemExit as end:\n    "
    code = f"{run}print(end.code, [name for name in ('numpy', 'scipy', 'polars') if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "0 []"
