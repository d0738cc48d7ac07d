"""The pages' commands give the output that stands below them, and their links lead somewhere."""

import re

import pytest
import yaml

import venire
from doc_scripts import DOCS, ROOT, load_script
from warm_commands import warm_commands

SESSIONS = load_script("refresh_sessions")
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])


def title_of(page):
    return str(page.relative_to(ROOT))


def anchors_of(page):
    """Return the anchors that a page's headings get on GitHub."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def links_of(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", text)


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    with warm_commands(tmp_path_factory.mktemp("commands")) as folder:
        yield folder


def session_page(page):
    """Return a page as a parameter; READMEs and English tutorials are quick ones of the many."""
    is_long = DOCS in page.parents and (page.name.endswith(".zh.md") or page.parent.name != "tutorial")
    return pytest.param(page, marks=[pytest.mark.long] if is_long else [], id=title_of(page))


@pytest.mark.parametrize("page", [*map(session_page, SESSIONS.session_pages())])
def test_the_commands_of_a_page_give_the_output_that_it_shows(page, warm):
    text = page.read_text(encoding="utf-8")
    again = SESSIONS.masked(SESSIONS.refreshed(text, warm))
    assert again == SESSIONS.masked(text), "run: python docs/refresh_sessions.py"


@pytest.mark.parametrize("page", PAGES, ids=title_of)
def test_every_link_of_a_page_leads_to_a_file_and_a_heading(page):
    for link in links_of(page):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link} leads nowhere"
        assert not anchor or anchor in anchors_of(target), f"{link}: there is no such heading"


def test_every_public_name_is_on_the_page_about_python():
    page = (DOCS / "how-to" / "use-from-python.md").read_text(encoding="utf-8")
    assert not [name for name in venire.__all__ if f"`{name}`" not in page]


@pytest.mark.parametrize("index", ["index.md", "index.zh.md"])
def test_every_page_of_the_documentation_is_on_the_map_of_its_language(index):
    linked = {(DOCS / link.partition("#")[0]).resolve() for link in links_of(DOCS / index)}
    pages = {page for page in DOCS.rglob("*.md") if page.name.endswith(".zh.md") == index.endswith(".zh.md")}
    assert not [title_of(page) for page in pages - {DOCS / index} - linked]


@pytest.mark.parametrize("page", sorted((DOCS / "how-to").glob("*[!h].md")), ids=title_of)
def test_a_how_to_page_has_a_chinese_one_and_they_lead_to_each_other(page):
    chinese = page.with_suffix(".zh.md")
    assert chinese.name in links_of(page)
    assert page.name in links_of(chinese)


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.zh.md")), ids=title_of)
def test_commands_that_a_chinese_page_only_shows_stand_on_the_english_one(page):
    """What a page runs is held to its output; what it only shows is held to what the English page says or runs."""
    english = commands_of(page.with_name(page.name.replace(".zh.md", ".md")), r"\w+")
    shown = commands_of(page, "bash")
    assert [command for command in shown if command not in english] == []


def commands_of(page, mark):
    text = re.sub(r"\\\n *", "", page.read_text(encoding="utf-8"))
    blocks = re.findall(rf"^```{mark}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    commands = (part for block in blocks for line in block.splitlines() for part in re.split(r" && |; | #|\| ", line))
    plain = [re.sub(r"^ *\$ | --lang (en|zh)", "", part).strip() for part in commands]
    return [command for command in plain if command.startswith("venire ")]


@pytest.mark.parametrize("page", ["README.md", "README.zh.md"])
def test_the_configuration_of_a_readme_can_be_used(page, tmp_path, monkeypatch):
    """It names a judge with a key, so that the tests do not run it."""
    text = (ROOT / page).read_text(encoding="utf-8")
    (written,) = re.findall(r"cat > venire.yaml <<'YAML'\n(.*?)^YAML$", text, re.DOTALL | re.MULTILINE)
    (tmp_path / "venire.yaml").write_text(written, encoding="utf-8")
    (tmp_path / "outputs.csv").write_text("id,output,task,model,question\na,Yes.,Is it?,bot-1,q1\n", encoding="utf-8")
    monkeypatch.setenv("DEEPSEEK_API_KEY", "none")
    settings = venire.load_settings(tmp_path / "venire.yaml")
    assert [judge.name for judge in settings.judges] == ["deepseek"]


@pytest.mark.parametrize("page", PAGES, ids=title_of)
def test_what_a_page_calls_yaml_is_yaml(page):
    text = page.read_text(encoding="utf-8")
    for block in re.findall(r"^```yaml\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        assert yaml.safe_load(block) is not None


@pytest.mark.parametrize("page", ["quality-panel.md", "quality-panel.zh.md"])
def test_the_page_of_a_workflow_needs_at_most_four_commands(page):
    text = (DOCS / "how-to" / page).read_text(encoding="utf-8")
    commands = [
        line
        for block in re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        for line in block.splitlines()
    ]
    assert 1 < len(commands) <= 4
