"""What readers of other tools' results share: materials with ids, texts of messages, and repeats that are counted."""

from venire.domain.material import MaterialKind
from venire.inputs.foreign.results import MaterialList, Repeats, text_of


def told(materials):
    return [(each.id, each.kind, each.text, each.role) for each in materials.listed()]


def test_materials_are_numbered_by_kind_and_empty_ones_left_out():
    found = MaterialList()
    found.add(MaterialKind.DOCUMENT, "one")
    found.add(MaterialKind.REFERENCE, "two", "gold")
    found.add(MaterialKind.DOCUMENT, " \n")
    found.add(MaterialKind.DOCUMENT, "three")
    assert told(found) == [
        ("document-1", MaterialKind.DOCUMENT, "one", ""),
        ("reference-1", MaterialKind.REFERENCE, "two", "gold"),
        ("document-2", MaterialKind.DOCUMENT, "three", ""),
    ]


def test_a_conversation_becomes_turns_calls_and_what_tools_gave_back():
    found = MaterialList()
    found.add_messages([
        {"role": "user", "content": "Rain?"},
        "no message",
        {"role": "assistant", "content": None,
         "tool_calls": [{"function": {"name": "weather", "arguments": {"day": 1}}}, {"function": "time"}, "odd"]},
        {"role": "tool", "content": "dry", "function": "weather"},
        {"role": "tool", "content": "noon", "name": "time"},
        {"content": [{"type": "text", "text": "No."}, {"type": "text", "text": "Dry."}]},
    ])  # fmt: skip
    assert told(found) == [
        ("turn-1", MaterialKind.TURN, "Rain?", "user"),
        ("tool-call-1", MaterialKind.TOOL_CALL, 'weather({"day": 1})', "weather"),
        ("tool-call-2", MaterialKind.TOOL_CALL, "time({})", "time"),
        ("tool-call-3", MaterialKind.TOOL_CALL, "({})", ""),
        ("tool-result-1", MaterialKind.TOOL_RESULT, "dry", "weather"),
        ("tool-result-2", MaterialKind.TOOL_RESULT, "noon", "time"),
        ("turn-2", MaterialKind.TURN, "No.\nDry.", ""),
    ]


def test_calls_are_read_in_either_way_of_writing():
    found = MaterialList()
    found.add_call({"name": "find", "inputParameters": {"q": "a"}})
    assert told(found) == [("tool-call-1", MaterialKind.TOOL_CALL, 'find({"q": "a"})', "find")]
    found.add_messages("no list")
    assert len(found.listed()) == 1


def test_what_occurs_again_is_counted():
    repeats = Repeats()
    assert [repeats.number(what) for what in ({"a": 1, "b": 2}, "x", {"b": 2, "a": 1}, "x", "x")] == [1, 1, 2, 2, 3]


def test_texts_are_taken_as_they_are_and_values_as_json():
    assert text_of("é") == "é"
    assert text_of({"day": "é"}) == '{"day": "é"}'
    assert text_of([1, 2]) == "[1, 2]"
    assert text_of([]) == "[]"
