"""The words of reports in English. Sentences have their arguments in braces."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "unknown": "not known",
    "terminal.rows": "… and {rows:more row/more rows}",
    "terminal.more": (
        "This is the main part. {tables:more table/more tables}, and how each number was made: `--html report.html` "
        "writes the page, `--full` prints everything here."
    ),
    "terminal.all": "`--html report.html` writes the page, which also says how each number was made.",
    "yes": "yes",
    "no": "no",
    "comma": ", ",
    "list": ", ",
    "semicolon": "; ",
    "title": "Report of a panel of judges",
    "subtitle": "From {name}, {digest}",
    "made_by": "Made by Venire {version} with seed {seed}; the same input, choices and seed give the same bytes.",
    "contents": "Contents",
    "contained": (
        "Every number is a link to how it was made and to the judgements behind it. On the command line: {command}"
    ),
    "interval_note": "Ranges behind numbers are {level} intervals.",
    "section.summary": "In plain words",
    "section.leaderboard": "Leaderboard",
    "section.rollup": "Roll-up: from tests to one score",
    "section.dimensions": "Dimensions",
    "section.drift": "Prompt drift",
    "section.judges": "Judges",
    "section.verdicts": "Verdicts",
    "section.agreement": "Agreement between judges",
    "section.bias": "Bias",
    "section.people": "Against people",
    "section.invalid": "What was left out",
    "section.cost": "Cost and latency",
    "section.run_log": "Run log",
    "section.sources": "Sources of the numbers",
    "section.judgements": "Judgements",
    "section.pairwise": "Model against model",
    "table.strengths": "Strength of each model (Bradley–Terry), and Elo",
    "table.win_matrix": "How often the model in the row did better than the one in the column",
    "column.strength": "strength",
    "column.elo": "Elo",
    "column.won": "won",
    "column.tied": "tied",
    "column.lost": "lost",
    "pairwise.one_model": "There is one model only: nothing to compare it with.",
    "pairwise.read": (
        "On each question, variant and further factor, two models are compared by their panel scores. Strengths are "
        "logits with mean zero; their intervals rest on {clusters} clusters."
    ),
    "pairwise.no_fit": "Strengths are not known: {reason}.",
    "pairwise.no_model": "The data does not name target models: there is nothing to compare.",
    "pairwise.one_scored": "Only {model} has judgements that count: there is nothing to compare it with.",
    "pairwise.many": (
        "With {models} models the table of who did better than whom is left out; `venire compare SOURCE "
        "--pairwise` shows it."
    ),
    "table.leaderboard": "Target models by panel score, 0–10",
    "table.rollup": "Overall score and dimensions, 0–10",
    "table.rollup_tests": "The tests, 0–10",
    "table.leaderboard_otherwise": "The same if recovered judgements were {counted}",
    "table.comparisons": "Differences between models, on the same questions, variants and judges",
    "table.power": "What the comparisons could find, and what would settle them",
    "table.dimension_means": "Mean score by dimension",
    "table.dimension_failures": "Share of judgements below the highest score",
    "table.dimension_mapping": "Mapped onto the coarser rubric that the protocol names",
    "table.drift_map": "Mean total by prompt variant or other factor, and question",
    "table.drift_models": "Mean total by prompt variant or other factor, and target model",
    "table.slices": "Slices by one factor",
    "table.worst_slices": "Worst slices",
    "table.contrasts": "Paired contrasts: {factor}",
    "table.cliffs": "Cliffs: jumps of the hard-break rate between neighbouring variants",
    "table.judges": "Replies and validity",
    "table.severity": "Severity and consistency, on 0–10",
    "table.retests": "Asked twice: how well judges repeat themselves",
    "table.leave_one_out": "The panel with and without each judge, and weights learnt from consistency",
    "table.competence": "Competence by models of the hidden verdict",
    "table.competence_models": (
        "The models of the hidden verdict: share of outputs with the same verdict, and convergence"
    ),
    "table.alpha": "Agreement by dimension",
    "table.verdicts": "Agreement on verdicts",
    "table.verdict_shares_target_model": "How often each verdict was given, by target model",
    "table.verdict_shares_rater": "How often each verdict was given, by judge",
    "table.verdict_pairs": "Agreement of every two judges on verdicts (Cohen's kappa)",
    "table.position": "Position bias: pairs that a judge saw in both orders",
    "table.pairs": "Correlation between every two judges (Pearson, overall scores)",
    "table.bias": "Biases that were looked for",
    "table.people": "Judges beside people",
    "table.people_slices": "Judges beside people, slice by slice (overall scores)",
    "table.dependence": "Do judges err together?",
    "table.weights_from_people": "Weights that the errors against people would give",
    "table.corrected": "Means corrected by human labels, on the protocol's own scale",
    "table.calibration": "Human mean by the panel's mean score",
    "table.confusion": "Verdicts of judges (rows) and people (columns)",
    "table.people_verdicts": "Agreement with people on verdicts",
    "table.people_verdict_slices": "Agreement with people on verdicts, slice by slice",
    "table.corrected_pass": "Share of PASS corrected by human verdicts (Rogan–Gladen)",
    "table.excluded": "Judgements by outcome",
    "table.off_scale": "Scores outside of their scale",
    "table.broken_rules": "Rules that replies broke",
    "table.cost": "Requests, time and money",
    "table.run": "Facts of the run",
    "table.instruments": "The judges as instruments",
    "head.target_model": "target model",
    "head.question_id": "question",
    "head.prompt_variant": "prompt variant",
    "head.trigger": "trigger",
    "head.trigger_type": "trigger",
    "head.language": "language",
    "head.category": "category",
    "head.rater": "judge",
    "head.dimension": "dimension",
    "head.factor": "factor",
    "head.level": "level",
    "head.first": "first",
    "head.second": "second",
    "head.outcome": "outcome",
    "head.rule": "rule",
    "head.fact": "fact",
    "head.measured": "measured on",
    "head.latent": "model",
    "head.bias": "bias",
    "head.bin": "group",
    "head.verdict": "judge's verdict",
    "column.score": "panel score",
    "column.grade": "grade",
    "column.z": "z-score",
    "column.mean": "mean total",
    "column.hard_break": "hard-break rate",
    "column.hard_breaks": "hard breaks / judged",
    "column.coverage": "coverage",
    "column.samples": "samples",
    "column.judgements": "judgements",
    "column.difference": "difference, first − second",
    "column.p": "p",
    "column.p_adjusted": "p, Holm",
    "column.pairs": "pairs",
    "column.detectable": "detectable difference",
    "column.questions": "questions",
    "column.questions_needed": "questions needed for the difference seen",
    "column.before": "rate before",
    "column.after": "rate after",
    "column.jump": "jump",
    "column.recorded": "recorded",
    "column.valid": "valid",
    "column.counted": "counted",
    "column.misstated": "overall misstated",
    "column.raw_mean": "raw mean",
    "column.leniency": "leniency, adjusted",
    "column.scatter": "scatter",
    "column.with_rest": "correlation with the rest",
    "column.exact_match": "same again",
    "column.absolute_difference": "mean absolute difference",
    "column.retest_correlation": "correlation",
    "column.retest_icc": "ICC(1,1)",
    "column.with_judge": "panel with",
    "column.without_judge": "panel without",
    "column.moved_by": "moved by",
    "column.weight": "weight",
    "column.weight_learnt": "weight learnt",
    "column.dawid_skene": "Dawid–Skene",
    "column.one_coin": "one-coin",
    "column.mace": "MACE",
    "column.verdict_count": "verdicts",
    "column.lowest_judge": "lowest judge",
    "column.iterations": "iterations",
    "column.converged": "converged",
    "column.outputs": "outputs",
    "column.alpha": "alpha",
    "column.band": "in words",
    "column.percent": "percent agreement",
    "column.ac": "Gwet AC2",
    "column.ac1": "Gwet AC1",
    "column.icc": "ICC(2,1)",
    "column.fleiss": "Fleiss' kappa",
    "column.alpha_nominal": "alpha, nominal",
    "column.estimate": "estimate",
    "column.observations": "observations",
    "column.human_mean": "mean of people",
    "column.judge_mean": "mean of the judge",
    "column.panel_mean": "mean of the panel",
    "column.judge_bias": "judge − people",
    "column.correlation": "correlation",
    "column.labelled": "labelled",
    "column.same_verdict": "same verdict",
    "column.kappa": "Cohen's kappa",
    "column.precision": "people say so too",
    "column.recall": "found of what people say",
    "column.corrected": "corrected",
    "column.naive": "judges alone",
    "column.labels_only": "labels alone",
    "column.gain": "labels' worth",
    "column.error_correlation": "correlation of errors",
    "column.effective_size": "as good as so many independent judges",
    "column.error_variance": "error variance",
    "column.sensitivity": "sensitivity",
    "column.specificity": "specificity",
    "column.first_place": "first place wins beyond a half",
    "column.flips": "outcomes that change with the order",
    "column.both_orders": "pairs in both orders",
    "column.share": "share",
    "column.findings": "findings",
    "column.flag": "flag",
    "column.requests": "requests",
    "column.failures": "failures",
    "column.median_seconds": "median seconds",
    "column.slow_seconds": "95 % within, seconds",
    "column.input_tokens": "tokens in",
    "column.output_tokens": "tokens out",
    "column.cost": "cost",
    "column.given": "given",
    "column.lowest": "lowest possible",
    "column.highest": "highest possible",
    "column.value": "value",
    "column.model": "model",
    "column.kind": "kind",
    "column.decoding": "decoding",
    "column.blind": "blind",
    "column.tools": "tools or web",
    "column.language": "language",
    "column.version": "version (digest)",
    "outcome.counted": "counted",
    "outcome.superseded": "superseded by a later validation",
    "outcome.invalid": "invalid",
    "outcome.recovered": "recovered from a reply that is not strict JSON",
    "outcome.self-judged": "self-judged",
    "outcome.asked again": "asked again, for consistency",
    "outcome.without a score": "without a score",
    "fact.origin": "made from",
    "fact.software": "software of the report",
    "fact.entries": "entries read",
    "fact.protocol": "protocol",
    "fact.prompts": "prompt templates",
    "fact.times": "judgements recorded",
    "fact.run": "run",
    "fact.answered": "answered / planned tasks",
    "fact.samples": "samples",
    "fact.judgements": "judgements",
    "fact.seed": "seed and level of intervals",
    "measured.panel": "panel",
    "measured.verdict": "verdict",
    "latent.dawid_skene": "Dawid–Skene",
    "latent.one_coin": "one-coin",
    "latent.mace": "MACE",
    "weights.panel": "as configured",
    "weights.rescaled": "as configured, rescaled to sum to 1",
    "weights.equal": "equal, as the ratings have none",
    "head.about": "about",
    "head.unit": "output",
    "head.status": "status",
    "head.method": "method",
    "head.repeat": "asking",
    "column.needed": "needed",
    "bias.self-preference": "self-preference",
    "bias.length": "length",
    "bias.language": "language",
    "bias.score compression": "score compression",
    "bias.halo": "halo",
    "meaning.self-preference": "points on 0–10 that the judge adds to its own outputs, beyond what it adds to others",
    "meaning.length": (
        "points on 0–10 for each doubling of length, among outputs to one question; longer may also be better"
    ),
    "meaning.language": "points on 0–10 that the judge adds to this language beyond the rest, compared with the panel",
    "meaning.score compression": "share of the judge's most frequent score; 100 % means one score for everything",
    "meaning.halo": "mean correlation between a judge's own dimensions, minus that with other judges' other dimensions",
    "bias.means": "{name}: {meaning}.",
    "bias.not_here": (
        "Position bias needs pairwise judgements, and flips under masking need two versions of a judge; neither "
        "can be seen in one report."
    ),
    "grade.excellent": "excellent",
    "grade.good": "good",
    "grade.acceptable": "acceptable",
    "grade.poor": "poor",
    "grade.critical": "critical",
    "reliability.very-low": "very low reliability",
    "reliability.low": "low reliability",
    "reliability.moderate": "moderate reliability",
    "reliability.high": "high reliability",
    "reliability.very-high": "very high reliability",
    "correlation.very-low": "very low agreement",
    "correlation.low": "low agreement",
    "correlation.moderate": "moderate agreement",
    "correlation.high": "high agreement",
    "correlation.very-high": "very high agreement",
    "nothing.counts": "No judgement counts, so there is nothing to compute. The section “What was left out” says why.",
    "nothing.recorded": "No judgement was recorded.",
    "pair": "{first} and {second}",
    "pair.worse": "{name} (by {difference} points, p {p})",
    "pair.open": "{first} and {second} ({difference} points, p {p})",
    "more": "and {count} more",
    "summary.empty": "There is no judgement: nothing was compared, and nothing can be concluded.",
    "summary.compared": (
        "What was compared: {samples:output/outputs} of {model_count:target model/target models} ({models}), on "
        "{questions:question/questions} and {variants:prompt variant/prompt variants}."
    ),
    "summary.judged": "Who judged: {count:judge/judges} ({judges}), under the protocol {protocol}.",
    "summary.judged_verdicts": (
        "The verdicts of {count:judge/judges} ({judges}) come from a table: whether replies were valid was not "
        "checked here."
    ),
    "summary.judged_table": (
        "The scores of {count:judge/judges} ({judges}) come from a table: whether replies were valid was not "
        "checked here."
    ),
    "derived.mean": (
        "The table has no overall scores: that of a judgement is the mean of its {count:dimension/dimensions} "
        "({dimensions}). `--overall` names another rule."
    ),
    "derived.present": (
        "The table has no overall scores: that of a judgement is, as asked for, the mean of those of its "
        "{count:dimension/dimensions} ({dimensions}) that have a score."
    ),
    "derived.sum": (
        "The table has no overall scores: that of a judgement is, as asked for, the sum of its "
        "{count:dimension/dimensions} ({dimensions})."
    ),
    "derived.dimension": "The table has no overall scores: as asked for, the score on {rule} stands for it.",
    "derived.without.present": (
        "{count:judgement lacks/judgements lack} a dimension or its scale, and so an overall score; "
        "`--overall present` takes the mean of the dimensions that are there."
    ),
    "derived.without.other": (
        "{count:judgement lacks/judgements lack} a dimension or its scale, and so an overall score."
    ),
    "derived.no_scale": (
        "The table does not say on which scale its dimensions are: they were taken to share one. "
        "`--scale LOWEST HIGHEST` says which."
    ),
    "summary.missing_files": (
        "The bundle of {model} lacks {count:planned file/planned files}: {files}. A bundle is judged whole."
    ),
    "summary.off_scale": (
        "{count:judgement has/judgements have} a score outside of the stated scale, which is invalid: see "
        "“What was left out”."
    ),
    "summary.complete": "{planned:planned task was/planned tasks were} answered, all of them.",
    "summary.incomplete": (
        "Not everything that was planned was answered: {answered} of {planned:task/tasks}; missing: {missing}. What "
        "follows is about a part only. Run the same command again to go on."
    ),
    "summary.plan_unknown": "Whether replies are missing is not known: a run of an earlier version recorded no plan.",
    "summary.plan_unknown_check": (
        "Whether replies are missing is not known: results of a check do not say what was planned."
    ),
    "summary.plan_unknown_table": "Whether scores are missing is not known: a table does not say what was planned.",
    "summary.quotes_not_compared": (
        "The quotes of {count:reply/replies} were not compared: the judged texts were not given to the check."
    ),
    "summary.missing": ("{count:combination/combinations} of question, variant and model without a sample: {named}."),
    "summary.counted": "{counted} of {total:judgement counts/judgements count}.",
    "summary.excluded.superseded": "{count:was/were} left out because of a later validation of the same reply.",
    "summary.excluded.invalid": "{count:was/were} left out as invalid, which is not the same as a low score.",
    "summary.excluded.recovered": (
        "{count:was/were} left out as recovered: the scores came from replies that are not strict JSON."
    ),
    "summary.excluded.self-judged": "{count:was/were} left out because a judge judged its own model.",
    "summary.excluded.asked again": (
        "{count:was a second asking/were second askings}, used only to see how well judges repeat themselves."
    ),
    "summary.excluded.without a score": "{count} had no score.",
    "summary.self_included": (
        "On request, judgements of a judge's own outputs are counted: judges may favour themselves, and these "
        "numbers are not primary statistics."
    ),
    "summary.recovered_included": "On request, judgements recovered from replies that are not strict JSON are counted.",
    "summary.method_unknown": (
        "Of {count:counted judgement/counted judgements} it is not known whether the judge judged itself."
    ),
    "summary.higher": (
        "It can be concluded that on the same questions these judges score {first} higher than {others}."
    ),
    "summary.not_told": "It cannot be concluded that these neighbours in the ranking differ: {pairs}.",
    "summary.untested": "Whether these differ could not be tested ({reason}): {pairs}.",
    "summary.detectable": (
        "With {questions:question/questions}, a true difference of {points} points of the total is found in "
        "four of five such comparisons; smaller ones are missed more often."
    ),
    "summary.detectable_by_output": (
        "With {questions:output/outputs} of one question, a true difference of {points} points of the total "
        "is found in four of five such comparisons; smaller ones are missed more often."
    ),
    "summary.needed": (
        "The smallest difference that is still open, {difference} points between {first} and {second}, would "
        "take about {needed:question/questions} like these to settle."
    ),
    "summary.needed_by_output": (
        "The smallest difference that is still open, {difference} points between {first} and {second}, would "
        "take about {needed:output/outputs} like these to settle."
    ),
    "summary.alpha": "The judges agree with alpha {alpha} on the overall score ({band}).",
    "summary.alpha_unknown": "How far the judges agree is not known: {reason}.",
    "summary.compared_unnamed": (
        "What was compared: {samples:output/outputs}; the data does not say of which target models."
    ),
    "summary.compared_unvaried": (
        "What was compared: {samples:output/outputs} of {model_count:target model/target models} ({models}), on "
        "{questions:question/questions}."
    ),
    "summary.scale.own": (
        "Differences are in points of the mean total, on its own scale of {low}–{high}; the leaderboard's panel "
        "score is brought to 0–10 and weighted by judge. p values are adjusted by Holm's method for "
        "{count:pair/pairs} of models."
    ),
    "summary.scale.same": (
        "Differences are in points of the mean total, on 0–10 as in the leaderboard. p values are adjusted by "
        "Holm's method for {count:pair/pairs} of models."
    ),
    "summary.scale.unknown": (
        "Differences are in points of the mean total, whose scale is not known. p values are adjusted by Holm's "
        "method for {count:pair/pairs} of models."
    ),
    "summary.untested_all": "Whether the models differ could not be tested: {reason}.",
    "summary.without_scores.target_model": "No judgement of outputs of {names} counts.",
    "summary.without_scores.rater": "No judgement by {names} counts.",
    "summary.without_scores.prompt_variant": "No judgement of the prompt variant {names} counts.",
    "summary.without_scores.question_id": "No judgement of the question {names} counts.",
    "limits.one_judge": "One judge alone: how much of a score is the judge's taste is not known.",
    "limits.few_questions": (
        "With {questions:question/questions}, the intervals say little about other questions: they are wide, and "
        "rest on few."
    ),
    "limits.no_questions": (
        "The data does not say which outputs answer the same question: outputs were taken as independent."
    ),
    "limits.no_people": (
        "Without labels by people, the report says how these judges score, not how good the outputs are to people."
    ),
    "limits.people": "{count:label/labels} by people may tell how far the judges can be trusted: see “Against people”.",
    "limits.rules": "All judges are rules: they see words, not meaning.",
    "weights": "Weights of the judges: {weights} ({origin}).",
    "z.read": (
        "The z-score says how many standard deviations a model's outputs lie above or below each judge's own mean; it "
        "is a check beside the panel score and no part of it."
    ),
    "rollup.read": "Tests make dimensions, and dimensions the overall score, by the weights of the configuration.",
    "rollup.dimension": "{name} counts {weight}: {tests}.",
    "rollup.incomplete": "{model} has no score in {tests}; the weights are shared by the other tests.",
    "rollup.unused": "Scored, and no part of the roll-up: {tests}.",
    "rollup.no_tests": (
        "There is no roll-up: its tests are the values of {factor}, and no output that counts has one."
    ),
    "scales.mixed": (
        "The judges score on different scales: all scores were brought to 0–10 before anything was averaged."
    ),
    "panel.incomplete": (
        "{count:output was/outputs were} scored by only a part of the panel; weights were renormalised over the "
        "judges present."
    ),
    "recovered.counted": "counted",
    "recovered.left_out": "left out",
    "recovered.both": (
        "{count:judgement was/judgements were} recovered from replies that are not strict JSON; a second table "
        "shows the scores otherwise."
    ),
    "panel.without_scale": (
        "{count:score has/scores have} no known scale, and no part in panel scores; `--scale LOWEST HIGHEST` or "
        "columns `overall_minimum` and `overall_maximum` say it."
    ),
    "comparisons.read": (
        "Differences are of the mean total, with errors clustered by question; p values are adjusted by Holm's "
        "method for {count:pair/pairs} of models."
    ),
    "comparisons.many": (
        "Of {models} models, {count:pair was/pairs were} compared: neighbours in the ranking, and each with the "
        "best, {best}. The scores themselves chose them, so p values are adjusted for all pairs. {left:pair "
        "was/pairs were} left out: `--all-pairs` compares every two, `venire compare SOURCE --models A B` those "
        "that you name."
    ),
    "comparisons.none": "Models were not compared with each other: {reason}.",
    "power.read": (
        "A detectable difference is one that is found with {power} probability at the level of the intervals,"
        " in one comparison by itself; needed questions are the least number that would find the difference "
        "seen, if it is the true one."
    ),
    "dimensions.none": "There are only overall scores: nothing can be broken down.",
    "dimensions.read": "Means are on the dimension's own scale; a failure is a score below the highest.",
    "dimensions.mapped": (
        "The protocol maps its dimensions onto those of {onto}. What is mapped stands under this protocol's digest "
        "and is not pooled with scores that were given under the other."
    ),
    "dimensions.mapped.lowest": "A mapped score is the lowest of those that make it up.",
    "dimensions.mapped.mean": "A mapped score is the mean of those that make it up.",
    "drift.none": (
        "There is one prompt variant at most and no further factor that varies, so drift cannot be seen in this data."
    ),
    "drift.read": (
        "Slices are means of the overall score; contrasts compare outputs on the same question, model, judge and "
        "other factors."
    ),
    "drift.structure": "A hard break is the lowest score on {dimension}.",
    "drift.many": "There are {levels:level/levels} of {factor}: they are not listed one by one.",
    "drift.no_structure": "No dimension was named as structure, so hard-break rates are not known.",
    "drift.not_contrasted": (
        "The {levels} levels of {factor} are too many to be compared two by two; `venire compare SOURCE "
        "--variants A B` compares two prompt variants."
    ),
    "judges.valid_table": (
        "Valid is a row of the table that has a score, on the scale where one is stated; replies were not checked."
    ),
    "judges.read": (
        "Leniency is how far a judge scores above the panel on the same samples and dimensions; scatter is what "
        "remains unexplained."
    ),
    "judges.constant": "{judge} gives the same score to {share} of the outputs: it hardly tells them apart.",
    "judges.lenient": (
        "{judge} is far more lenient than the rest of the panel: by {points} points of 0–10 on the same outputs."
    ),
    "judges.severe": (
        "{judge} is far more severe than the rest of the panel: by {points} points of 0–10 on the same outputs."
    ),
    "judges.misstated": (
        "{judge} states an overall score that does not follow from its criteria in {count} of {compared} replies, by "
        "up to {points}. What counts is the overall score computed from the criteria."
    ),
    "judges.apart": (
        "The scores of {judge} go with no other judge's: at best r = {value} with {other} ({band}), over "
        "{outputs:output/outputs}."
    ),
    "judges.against": (
        "{judge} scores against the panel: where every other judge scores high, it scores low (at best r = {value} "
        "with {other}, over {outputs:output/outputs})."
    ),
    "judges.two_apart": (
        "The scores of {judge} and {other} do not go together: r = {value} ({band}), over {outputs:output/outputs}. "
        "From two judges alone it is not known which of them is wrong."
    ),
    "retests.none": "No task was asked twice, so it is not known how well judges repeat themselves.",
    "retests.low": "{judge} repeats itself poorly: ICC {value} over {pairs:pair/pairs} is under {limit}.",
    "retests.few": "{judge}: too few pairs to judge consistency ({pairs}; it takes {needed} outputs asked twice).",
    "retests.unknown": "{judge}: consistency over {pairs:pair/pairs} is not known: {reason}.",
    "weights.learnt": "Learnt weights reward steadiness, not truth: only labels by people can tell who is right.",
    "competence.read": (
        "Models of hidden verdicts infer the right verdict from all judges at once, and from it how often "
        "each judge is right (Dawid–Skene, one-coin) or does not guess (MACE). An error that all judges share"
        " stays invisible to them."
    ),
    "competence.by_score": (
        "Judges stated no verdicts: those that the protocol makes of their overall scores were taken."
    ),
    "competence.exposed": (
        "All three models expose {judge}: its competence lies below the rest (Dawid–Skene {dawid_skene}, one-"
        "coin {one_coin}, MACE {mace})."
    ),
    "competence.nobody": "No judge is put below the rest by all three models beyond chance.",
    "competence.not_converged": "{model} stopped at the limit of iterations before its likelihood settled.",
    "competence.none": "Models of hidden verdicts (Dawid–Skene, one-coin, MACE) were not fitted: {reason}.",
    "agreement.one_judge": "There is one judge only: agreement between judges is not known.",
    "agreement.read": "Alpha is 1 for full agreement and 0 for chance; it is not known where scores do not vary.",
    "agreement.by_question": "Intervals of alpha: {replicates} resamples of whole questions.",
    "agreement.by_output": (
        "Intervals of alpha: {replicates} resamples of outputs, as there are too few questions to resample them; "
        "outputs of one question are alike, so the intervals are too narrow."
    ),
    "agreement.one_scored": "Only {judge} has judgements that count: agreement between judges is not known.",
    "bias.read": "Each bias says how many observations it rests on, and is silent below a stated minimum.",
    "people.none": "No labels by people were given (`--labels FILE`): how judges compare with people is not known.",
    "people.unmatched": (
        "{count:label names an output that is/labels name outputs that are} not in the data, or there more than "
        "once; left out."
    ),
    "people.read": "Labelled outputs are taken as a random part of all; otherwise the correction does not hold.",
    "people.no_match": "None of the labels names an output of the data.",
    "people.small_slices": (
        "{count:slice is/slices are} not shown: fewer than {smallest} labelled outputs of a judge fall into each."
    ),
    "excluded.read": "Left out does not mean lost: everything is in the ledger and can be traced.",
    "excluded.read_table": "Left out does not mean lost: every row is still in the table and can be traced.",
    "off_scale.many": (
        "Of {count} scores outside of their scale the first {listed} are listed; `venire trace REPORT.json "
        "excluded.invalid.judgements` walks to all."
    ),
    "rules.none": "No reply broke a rule that makes it invalid.",
    "verdicts.read": (
        "The table holds verdicts and no scores. Shares are of all verdicts that count, with errors clustered by "
        "question; an empty cell is no verdict."
    ),
    "verdicts.no_order": "Position bias is not known: the table does not say which of two outputs was shown first.",
    "rules.table": "A table of scores does not say which rules replies broke.",
    "cost.none": "No judge was asked.",
    "cost.check": "Results of a check do not say what judges cost or how long they took.",
    "cost.table": "A table of scores does not say what judges cost or how long they took.",
    "cost.read": "Counted over the whole ledger, failed requests included.",
    "log.check": "The replies were found and checked, not asked for: decoding and time range are not recorded.",
    "section.votes": "Votes",
    "table.votes_model": "Models by their votes",
    "table.votes_output": "Outputs by their votes",
    "table.votes_trail": "The trail: every vote and its weight in the score of its output",
    "head.output": "output",
    "head.voter": "voter",
    "head.voter_prompt": "voter prompt",
    "head.voter_kind": "votes of",
    "head.vote_time": "cast",
    "voter_kind.person": "people",
    "voter_kind.judge": "judges",
    "column.vote_score": "score",
    "column.freshness": "freshness",
    "column.batch_variance": "batch variance",
    "column.vote_variance": "variance",
    "column.ambiguous": "ambiguous",
    "column.ambiguous_outputs": "ambiguous outputs",
    "column.votes": "votes",
    "column.voters": "voters",
    "column.last_vote": "last vote",
    "column.vote": "vote",
    "column.reputation": "reputation",
    "column.batch": "batch",
    "column.decay_factor": "α",
    "column.vote_weight": "weight",
    "column.entry": "entry",
    "votes.read": (
        "{votes:vote/votes} of {voters:voter/voters} on {outputs:output/outputs}; a score goes from 0 (reject) to 1 "
        "(accept). Old votes fade: the mean of each batch ({batch}) is weighed against the past by the time that "
        "passed, S ← α·S + (1−α)·mean with α = e^(−λΔt), λ = {rate} per day. Freshness is the share of the last batch "
        "in the score; the batch variance is that of its votes."
    ),
    "votes.asked": "Voters were asked ({prompt}): {question}",
    "votes.words_unknown": "The ledger does not hold the words of the voter prompt {prompt}.",
    "votes.no_prompt": "Some votes name no voter prompt: what these voters were asked is not known.",
    "votes.ambiguous": (
        "{count} of {items:output score/output scores} are ambiguous: the variance of the votes is above {critical}. "
        "`venire votes queue` lists what waits for a curator."
    ),
    "votes.no_model": "{votes:vote/votes} on outputs whose model is not known are missing from the table of models.",
    "votes.no_models": "There is no table of models: the ledger does not say which model an output is from.",
    "votes.more": "{count:further output is/further outputs are} not listed; `venire votes score` lists all.",
    "votes.trail": (
        "The trail, on the page and in the files of this report, names every vote with its batch, the batch's α, its "
        "weight and its entry in the ledger. The weights of an output sum to 1, and the sum of weight times vote is "
        "its score."
    ),
    "votes.trail_part": (
        "The trail, on the page and in the files of this report, names {shown} of {votes:vote/votes}, ambiguous "
        "outputs first; `venire votes trace` shows that of any output. The weights of an output sum to 1, and the sum "
        "of weight times vote is its score."
    ),
    "rows.votes": "votes",
    "method.time-decayed consensus": "time-decayed consensus",
    "method.standard error clustered by voter": "standard error clustered by voter",
    "method.# − α of the last batch": "# − α of the last batch",
    "method.population variance": "population variance",
    "method.variance above the critical one": "variance above the critical one",
    "method.as it was cast": "as it was cast",
    "method.e^(−λΔt)": "e^(−λΔt)",
    "method.share of the score": "share of the score",
    "method.number of the ledger's entry": "number of the ledger's entry",
    "log.table": "The scores come from a table: models, decoding and time range are not recorded there.",
    "trace.cell": "Cell",
    "trace.value": "value",
    "trace.interval": "interval",
    "trace.method": "method",
    "trace.rests_on": "rests on",
    "trace.rows": "rows",
    "trace.reason": "why not known",
    "trace.none": "No row is behind this number.",
    "trace.count": "{count:row is/rows are} behind it; shown: {shown}.",
    "trace.text": "judged text",
    "trace.reply": "reply",
    "trace.quote": "quote",
    "trace.not_found": "not found in the judged text",
    "rows.counted": "judgements that count",
    "rows.recorded": "all recorded judgements",
    "rows.attempts": "requests to judges",
    "rows.replies": "replies of judges",
    "rows.entries": "{count:entry/entries} of the ledger",
    "page.sources_read": "One row for each number: how it was made, what it rests on, and which rows are behind it.",
    "page.judgements_read": "All judgements with their entries in the ledger. A mark shows which count.",
    "page.judgements_many": "There are too many judgements to list them here; {command} walks to them.",
    "page.entry": "entry",
    "page.back": "back",
    "page.judged_by": "judged by",
    "chart.leaderboard": "Panel score of each target model with its interval",
    "chart.heat_map": "Heat map: {title}",
    "chart.dimensions": "Mean of each dimension as a share of its scale",
    "chart.pairs": "Matrix of correlations between judges",
    "chart.severity": "Leniency of each judge with its interval; right of 0 is lenient",
    "chart.calibration": "Mean of people against the panel's mean score; on the line they agree",
    "chart.rules": "Invalid judgements by rule",
    "chart.latency": "Seconds for each request: median and 95 % quantile",
    "chart.cost": "Cost of each judge",
    "reason.separated: some models only won or only lost against the rest": (
        "separated: some models only won or only lost against the rest"
    ),
    "reason.separated: every comparison is a tie": "separated: every comparison is a tie",
    "reason.separated: the likelihood grows without end, so no finite fit exists": (
        "separated: the likelihood grows without end, so no finite fit exists"
    ),
    "reason.disconnected: the models fall into # groups that never met": (
        "disconnected: the models fall into # groups that never met"
    ),
    "reason.no comparisons between different models": "no comparisons between different models",
    "reason.the two never met": "the two never met",
    "reason.no observations": "no observations",
    "reason.a test has no error of its own": "a test has no error of its own: too few questions, or equal scores",
    "reason.no judge gives different scores": "no judge gives different scores",
    "reason.no reply states an overall score beside its criteria": (
        "no reply states an overall score beside its criteria"
    ),
    "reason.no variation": "no variation",
    "reason.no variation: equal values say nothing about the spread": (
        "no variation: equal values say nothing about the spread"
    ),
    "reason.no variation: its uncertainty is not known": "no variation: its uncertainty is not known",
    "reason.no variation: all differences are equal": "no variation: all differences are equal",
    "reason.no variation between clusters": "no variation between clusters",
    "reason.no variation: every verdict is the same": "no variation: every verdict is the same",
    "reason.no variation: the spread of the differences is not known": (
        "no variation: the spread of the differences is not known"
    ),
    "reason.# judges with verdicts, fewer than the # that are asked for": (
        "# judges with verdicts, fewer than the # that are asked for"
    ),
    "reason.# outputs with verdicts of # judges, fewer than the # that are asked for": (
        "# outputs with verdicts of # judges, fewer than the # that are asked for"
    ),
    "reason.the ratings have no verdicts, and no rule by which they follow from scores": (
        "the ratings have no verdicts, and no rule by which they follow from scores"
    ),
    "reason.several judges are alike": "several judges are alike",
    "reason.no number of samples finds a difference of #": "no number of samples finds a difference of #",
    "reason.no difference is found with this power by so few pairs": (
        "no difference is found with this power by so few pairs"
    ),
    "reason.one observation: its uncertainty is not known": "one observation: its uncertainty is not known",
    "reason.one cluster: how clusters differ is not known": "one cluster: how clusters differ is not known",
    "reason.one pair: its uncertainty is not known": "one pair: its uncertainty is not known",
    "reason.no unit has two ratings": "no unit has two ratings",
    "reason.no unit was rated by both": "no unit was rated by both",
    "reason.no pairs": "no pairs",
    "reason.fewer than two pairs": "fewer than two pairs",
    "reason.fewer than three pairs": "fewer than three pairs",
    "reason.fewer than two units": "fewer than two units",
    "reason.fewer than two raters": "fewer than two raters",
    "reason.fewer than two units that all raters rated": "fewer than two units that all raters rated",
    "reason.no interval: fewer than two units": "no interval: fewer than two units",
    "reason.no interval: at the end of its range": "no interval: at the end of its range",
    "reason.no interval: too few questions": "no interval: too few questions",
    "reason.no interval: too little variance to compare": "no interval: too little variance to compare",
    "reason.no interval: all units agree to the same degree": "no interval: all units agree to the same degree",
    "reason.no interval: the judges' scores follow from each other exactly": (
        "no interval: the judges' scores follow from each other exactly"
    ),
    "reason.more than one resample in twenty gave no number": "more than one resample in twenty gave no number",
    "reason.no structure dimension was named": "no structure dimension was named",
    "reason.the scale is not known": "the scale is not known",
    "reason.no judgement counts here": "no judgement counts here",
    "reason.no p value": "no p value",
    "reason.too many different scores": "too many different scores",
    "reason.the server did not say": "the server did not say",
    "reason.the configuration names no price": "the configuration names no price",
    "reason.no scores": "no scores",
    "reason.no scores with a known scale": "no scores with a known scale",
    "reason.a judge alone": "a judge alone",
    "reason.disconnected: some judges share no samples with the rest": (
        "disconnected: some judges share no samples with the rest"
    ),
    "reason.disconnected: some dimensions share no samples with the rest": (
        "disconnected: some dimensions share no samples with the rest"
    ),
    "reason.confounded: judges and dimensions cannot be told apart": (
        "confounded: judges and dimensions cannot be told apart"
    ),
    "reason.no degrees of freedom are left for the error": "no degrees of freedom are left for the error",
    "reason.no degrees of freedom are left for this judge": "no degrees of freedom are left for this judge",
    "reason.no judge has two scores whose error is known": "no judge has two scores whose error is known",
    "reason.fewer than two samples with a human label": "fewer than two samples with a human label",
    "reason.fewer than two judged samples": "fewer than two judged samples",
    "reason.no judged samples": "no judged samples",
    "reason.the units do not differ more than chance would make them": (
        "the units do not differ more than chance would make them"
    ),
    "reason.the judge is no better than chance on the labelled samples": (
        "the judge is no better than chance on the labelled samples"
    ),
    "reason.too few labels: the judge may be no better than chance": (
        "too few labels: the judge may be no better than chance"
    ),
    "reason.one judge": "one judge",
    "reason.no difference that is not 0": "no difference that is not 0",
    "reason.# observations, fewer than the # that are asked for": "# observations, fewer than the # that are asked for",
    "reason.no judge judged its own outputs": "no judge judged its own outputs",
    "reason.no scores of outputs whose length and question are known": (
        "no scores of outputs whose length and question are known"
    ),
    "reason.the samples have no factor 'language'": "the samples have no factor 'language'",
    "reason.fewer than two units that both scored": "fewer than two units that both scored",
    "reason.no interval: all replicates are equal": "no interval: all replicates are equal",
    "reason.no interval: # of # replicates have no variation": "no interval: # of # replicates have no variation",
    "reason.no interval: # units are too few": "no interval: # units are too few",
    "reason.no interval: fewer than two units to draw from": "no interval: fewer than two units to draw from",
    "reason.no variation of the predictor inside clusters": "no variation of the predictor inside clusters",
    "reason.one judge: there is nobody to compare it with": "one judge: there is nobody to compare it with",
    "reason.no other judge whose scores could be compared": "no other judge whose scores could be compared",
    "reason.no variation in the first judge's scores": "no variation in the first judge's scores",
    "reason.no variation in the second judge's scores": "no variation in the second judge's scores",
    "reason.no variation in either judge's scores": "no variation in either judge's scores",
    "reason.one judged sample": "one judged sample",
    "reason.one score": "one score",
    "reason.fewer than two groups": "fewer than two groups",
    "reason.fewer than two dimensions": "fewer than two dimensions",
    "reason.no observations on one of the two sides": "no observations on one of the two sides",
    "reason.# outputs that two judges scored, fewer than the # that are asked for": (
        "# outputs that two judges scored, fewer than the # that are asked for"
    ),
    "reason.the data does not say which outputs answer the same question": (
        "the data does not say which outputs answer the same question"
    ),
    "reason.no overall score": "no overall score",
    "method.# % quantile": "# % quantile",
    "method.# unmatched": "# unmatched",
    "method.F interval": "F interval",
    "method.Fisher z interval": "Fisher z interval",
    "method.Holm": "Holm",
    "method.ICC(#,#), mean squares": "ICC(#,#), mean squares",
    "method.Lang–Reiczigel interval": "Lang–Reiczigel interval",
    "method.Newcombe's hybrid interval": "Newcombe's hybrid interval",
    "method.PPI++ mean": "PPI++ mean",
    "method.Wilson score interval": "Wilson score interval",
    "method.Korn–Graubard interval, effective trials by cluster, G−# degrees of freedom": (
        "Korn–Graubard interval, effective trials by cluster, G−# degrees of freedom"
    ),
    "method.bootstrap by unit on Fisher's z, t quantile, B=#": "bootstrap by unit on Fisher's z, t quantile, B=#",
    "method.inverse error variance, shrunk to the pooled variance by # scores": (
        "inverse error variance, shrunk to the pooled variance by # scores"
    ),
    "method.variance of the errors": "variance of the errors",
    "method.mean pairwise correlation of errors": "mean pairwise correlation of errors",
    "method.cohen kappa, identity weights": "cohen kappa, identity weights",
    "method.normal interval": "normal interval",
    "method.count": "count",
    "method.as given": "as given",
    "method.weighted mean of tests": "weighted mean of tests",
    "method.their standard errors combined": "their standard errors combined",
    "method.t interval, Welch–Satterthwaite degrees of freedom": "t interval, Welch–Satterthwaite degrees of freedom",
    "method.share of the weight whose tests have scores": "share of the weight whose tests have scores",
    "method.mean z-score": "mean z-score",
    "method.degrees of freedom Σ(# − leverage)": "degrees of freedom Σ(# − leverage)",
    "method.delete-a-group jackknife by question, t interval": "delete-a-group jackknife by question, t interval",
    "method.Dawid–Skene, maximum likelihood by EM": "Dawid–Skene, maximum likelihood by EM",
    "method.one-coin Dawid–Skene, maximum likelihood by EM": "one-coin Dawid–Skene, maximum likelihood by EM",
    "method.MACE, maximum likelihood by EM": "MACE, maximum likelihood by EM",
    "method.competence is the probability of a correct vote": "competence is the probability of a correct vote",
    "method.competence is the probability that the judge does not guess": (
        "competence is the probability that the judge does not guess"
    ),
    "method.minimum detectable effect": "minimum detectable effect",
    "method.samples needed": "samples needed",
    "method.two-sided paired t, noncentral t, alpha #, power #": "two-sided paired t, noncentral t, alpha #, power #",
    "method.two-sided paired t": "two-sided paired t",
    "method.clustered by question": "clustered by question",
    "method.clustered by output": "clustered by output",
    "method.difference of means": "difference of means",
    "method.difference of shares": "difference of shares",
    "method.fleiss kappa, identity weights": "fleiss kappa, identity weights",
    "method.gwet AC#, quadratic weights": "gwet AC#, quadratic weights",
    "method.gwet AC#": "gwet AC#",
    "method.halo: difference of mean correlations, pairwise complete": (
        "halo: difference of mean correlations, pairwise complete"
    ),
    "method.halo": "halo",
    "method.human labels that alone would give an interval as narrow": (
        "human labels that alone would give an interval as narrow"
    ),
    "method.interval cut off at the scale's ends": "interval cut off at the scale's ends",
    "method.inverse error variance around the many-facet model, shrunk": (
        "inverse error variance around the many-facet model, shrunk"
    ),
    "method.krippendorff alpha, interval": "krippendorff alpha, interval",
    "method.krippendorff alpha, nominal": "krippendorff alpha, nominal",
    "method.language bias": "language bias",
    "method.length": "length",
    "method.leniency": "leniency",
    "method.leniency (minus severity)": "leniency (minus severity)",
    "method.many-facet linear model, least squares, effects sum to #": (
        "many-facet linear model, least squares, effects sum to #"
    ),
    "method.mean": "mean",
    "method.mean of the judge's scores": "mean of the judge's scores",
    "method.mean share of the panel's weight present": "mean share of the panel's weight present",
    "method.median": "median",
    "method.paired t, clustered, CR#": "paired t, clustered, CR#",
    "method.pairs": "pairs",
    "method.pearson": "pearson",
    "method.percent agreement, identity weights": "percent agreement, identity weights",
    "method.proportion": "proportion",
    "method.residual standard deviation": "residual standard deviation",
    "method.self-preference": "self-preference",
    "method.share": "share",
    "method.slope inside clusters": "slope inside clusters",
    "method.standard error clustered, CR# factor G/(G−#)": "standard error clustered, CR# factor G/(G−#)",
    "method.standard error clustered, factor G/(G−#)": "standard error clustered, factor G/(G−#)",
    "method.sum": "sum",
    "method.t interval": "t interval",
    "method.jackknife t interval over units": "jackknife t interval over units",
    "method.standard error clustered, factor G/(G−#) on each side": (
        "standard error clustered, factor G/(G−#) on each side"
    ),
    "method.t interval, Welch's degrees of freedom": "t interval, Welch's degrees of freedom",
    "method.t interval over units": "t interval over units",
    "method.t interval, G−# degrees of freedom": "t interval, G−# degrees of freedom",
    "method.t interval, Satterthwaite degrees of freedom": "t interval, Satterthwaite degrees of freedom",
    "method.t interval, n−# degrees of freedom": "t interval, n−# degrees of freedom",
    "method.Elo, in the order given": "Elo, in the order given",
    "method.Bradley–Terry with Davidson's ties, maximum likelihood by Newton": (
        "Bradley–Terry with Davidson's ties, maximum likelihood by Newton"
    ),
    "method.logistic, # points for odds of #": "logistic, # points for odds of #",
    "method.normal intervals": "normal intervals",
    "method.share of points, ties half": "share of points, ties half",
    "method.the least number of observations": "the least number of observations",
    "method.the panel's weight, summing to #": "the panel's weight, summing to #",
    "method.tokens at the configured prices": "tokens at the configured prices",
    "method.unit bootstrap, BCa with t-stretched quantiles, B=#": "unit bootstrap, BCa with t-stretched quantiles, B=#",
    "method.cluster bootstrap, BCa with t-stretched quantiles, B=#": (
        "cluster bootstrap, BCa with t-stretched quantiles, B=#"
    ),
    "n.tests": "tests",
    "n.comparisons": "comparisons",
    "n.models": "models",
    "n.categories": "categories",
    "n.clusters": "clusters",
    "n.effective trials": "effective trials",
    "n.first": "first",
    "n.first clusters": "first clusters",
    "n.first effective trials": "first effective trials",
    "n.first missing": "first missing",
    "n.first values": "first values",
    "n.groups": "groups",
    "n.human negatives": "human negatives",
    "n.human positives": "human positives",
    "n.judged": "judged",
    "n.judged only": "judged only",
    "n.judges": "judges",
    "n.pairs": "pairs",
    "n.labelled": "labelled",
    "n.missing": "missing",
    "n.outputs": "outputs",
    "n.raters": "raters",
    "n.ratings": "ratings",
    "n.replicates": "replicates",
    "n.replicates without variation": "replicates without variation",
    "n.scores": "scores",
    "n.second": "second",
    "n.second clusters": "second clusters",
    "n.second effective trials": "second effective trials",
    "n.second missing": "second missing",
    "n.second values": "second values",
    "n.successes": "successes",
    "n.trials": "trials",
    "n.units": "units",
    "n.votes": "votes",
    "n.units left out": "units left out",
    "n.units with two ratings": "units with two ratings",
    "n.values": "values",
}
"""All texts by key; the keys are the same in every language."""
