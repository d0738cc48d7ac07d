"""Makes the OpenAI Evals logs beside it with the real `oaieval` and completion functions that need no network.

    pip install evals==3.0.1.post1 && python make_openai_evals.py

`openai-evals-match.jsonl`  answers held against a reference by `match`
`openai-evals-fact.jsonl`   answers graded by a model, which once gives a grade that cannot be read
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ASKED = [
    ("When does the museum open?", "It opens at nine."),
    ("On which day is it closed?", "It is closed on Mondays."),
]

BOTS = """
from evals.api import CompletionFn, CompletionResult
from evals.record import record_sampling

class Said(CompletionResult):
    def __init__(self, text):
        self.text = text
    def get_completions(self):
        return [self.text]

class Bot(CompletionFn):
    def __init__(self, **_):
        pass
    def __call__(self, prompt, **_):
        text = self.say(str(prompt))
        record_sampling(prompt=prompt, sampled=[text], model=type(self).__name__.lower())
        return Said(text)

class Visitor(Bot):
    def say(self, prompt):
        return "It opens at nine." if "open" in prompt else "It is closed on Sundays."

class Grader(Bot):
    def say(self, prompt):
        return "The day differs.\\n\\nI would rather not grade this." if "Sundays" in prompt else "They agree.\\n\\n(C)"
"""

REGISTRY = {
    "completion_fns/bots.yaml": {"visitor": {"class": "bots:Visitor"}, "grader": {"class": "bots:Grader"}},
    "evals/museum.yaml": {
        "museum-match": {"id": "museum-match.dev.v0", "metrics": ["accuracy"]},
        "museum-match.dev.v0": {"class": "evals.elsuite.basic.match:Match", "args": {"samples_jsonl": "SAMPLES"}},
        "museum-fact": {"id": "museum-fact.dev.v0", "metrics": ["score"]},
        "museum-fact.dev.v0": {
            "class": "evals.elsuite.modelgraded.classify:ModelBasedClassify",
            "args": {"samples_jsonl": "SAMPLES", "eval_type": "cot_classify", "modelgraded_spec": "agrees"},
        },
    },
    "modelgraded/agrees.yaml": {
        "agrees": {
            "prompt": "Question: {input}\nExpert: {ideal}\nAnswer: {completion}\nDo they agree? (C) yes (D) no",
            "choice_strings": "CD",
            "choice_scores": {"C": 1.0, "D": 0.0},
            "input_outputs": {"input": "completion"},
        }
    },
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        samples = Path(folder, "museum.jsonl")
        system = {"role": "system", "content": "You answer visitors of a museum."}
        lines = [{"input": [system, {"role": "user", "content": asked}], "ideal": ideal} for asked, ideal in ASKED]
        samples.write_text("".join(json.dumps(line) + "\n" for line in lines))
        Path(folder, "bots.py").write_text(BOTS)
        for name, content in REGISTRY.items():
            path = Path(folder, "registry", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(content).replace("SAMPLES", str(samples)))
        environment = {**os.environ, "PYTHONPATH": folder, "OPENAI_API_KEY": "none", "EVALS_SEQUENTIAL": "1"}
        for name, functions in (("match", "visitor"), ("fact", "visitor,grader")):
            log = str(HERE / f"openai-evals-{name}.jsonl")
            command = [functions, f"museum-{name}", "--registry_path", f"{folder}/registry", "--record_path", log]
            subprocess.run(
                [sys.executable, "-m", "evals.cli.oaieval", *command], check=True, env=environment, cwd=folder
            )


if __name__ == "__main__":
    main()
