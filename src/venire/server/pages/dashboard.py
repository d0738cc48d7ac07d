"""What everybody looks at first: who leads, where it breaks, how judges agree, how votes age, and what it cost."""

from __future__ import annotations

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromQuery
from litestar.response import Redirect

from venire.errors import PoolingError, UsageError
from venire.reports.report import Report
from venire.reports.words import ReportWords, e_text
from venire.server.court.court import Court
from venire.server.court.vote_views import VoteStanding
from venire.server.pages.canary_chart import canary_chart
from venire.server.pages.curve_chart import curve_caption, curve_chart, ranked_votes
from venire.server.pages.rendering import AnyRequest, may_read, page_words, render
from venire.server.pages.report_pieces import DASHBOARD, JUDGES, chosen_sections
from venire.server.people.person import logged_in, readers_only

LISTED_SCORES = 50
"""How many items the table of scores lists."""


async def read_report(request: AnyRequest, court: Court) -> tuple[Report | None, str]:
    """Return the report, or why there is none: numbers that may not be pooled need a choice first."""
    try:
        return await court.report(), ""
    except (PoolingError, UsageError) as error:
        return None, error.said(page_words(request))


@get("/", name="home", opt=logged_in())
async def home(request: AnyRequest, court: NamedDependency[Court]) -> Response[str] | Redirect:
    """Show the dashboard, or to jurors what they are asked."""
    if not may_read(request.user):
        return Redirect("/vote")
    return await dashboard(request, court)


async def dashboard(request: AnyRequest, court: Court) -> Response[str]:
    """Show the dashboard."""
    report, problem = await read_report(request, court)
    words = page_words(request, report.names if report else None)
    voted = await court.voted_items(LISTED_SCORES)
    standing = await court.vote_standing()
    return render(
        request,
        "dashboard.html",
        words,
        overview=await court.overview(),
        report=report,
        all_outputs=("/outputs", 0),
        sections=chosen_sections(report, DASHBOARD),
        problem=problem,
        scores=sorted(voted, key=lambda item: item.last_update, reverse=True),
        curves=curve_chart(standing, words),
        curves_caption=curve_caption(standing, words),
        said=_said(standing, words),
        ageing=_ageing(standing, words),
        agreement=_agreement(standing, words),
        critical=f"{court.options.decay.critical_variance:g}",
        standing=standing,
        canaries=await court.canary_curves(),
        canary_chart=canary_chart,
        e_text=e_text,
        ranked=ranked_votes,
    )


def _said(standing: VoteStanding, words: ReportWords) -> str:
    """Return the answer of the votes in one sentence."""
    if not standing.models:
        return words("pages.scores.none")
    if not standing.is_led:
        return words("pages.results.says.open" if len(standing.models) > 1 else "pages.results.says.one")
    return words("pages.results.says.led", model=standing.models[0].model)


def _agreement(standing: VoteStanding, words: ReportWords) -> str:
    """Say in a word how far voters agree."""
    state = standing.agreement_state
    return words("unknown" if state == "unknown" else f"pages.results.agree_{state}")


def _ageing(standing: VoteStanding, words: ReportWords) -> str:
    """Say what ageing did to the scores; nothing without votes, or for comparisons of pairs."""
    moves = [abs(each.score - each.unaged) for each in standing.models if each.unaged is not None]
    if not moves:
        return ""
    if max(each.batches for each in standing.models) == 1:
        return words("pages.results.equal")
    return words("pages.results.aged", moved=f"{max(moves):.2f}")


@get("/judges", name="judges", opt=readers_only())
async def judges(request: AnyRequest, court: NamedDependency[Court]) -> Response[str]:
    """Show every judge as an instrument."""
    report, problem = await read_report(request, court)
    words = page_words(request, report.names if report else None)
    return render(request, "judges.html", words, sections=chosen_sections(report, JUDGES), problem=problem)


@get("/items", name="item", opt=readers_only())
async def item_page(request: AnyRequest, output: FromQuery[str], prompt: FromQuery[str] = "") -> Response[str]:
    """Show the page, which asks the API for the votes: there may be very many."""
    return render(request, "item.html", page_words(request), output=output, prompt=prompt)
