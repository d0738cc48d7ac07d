"""What cannot be read is raised at once, or told to the caller so that reading goes on."""

import pytest

from venire.errors import InputError
from venire.inputs.problems import tell, unreadable
from venire.words.language import Words


def test_a_problem_is_told_to_whoever_takes_it_and_raised_otherwise():
    problem, told = InputError("error.table.no_rows", where="a.csv"), []
    tell(problem, told.append)
    assert told == [problem]
    with pytest.raises(InputError, match=r"a\.csv: the table has no rows"):
        tell(problem, None)


@pytest.mark.parametrize(
    ("error", "said", "chinese"),
    [
        (FileNotFoundError(2, "x"), "there is no such file or folder", "没有这个文件或文件夹"),
        (PermissionError(13, "x"), "may not be read by this user", "当前用户无权读取"),
        (IsADirectoryError(21, "x"), "is a folder where a file was expected", "是文件夹，应为文件"),
        (OSError(5, "Input/output error"), "cannot be read: Input/output error", "无法读取：Input/output error"),
        (OSError(), "cannot be read: OSError", "无法读取：OSError"),
    ],
)
def test_why_a_file_cannot_be_read_is_said_with_what_to_do(error, said, chinese):
    found = unreadable(error, "a.csv")
    assert str(found).startswith(f"a.csv: {said}\n")
    assert found.said(Words("zh")).startswith(f"a.csv：{chinese}\n")
