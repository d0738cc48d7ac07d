# ruff: noqa: E402 - the environment must be set before the tool is imported
"""Makes the MLflow traces beside it with the real tool and a store in a temporary folder.

    pip install mlflow==3.17.2 && python make_mlflow.py

`mlflow-traces.json`  a list of traces as `Trace.to_dict` gives them: feedback of people, judges and code, an overridden
                      one, a judge that failed, and expectations
`mlflow-store.db.gz`  the database that they were read from
"""

import gzip
import json
import os
import tempfile
from pathlib import Path

FOLDER = tempfile.mkdtemp()
os.chdir(FOLDER)
os.environ |= {"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"}

import mlflow
from mlflow.entities import AssessmentError, AssessmentSource, AssessmentSourceType, Document, SpanType
from mlflow.genai.scorers import scorer

HERE = Path(__file__).parent
mlflow.set_tracking_uri(f"sqlite:///{FOLDER}/store.db")
mlflow.set_experiment("museum")

PAGES = {"open": "The museum opens at nine.", "closed": "The museum is closed on Mondays."}
ANSWERS = {"When does the museum open?": "It opens at nine.", "On which day is it closed?": "It is closed on Sundays."}


@mlflow.trace(span_type=SpanType.RETRIEVER)
def search(question: str) -> list[Document]:
    return [Document(page_content=page, metadata={"doc_uri": name}) for name, page in PAGES.items()]


@mlflow.trace(span_type=SpanType.CHAT_MODEL)
def ask(messages: list[dict]) -> dict:
    if span := mlflow.get_current_active_span():
        span.set_attribute("mlflow.llm.model", "museum-bot-2")
    return {"choices": [{"message": {"role": "assistant", "content": ANSWERS[messages[-1]["content"]]}}]}


@mlflow.trace
def answer(question: str) -> str:
    search(question)
    reply = ask([{"role": "system", "content": "You answer visitors."}, {"role": "user", "content": question}])
    return reply["choices"][0]["message"]["content"]


@scorer
def short(outputs) -> bool:
    return len(outputs) < 20


JUDGE = AssessmentSource(AssessmentSourceType.LLM_JUDGE, "openai:/made-up-judge")
SECOND = AssessmentSource(AssessmentSourceType.LLM_JUDGE, "openai:/second-judge")
PERSON = AssessmentSource(AssessmentSourceType.HUMAN, "ada@example.org")


def main() -> None:
    data = [
        {"inputs": {"question": question}, "expectations": {"expected_response": "At nine."}} for question in ANSWERS
    ]
    mlflow.genai.evaluate(data=data, predict_fn=answer, scorers=[short])
    first, second = sorted(
        mlflow.search_traces(return_type="list"), key=lambda trace: "open" not in str(trace.data.request)
    )
    one, two = first.info.trace_id, second.info.trace_id
    mlflow.log_feedback(trace_id=one, name="correctness", value="yes", rationale="It names the hour.", source=JUDGE)
    mlflow.log_feedback(trace_id=one, name="correctness", value="yes", source=JUDGE, rationale="Asked again.")
    mlflow.log_feedback(trace_id=one, name="correctness", value="yes", source=SECOND)
    mlflow.log_feedback(trace_id=two, name="correctness", value="no", rationale="It is another day.", source=JUDGE)
    mlflow.log_feedback(
        trace_id=two, name="correctness", source=SECOND, error=AssessmentError("RATE_LIMIT", "the judge was overloaded")
    )
    mlflow.log_feedback(trace_id=one, name="helpful", value=4, source=PERSON, rationale="Clear.")
    wrong = mlflow.log_feedback(trace_id=two, name="helpful", value=5, source=PERSON)
    mlflow.override_feedback(
        trace_id=two, assessment_id=wrong.assessment_id, value=1, source=PERSON, rationale="Wrong day."
    )
    traces = [mlflow.get_trace(trace).to_dict() for trace in (one, two)]
    Path(HERE, "mlflow-traces.json").write_text(json.dumps(traces, indent=1), encoding="utf-8")
    Path(HERE, "mlflow-store.db.gz").write_bytes(gzip.compress(Path(FOLDER, "store.db").read_bytes(), 9, mtime=0))


if __name__ == "__main__":
    main()
