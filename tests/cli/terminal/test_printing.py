"""What a command prints for people: control characters are shown, colours are ours alone."""

import io

from rich.text import Text

from venire.cli.terminal.printing import BAD, GOOD, echo, mark, open_console, print_line, tell, write

ESCAPE = "\x1b[31m"


def test_control_characters_are_shown_in_all_but_marks(capsys):
    echo(mark("a", "red"), f" {ESCAPE}", 3)
    assert capsys.readouterr().out == "a ⟨U+001B⟩[31m3\n"
    echo("to the other side", err=True, nl=False)
    assert capsys.readouterr().err == "to the other side"


def test_a_mark_has_its_colour_and_not_that_of_its_words():
    assert mark(ESCAPE, "green") == "\x1b[32m\x1b[22m⟨U+001B⟩[31m\x1b[0m"
    assert mark("a", "red", bold=True) == "\x1b[31m\x1b[1ma\x1b[0m"
    assert (GOOD, BAD) == ("\x1b[32m\x1b[22m✓\x1b[0m", "\x1b[31m\x1b[22m✗\x1b[0m")


def test_a_sentence_stands_behind_its_mark(capsys):
    tell("gate.open", mark=GOOD)
    tell("gate.closed", err=True)
    out, err = capsys.readouterr()
    assert (out.split(" ", 1)[0], err) == ("✓", "closed\n")


def test_what_programs_read_is_written_as_it_is(capsys):
    write(f"a{ESCAPE}", nl=False)
    assert capsys.readouterr().out == "a"  # click strips codes where there is no terminal; none is shown by a sign


def test_a_console_shows_control_characters_and_colours_no_numbers():
    file = io.StringIO()
    console = open_console(file=file, force_terminal=True, width=60, color_system="standard")
    console.print("12 of 'a'")
    console.print(Text(ESCAPE))
    first, second = file.getvalue().splitlines()
    assert first == "12 of 'a'"
    assert "U+001B" in second


def test_a_sentence_stays_on_one_line_of_a_narrow_console_with_its_brackets():
    file = io.StringIO()
    print_line(open_console(file=file, width=20), "the output [bold]q1[/bold] has no judgement yet")
    assert file.getvalue() == "the output [bold]q1[/bold] has no judgement yet\n"
