from __future__ import annotations

from pathlib import Path

import pytest

from making_pdfs import make_pdf, make_truncated_pdf
from venire.domain.design import BundleDesign
from venire.errors import InputError
from venire.inputs.bundles import find_bundle_folder, read_bundle

DESIGN = BundleDesign(
    file_pattern="q{question} {version}.pdf",
    factors={"question": ("3", "4"), "version": ("long", "weak")},
    question_factor="question",
    variant_factor="version",
    meta_fields={},
    summaries={},
)
LABELS = [cell.label for cell in DESIGN.cells]


def make_bundle(folder: Path, names: list[str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text(f"text of {name}", encoding="utf-8")
    return folder


def test_samples_stand_in_the_order_of_the_design_whatever_their_spelling(tmp_path: Path) -> None:
    make_pdf(tmp_path / "Q4_WEAK.PDF", ["弱"])
    make_bundle(tmp_path, ["q3-long.txt", "q4 long.md", "Q3 weak.txt", "readme.txt"])
    bundle = read_bundle(tmp_path, DESIGN, target_model="glm")
    assert [sample.output_id for sample in bundle.samples] == LABELS
    last = bundle.samples[-1]
    assert (last.text, last.question_id, last.prompt_variant, last.target_model) == ("弱", "4", "weak", "glm")
    assert last.factors == {"question": "4", "version": "weak"}
    assert last.source is not None
    assert (last.source.name, last.source.page_starts) == ("Q4_WEAK.PDF", (0,))
    assert (bundle.name, bundle.target_model) == (tmp_path.name, "glm")


def test_missing_files_are_named_and_the_others_read(tmp_path: Path) -> None:
    make_bundle(tmp_path, ["q3 long.txt", "q4 weak.txt"])
    problems: list[InputError] = []
    bundle = read_bundle(tmp_path, DESIGN, on_problem=problems.append)
    assert [sample.output_id for sample in bundle.samples] == ["q3 long.pdf", "q4 weak.pdf"]
    assert [problem.message for problem in problems] == ["2 of 4 planned files are missing: q3 weak.pdf, q4 long.pdf"]


def test_an_incomplete_bundle_is_raised_if_nobody_takes_problems(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="4 of 4 planned files are missing"):
        read_bundle(tmp_path, DESIGN)


def test_a_damaged_file_and_a_double_are_told(tmp_path: Path) -> None:
    make_bundle(tmp_path, ["q3 long.txt", "q3_long.txt", "q3 weak.txt", "q4 long.txt"])
    make_truncated_pdf(tmp_path / "q4 weak.pdf", ["text"])
    problems: list[InputError] = []
    bundle = read_bundle(tmp_path, DESIGN, on_problem=problems.append)
    assert len(bundle.samples) == 3
    assert [problem.message.split(":")[0] for problem in problems] == [
        "means the same planned sample as 'q3 long.txt'",
        "is truncated or damaged",
    ]


def test_the_folder_of_a_generator_is_found_by_its_folded_name(tmp_path: Path) -> None:
    folder = make_bundle(tmp_path / "GPT 4o-mini", ["q3 long.txt"])
    assert find_bundle_folder(tmp_path, "gpt-4o_mini", DESIGN) == folder


def test_the_root_is_the_bundle_if_it_holds_files_of_the_design(tmp_path: Path) -> None:
    make_bundle(tmp_path, ["q3 long.txt"])
    assert find_bundle_folder(tmp_path, "glm", DESIGN) == tmp_path


def test_a_root_without_files_of_the_design_is_no_bundle(tmp_path: Path) -> None:
    make_bundle(tmp_path / "other", ["q3 long.txt"])
    make_bundle(tmp_path, ["q3 long.json"])
    assert find_bundle_folder(tmp_path, "glm", DESIGN) is None


def test_an_unknown_generator_does_not_match_a_folder_without_letters(tmp_path: Path) -> None:
    (tmp_path / "___").mkdir()
    assert find_bundle_folder(tmp_path, "", DESIGN) is None


def test_two_folders_of_one_generator_have_to_be_told_apart(tmp_path: Path) -> None:
    make_bundle(tmp_path / "gpt-4", ["q3 long.txt"])
    make_bundle(tmp_path / "GPT 4", ["q3 long.txt"])
    with pytest.raises(InputError, match="several folders could be 'gpt4': GPT 4, gpt-4"):
        find_bundle_folder(tmp_path, "gpt4", DESIGN)


def test_a_folder_that_is_a_link_out_of_the_root_is_not_followed(tmp_path: Path) -> None:
    outside = make_bundle(tmp_path / "outside", ["q3 long.txt"])
    root = tmp_path / "root"
    root.mkdir()
    (root / "glm").symlink_to(outside)
    assert find_bundle_folder(root, "glm", DESIGN) is None


def test_a_root_that_does_not_exist_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file or folder"):
        find_bundle_folder(tmp_path / "nowhere", "glm", DESIGN)
