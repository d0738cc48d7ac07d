"""What the API says of the demo stays, name by name and value by value, but for digests, moments and running numbers.

What each call computes has tests of its own; here a name or a number that changed on the way out is seen.
"""

from __future__ import annotations

import json
import re

import pytest

from golden_values import assert_as_kept

CALLS = {
    "overview": "overview",
    "prompt": "prompt",
    "scores": "scores?limit=4",
    "trail": "scores/trail?limit=3&inference_id={output_id}",
    "judgements": "judgements?limit=500",
    "judgement": "judgements/{key}",
    "samples": "samples?limit=500",
    "runs": "runs?limit=2",
}
IN_ANY_ORDER = {"judgements": ("sample", "judge"), "samples": ("output_id",)}
"""What stands in the order in which judges were quick, and what it is sorted by here; two of each are kept."""
CHANGING = re.compile(
    r"\b[0-9a-f]{8,64}\b|\b\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)|(?<=\"head\": )\d+|(?<=sequence\": )\d+|0\.\d+\.\d+\S*"
)


def rounded(value):
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value


def sorted_items(http, name):
    page = http.get(f"/api/v1/{CALLS[name]}").json()
    return sorted(page["items"], key=lambda item: [item[each] for each in IN_ANY_ORDER[name]])[:2]


@pytest.mark.parametrize("name", CALLS)
def test_what_the_api_says_stays(demo, name):
    _, http, _ = demo
    found = sorted_items(http, "samples")[0] | sorted_items(http, "judgements")[0]
    answer = http.get(f"/api/v1/{CALLS[name].format(**found)}")
    assert answer.status_code == 200
    said = sorted_items(http, name) if name in IN_ANY_ORDER else answer.json()
    text = json.dumps(rounded(said), ensure_ascii=False, indent=1)
    assert_as_kept(f"answers/{name}.json", CHANGING.sub("…", text) + "\n")
