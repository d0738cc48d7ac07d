"""Makes the Inspect logs beside it with the real tool and its offline model; run in an environment of its own.

    pip install inspect_ai==0.3.285 && python make_inspect.py

`inspect-panel.eval`  two epochs, three graders and `includes`; one grade cannot be read, one sample fails
`inspect-agent.json`  a conversation with a tool, several targets and a scorer with two numbers, in the JSON format
"""

from pathlib import Path

import inspect_ai
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import write_eval_log
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Target, includes, mean, model_graded_qa, scorer
from inspect_ai.solver import Generate, TaskState, generate, solver, system_message, use_tools
from inspect_ai.tool import tool

HERE = Path(__file__).parent


def counted(output: ModelOutput) -> ModelOutput:
    """Give the tokens, which the offline model would count with a vocabulary from the internet."""
    output.usage = ModelUsage(input_tokens=20, output_tokens=5, total_tokens=25)
    return output


def answering(name: str, replies: list[str]):
    outputs = [counted(ModelOutput.from_content(f"mockllm/{name}", each)) for each in replies]
    return get_model(f"mockllm/{name}", custom_outputs=outputs)


@solver
def fails_on(name: str):
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.sample_id == name:
            raise RuntimeError("the search index is not reachable")
        return state

    return solve


def panel_log() -> None:
    questions = [
        Sample(id="opening", input="When does the museum open?", target="It opens at nine."),
        Sample(id="closed", input="On which day is it closed?", target="It is closed on Mondays."),
        Sample(id="price", input="What does a ticket cost?", target="A ticket costs 12 euros."),
    ]
    task = Task(
        name="museum",
        dataset=questions,
        solver=[system_message("You answer visitors of a museum."), fails_on("price"), generate()],
        scorer=[
            model_graded_qa(
                model=[
                    answering("ash", ["It matches.\nGRADE: C", "GRADE: I", "GRADE: C", "GRADE: C"]),
                    answering(
                        "birch", ["GRADE: C", "Wrong day.\nGRADE: I", "I would rather not grade this.", "GRADE: C"]
                    ),
                    answering("cedar", ["GRADE: C", "GRADE: C", "GRADE: C", "GRADE: I"]),
                ]
            ),
            includes(),
        ],
    )
    model = answering(
        "visitor-bot",
        [
            "It opens at nine.",
            "It is closed on Sundays.",
            "It opens at nine. " + "Come early. " * 12,
            "It is closed on Mondays.",
        ],
    )
    log = inspect_ai.eval(
        task, model=model, epochs=2, max_samples=1, fail_on_error=False, display="none", log_dir="/tmp/imp/logs"
    )[0]
    write_eval_log(log, str(HERE / "inspect-panel.eval"), format="eval")


@tool
def opening_hours():
    async def execute(day: str) -> str:
        """Look up the opening hours.

        Args:
            day: The day of the week.
        """
        return f"{day}: 9:00 to 17:00"

    return execute


@scorer(metrics={"polite": [mean()], "short": [mean()]})
def manners():
    async def score(state: TaskState, target: Target) -> Score:
        said = state.output.completion
        return Score(
            value={"polite": 4 if "please" in said else 1, "short": 5 if len(said) < 60 else 2}, explanation="by rule"
        )

    return score


@scorer(metrics=[mean()])
def judged_later():
    async def score(state: TaskState, target: Target) -> Score:
        if state.sample_id == "hours":
            return Score.unscored(reason="grader_failed", explanation="the grader timed out")
        return Score(value=True)

    return score


def agent_log() -> None:
    questions = [
        Sample(
            id="hours",
            input=[ChatMessageSystem(content="Use the tool."), ChatMessageUser(content="When may I come on Tuesday?")],
            target=["9:00 to 17:00", "from nine to five"],
            metadata={"language": "en"},
        ),
        Sample(id="thanks", input="Thank you!", target="You are welcome."),
    ]
    outputs = [
        ModelOutput.for_tool_call("mockllm/guide", "opening_hours", {"day": "Tuesday"}),
        ModelOutput.from_content("mockllm/guide", "On Tuesday we are open 9:00 to 17:00, please come in time."),
        ModelOutput.from_content("mockllm/guide", "You are welcome."),
    ]
    task = Task(
        name="agent",
        dataset=questions,
        solver=[use_tools(opening_hours()), generate()],
        scorer=[manners(), judged_later()],
    )
    model = get_model("mockllm/guide", custom_outputs=[counted(each) for each in outputs])
    log = inspect_ai.eval(task, model=model, max_samples=1, display="none", log_dir="/tmp/imp/logs")[0]
    write_eval_log(log, str(HERE / "inspect-agent.json"), format="json")


if __name__ == "__main__":
    panel_log()
    agent_log()
