# ruff: noqa: E402 - the environment must be set before the tool is imported
"""Makes the DeepEval test run beside it with the real tool, a metric of its own and GEval on a made-up model.

    pip install deepeval==4.3.1 && python make_deepeval.py

`deepeval-run.json`  three cases with context and reference, a conversation, and a metric whose judge fails once
"""

import json
import os
import shutil
import tempfile
from pathlib import Path

os.environ |= {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "DEEPEVAL_DISABLE_DOTENV": "1", "CONFIDENT_TRACE_FLUSH": "NO"}
FOLDER = tempfile.mkdtemp()
os.chdir(FOLDER)

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, DisplayConfig, ErrorConfig
from deepeval.metrics import BaseConversationalMetric, BaseMetric, GEval
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import ConversationalTestCase, LLMTestCase, SingleTurnParams, ToolCall, Turn

HERE = Path(__file__).parent


class MadeUpModel(DeepEvalBaseLLM):
    def load_model(self):
        return self

    def generate(self, prompt: str, schema=None, **_):
        if "costs 12 euros" in prompt:
            raise RuntimeError("the judge is overloaded")
        reply = {"score": 8 if "nine" in prompt else 2, "reason": "Held against the expected answer."}
        return schema(**reply) if schema else json.dumps(reply)

    async def a_generate(self, prompt: str, schema=None, **_):
        return self.generate(prompt, schema)

    def get_model_name(self):
        return "made-up-judge"


class Short(BaseMetric):
    def __init__(self):
        self.threshold, self.async_mode = 0.5, False

    def measure(self, test_case, *_, **__):
        self.score = 1.0 if len(test_case.actual_output) < 40 else 0.25
        self.reason, self.success = "by length", self.score >= self.threshold
        return self.score

    async def a_measure(self, test_case, *_, **__):
        return self.measure(test_case)

    def is_successful(self):
        return self.success

    @property
    def __name__(self):
        return "Short"


class Friendly(BaseConversationalMetric):
    def __init__(self):
        self.threshold, self.async_mode, self.evaluation_model = 0.5, False, "made-up-judge"

    def measure(self, test_case, *_, **__):
        self.score, self.reason, self.success = 0.75, "It greets back.", True
        return self.score

    async def a_measure(self, test_case, *_, **__):
        return self.measure(test_case)

    def is_successful(self):
        return self.success

    @property
    def __name__(self):
        return "Friendly"


def correctness():
    return GEval(
        name="Correctness",
        evaluation_steps=["Hold the output against the expected output."],
        evaluation_params=[SingleTurnParams.ACTUAL_OUTPUT, SingleTurnParams.EXPECTED_OUTPUT],
        model=MadeUpModel(),
        async_mode=False,
    )


CASES = [
    LLMTestCase(
        name="opening",
        input="When does the museum open?",
        actual_output="It opens at nine.",
        expected_output="At nine.",
        retrieval_context=["The museum opens at nine.", "It is closed on Mondays."],
        tools_called=[ToolCall(name="lookup", input_parameters={"day": "Tuesday"}, output="9:00")],
    ),
    LLMTestCase(
        name="closed",
        input="On which day is it closed?",
        actual_output="It is closed on Sundays, as far as I know from the page.",
        expected_output="On Mondays.",
        context=["The museum is closed on Mondays."],
    ),
    LLMTestCase(
        name="price",
        input="What does a ticket cost?",
        actual_output="It costs 12 euros.",
        expected_output="It costs 12 euros.",
    ),
]

TALK = ConversationalTestCase(
    name="talk",
    scenario="A visitor says good morning.",
    expected_outcome="The visitor is greeted.",
    turns=[Turn(role="user", content="Good morning"), Turn(role="assistant", content="Good morning! What can I do?")],
)


def run(cases, metrics, kept: str):
    evaluate(
        test_cases=cases,
        metrics=metrics,
        identifier="museum bot 2",
        hyperparameters={"model": "museum-bot", "prompt": "v2"},
        async_config=AsyncConfig(run_async=False),
        display_config=DisplayConfig(show_indicator=False, print_results=False, results_folder=f"{FOLDER}/{kept}"),
        error_config=ErrorConfig(ignore_errors=True),
    )
    made = next(Path(FOLDER, kept).glob("*.json"))
    shutil.copy(made, HERE / f"{kept}.json")


if __name__ == "__main__":
    run(CASES, [correctness(), Short()], "deepeval-run")
    run([TALK], [Friendly()], "deepeval-conversation")
