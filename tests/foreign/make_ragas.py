"""Makes the table of ragas beside it with the real tool, a metric without a model and one that fails once.

    pip install ragas==0.4.3 rapidfuzz "langchain-community<0.4" && python make_ragas.py

`ragas.jsonl`       the rows of `EvaluationResult.to_pandas()`
`ragas-scores.csv`  its scores, one a line
"""

import os
from pathlib import Path

os.environ["RAGAS_DO_NOT_TRACK"] = "true"

from ragas import EvaluationDataset, evaluate
from ragas.metrics import NonLLMStringSimilarity
from ragas.metrics.base import MetricType, SingleTurnMetric
from ragas.run_config import RunConfig

HERE = Path(__file__).parent


class Names(SingleTurnMetric):
    name = "names_a_day"
    _required_columns = {  # noqa: RUF012
        MetricType.SINGLE_TURN: {"response"}
    }

    def init(self, run_config: RunConfig) -> None:
        pass

    async def _single_turn_ascore(self, sample, callbacks) -> float:
        if "day" not in sample.response:
            raise RuntimeError("the judge is overloaded")
        return 1.0

    async def _ascore(self, row, callbacks) -> float:
        raise NotImplementedError


ROWS = [
    {
        "user_input": "When does the museum open?",
        "response": "The museum opens at nine.",
        "retrieved_contexts": ["The museum opens at nine."],
        "reference": "The museum opens at nine.",
    },
    {
        "user_input": "On which day is it closed?",
        "response": "It is closed on Sundays.",
        "retrieved_contexts": ["The museum is closed on Mondays."],
        "reference": "It is closed on Mondays.",
    },
]


def main() -> None:
    metrics = [NonLLMStringSimilarity(), Names()]
    result = evaluate(EvaluationDataset.from_list(ROWS), metrics=metrics, show_progress=False, raise_exceptions=False)
    frame = result.to_pandas()
    frame.to_json(HERE / "ragas.jsonl", orient="records", lines=True)
    asked = ["user_input", "response", "retrieved_contexts", "reference"]
    scores = frame.drop(columns=asked, errors="ignore").rename_axis("unit").reset_index()
    scores = scores.melt("unit", var_name="dimension", value_name="score").assign(rater="ragas")
    scores.to_csv(HERE / "ragas-scores.csv", index=False)


if __name__ == "__main__":
    main()
