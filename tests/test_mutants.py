"""Mutants: each change is made where it is said, and the same are drawn for the same seed."""

from pathlib import Path

import pytest
from bench.mutants.import_map import ImportMap
from bench.mutants.mutations import find_mutations
from bench.mutants.sampling import divide, draw_sample


def changed(source):
    found = find_mutations("a.py", source.encode())
    texts = [each.apply(source.encode()).decode() for each in found]
    for text in texts:
        compile(text, "a.py", "exec")
    return texts


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = a < b", ["x = a <= b"]),
        ("x = (a) is  not (b)", ["x = (a) is (b)"]),
        ("x = a not in b", ["x = a in b"]),
        ("x = a + b**c", ["x = a - b**c", "x = a + b*c"]),
        ("x = 'é' + a", []),
        ("é = '中' if a else 1", ["é = '中' if not a else 1", "é = '中' if a else 0", "é = '中' if a else 2"]),
        ("x = a and not b", ["x = a or not b", "x = a and b"]),
        ("x = min(a, True)", ["x = max(a, True)", "x = min(a, False)"]),
        ("def f(a='code', b='no code'):\n    return a", ["def f(a='codex', b='no code'):\n    return a"]),
        ("'''Text.'''\nx: Literal['a'] = b", []),
        ("@struct(frozen=True)\nclass A:\n    b: int = c", []),
        ("if a:\n    b.c()", ["if not a:\n    b.c()", "if a:\n    pass"]),
        ("x = f'{a + 1}'", []),
        ("f = lru_cache(maxsize=64)(g)", []),
    ],
)
def test_a_line_is_changed_in_one_place_and_stays_python(source, expected):
    found = changed(source)
    assert [text for text in found if not text.endswith("return None")] == expected


def test_a_statement_is_told_with_the_lines_by_which_its_tests_are_found():
    source = b"def f(a):\n    if (\n        a > 1\n    ):\n        return 2\n    return 3\n"
    lines = {each.line: (each.lines.start, each.lines.stop) for each in find_mutations("a.py", source)}
    assert lines == {3: (2, 5), 5: (5, 6), 6: (6, 7)}


def test_a_sample_follows_its_seed_and_the_lines_of_each_package():
    root = Path(__file__).parents[1]
    drawn = draw_sample(root, 40, seed=5)
    assert len({(each.file, each.line) for each in drawn}) == 40
    few = draw_sample(root, 9, 5, ["domain"])
    assert few == draw_sample(root, 9, 5, ["domain"]) != draw_sample(root, 9, 6, ["domain"])
    assert {each.file for each in draw_sample(root, 3, 5, ["domain/vote"])} == {"src/venire/domain/vote.py"}
    assert divide(3, {"a": 1, "b": 1, "c": 2}) == {"a": 1, "b": 1, "c": 1}


def test_without_a_measurement_the_nearest_tests_come_first(tmp_path):
    for name, text in {
        "src/venire/a/b.py": "def f():\n    return 1\n\n\ndef of_b():\n    return 2\n",
        "src/venire/z/caller.py": "def f(b):\n    return b.of_b()\n",
        "tests/z/test_caller.py": "",
        "tests/flow/test_many_bs.py": "",
        "src/venire/a/c.py": "from venire.a.b import f\n",
        "tests/a/test_b.py": "",
        "tests/a/test_c.py": "from venire.a.c import f\n",
        "tests/test_near.py": "from venire.a import b\n",
        "tests/test_far.py": "import os\n",
        "tests/test_house.py": "",
        "tests/a/d/conftest.py": "from venire.a.c import f\n",
        "tests/a/d/test_served.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    mutation = find_mutations("src/venire/a/b.py", (tmp_path / "src/venire/a/b.py").read_bytes())[0]
    assert ImportMap(tmp_path).tests_for(mutation, 60) == (
        ["tests/a/test_b.py"],
        ["tests/test_near.py", "tests/flow/test_many_bs.py", "tests/z/test_caller.py"],
        [],
        ["tests/a/test_c.py", "tests/a/d/test_served.py"],
        ["tests/test_house.py"],
        [],
    )


def test_tests_of_a_whole_package_come_before_files_that_are_further_away(tmp_path):
    (tmp_path / "src/venire/cli").mkdir(parents=True)
    (tmp_path / "src/venire/cli/b.py").write_text("def f():\n    return 1\n")
    (tmp_path / "tests/cli").mkdir(parents=True)
    for name in ("test_printed", "test_w", "test_x", "test_y", "test_z"):
        (tmp_path / f"tests/cli/{name}.py").write_text("" if name == "test_printed" else "from venire.cli.b import f\n")
    mutation = find_mutations("src/venire/cli/b.py", (tmp_path / "src/venire/cli/b.py").read_bytes())[0]
    assert ImportMap(tmp_path).tests_for(mutation, 60)[1:4] == (
        [f"tests/cli/test_{name}.py" for name in "wxy"], ["tests/cli/test_printed.py"], ["tests/cli/test_z.py"],
    )  # fmt: skip


def test_what_the_nearest_do_not_notice_is_shown_to_more_tests_of_the_room_first(tmp_path):
    (tmp_path / "src/venire/a").mkdir(parents=True)
    (tmp_path / "src/venire/a/b.py").write_text("def f():\n    return 1\n")
    for room in ("a", "z"):
        (tmp_path / "tests" / room).mkdir(parents=True)
        for number in range(10 if room == "z" else 4):
            text = "from venire.a.b import f\n" + "#" * (number if room == "z" else 99)
            (tmp_path / "tests" / room / f"test_{room}{number}.py").write_text(text)
    mutation = find_mutations("src/venire/a/b.py", (tmp_path / "src/venire/a/b.py").read_bytes())[0]
    _, next_ones, _, near, _, further = ImportMap(tmp_path).tests_for(mutation, 60)
    assert (len(next_ones), len(near)) == (3, 9)
    assert len(further) == 2


def test_what_a_package_offers_by_name_is_traced_to_the_module_that_defines_it(tmp_path):
    for name, text in {
        "src/venire/a/room/b.py": "def f():\n    return 1\n",
        "src/venire/a/__init__.py": "",
        "src/venire/a/__init__.pyi": "from .room.b import f as f\n",
        "tests/test_by_name.py": "from venire.a import f\n",
        "tests/test_by_package.py": "import venire.a\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    mutation = find_mutations("src/venire/a/room/b.py", (tmp_path / "src/venire/a/room/b.py").read_bytes())[0]
    _, near, *_ = ImportMap(tmp_path).tests_for(mutation, 60)
    assert near == ["tests/test_by_name.py", "tests/test_by_package.py"]
