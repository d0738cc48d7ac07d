"""Print the golden table of tests/golden/uncertainty_table.json, computed by programs written apart from this one.

Run it with the peers' environment that bench/stats/uncertainty.py makes:
    .bench-venv-2/bin/python bench/stats/uncertainty_table.py > tests/golden/uncertainty_table.json
"""

from __future__ import annotations

import json
import sys
import warnings
from importlib.metadata import version

import evalica
import numpy as np
import pandas as pd
import scipy.stats
import statsmodels.api as sm
from crowdkit.aggregation import DawidSkene, OneCoinDawidSkene
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import proportion_confint

warnings.simplefilter("ignore")
generator = np.random.default_rng(20240917)


def clustered() -> dict:
    clusters = np.sort(generator.integers(0, 12, 60))
    values = np.round(3 + generator.normal(size=12)[clusters] + generator.normal(size=60), 2)
    fit = sm.OLS(values, np.ones(60)).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    low, high = fit.conf_int()[0]
    expected = {"value": fit.params[0], "standard_error": fit.bse[0], "low": low, "high": high}
    return {"values": values.tolist(), "clusters": clusters.tolist(), "expected": expected}


def paired() -> dict:
    first = generator.integers(1, 6, 40).astype(float)
    second = np.clip(first + generator.integers(-2, 2, 40), 1, 5)
    different = (first - second)[first != second]
    t = scipy.stats.ttest_rel(first, second)
    exact = scipy.stats.PermutationMethod(n_resamples=np.inf)
    small = different[:12]
    one, two = (first >= 3).astype(int), (second >= 3).astype(int)
    table = np.array([[int(((one == a) & (two == b)).sum()) for b in (1, 0)] for a in (1, 0)])
    return {
        "first": first.tolist(), "second": second.tolist(), "small": small.tolist(),
        "expected": {
            "t": t.statistic, "t p": t.pvalue,
            "wilcoxon normal p of the tenfold table": scipy.stats.wilcoxon(
                np.tile(different, 10), correction=True, method="approx"
            ).pvalue,
            "wilcoxon exact p of the small list": scipy.stats.wilcoxon(small, method=exact).pvalue,
            "permutation exact p of the small list": scipy.stats.permutation_test(
                (small, np.zeros(len(small))), lambda a, b: np.mean(a - b), permutation_type="samples",
                n_resamples=np.inf,
            ).pvalue,
            "mcnemar p": mcnemar(table, exact=True).pvalue,
        },
    }  # fmt: skip


def adjusted() -> dict:
    p_values = np.round(generator.beta(0.5, 3, 20), 4)
    return {
        "p_values": p_values.tolist(),
        "holm": multipletests(p_values, method="holm")[1].tolist(),
        "benjamini_hochberg": multipletests(p_values, method="fdr_bh")[1].tolist(),
    }


def power() -> list:
    rows = []
    for n, alpha, wanted in ((5, 0.05, 0.8), (34, 0.05, 0.8), (200, 0.01, 0.9), (5000, 0.05, 0.95)):
        effect = TTestPower().solve_power(nobs=n, alpha=alpha, power=wanted, alternative="two-sided")
        rows.append({"n": n, "alpha": alpha, "power": wanted, "effect": float(effect)})
    return rows


def wilson() -> list:
    rows = []
    for successes, trials in ((1, 3), (7, 10), (50, 1000)):
        low, high = proportion_confint(successes, trials, method="wilson")
        rows.append({"successes": successes, "trials": trials, "low": low, "high": high})
    return rows


def votes() -> dict:
    units, judges, classes = 80, 6, 3
    truth = generator.integers(0, classes, units)
    rows = []
    for unit in range(units):
        for judge in range(judges):
            if generator.random() < 0.85:
                right = generator.random() < 0.5 + judge * 0.08
                rows.append((unit, judge, int(truth[unit] if right else generator.integers(0, classes))))
    frame = pd.DataFrame(rows, columns=["task", "worker", "label"])
    expected = {}
    # Without a tolerance: both stop too early on a bound that is not the likelihood.
    models = {"dawid_skene": DawidSkene, "one_coin": OneCoinDawidSkene}
    for name, kind in models.items():
        model = kind(n_iter=3000, tol=-np.inf)
        posteriors = model.fit_predict_proba(frame).sort_index()[list(range(classes))]
        expected[name] = {
            "posteriors": np.round(posteriors.to_numpy(), 9).tolist(),
            "prior": model.priors_.sort_index().tolist(),
        }
    return {"rows": rows, "expected": expected}


def comparisons() -> dict:
    strengths = np.linspace(-1, 1, 6)
    rows = []
    for _ in range(400):
        i, j = generator.choice(6, 2, replace=False)
        d = strengths[i] - strengths[j]
        weights = np.array([np.exp(d / 2), 0.6, np.exp(-d / 2)])
        rows.append((int(i), int(j), float(generator.choice([1.0, 0.5, 0.0], p=weights / weights.sum()))))
    winner = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}
    first, second, outcome = (list(column) for column in zip(*rows, strict=True))
    fit = evalica.newman(first, second, [winner[o] for o in outcome], tolerance=1e-14, limit=100_000)
    logs = np.log(fit.scores.sort_index().to_numpy())
    decided = [row for row in rows if row[2] != 0.5]
    first, second, outcome = (list(column) for column in zip(*decided, strict=True))
    plain = evalica.bradley_terry(first, second, [winner[o] for o in outcome], tolerance=1e-14, limit=100_000)
    plain_logs = np.log(plain.scores.sort_index().to_numpy())
    rated = evalica.elo(
        *(list(column) for column in zip(*[(i, j, winner[o]) for i, j, o in rows], strict=True)), k=32.0
    )
    return {
        "rows": rows,
        "expected": {
            "strengths": (logs - logs.mean()).tolist(), "tie": 2 * float(fit.v),
            "strengths without ties": (plain_logs - plain_logs.mean()).tolist(),
            "elo": rated.scores.sort_index().tolist(), "elo initial": rated.initial,
        },
    }  # fmt: skip


def prediction_powered() -> dict:
    truth = np.round(generator.normal(3, 1, 40), 3)
    judged = np.round(truth + 0.4 + 0.5 * generator.normal(size=40), 3)
    unlabelled = np.round(generator.normal(3.4, 1.1, 300), 3)
    expected = {}
    for name, weight in (("PPI", 1), ("half", 0.5), ("PPI++", None)):
        low, high = ppi_mean_ci(truth, judged, unlabelled, alpha=0.05, lam=weight)
        point = ppi_mean_pointestimate(truth, judged, unlabelled, lam=weight)
        expected[name] = {"value": float(point[0]), "low": float(low[0]), "high": float(high[0])}
    return {
        "labels": truth.tolist(), "judged": judged.tolist(), "unlabelled": unlabelled.tolist(), "expected": expected
    }  # fmt: skip


def main() -> None:
    peers = ("statsmodels", "scipy", "crowd-kit", "evalica", "ppi-python")
    made_by = ", ".join(f"{peer} {version(peer)}" for peer in peers)
    table = {
        "source": f"Computed on made-up data by bench/stats/uncertainty_table.py with {made_by}.",
        "clustered": clustered(), "paired": paired(), "adjusted": adjusted(), "power": power(), "wilson": wilson(),
        "votes": votes(), "comparisons": comparisons(), "prediction_powered": prediction_powered(),
    }  # fmt: skip
    parts = [f"  {json.dumps(key)}: {json.dumps(value, default=float)}" for key, value in table.items()]
    sys.stdout.write("{\n" + ",\n".join(parts) + "\n}\n")


if __name__ == "__main__":
    main()
