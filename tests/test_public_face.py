"""The public names of the package."""

import subprocess
import sys

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
