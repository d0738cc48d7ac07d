"""Problems with samples, as commands that read a configuration tell of them."""

from venire.cli.arguments.settings import print_problems
from venire.errors import InputError


def test_names_in_a_problem_do_not_command_the_terminal(capsys):
    print_problems([InputError("has no text", where="a\x1b[2J\U000e0041b.jsonl:1")])
    assert capsys.readouterr().err == "warning: a⟨U+001B⟩[2J⟨U+E0041⟩b.jsonl:1: has no text\n"


def test_of_many_problems_the_first_are_told_and_the_others_counted(capsys):
    print_problems([InputError(f"problem {number}") for number in range(23)])
    told = capsys.readouterr().err.splitlines()
    assert (told[0], told[-2:]) == ("warning: problem 0", ["warning: problem 19", "and 3 more problems"])
