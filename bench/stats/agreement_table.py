"""Print the golden table of tests/golden/agreement_table.json, computed by programs written apart from this one.

Run it with the peers' environment that bench/stats/agreement.py makes:
    .bench-venv/bin/python bench/stats/agreement_table.py > tests/golden/agreement_table.json
"""

from __future__ import annotations

import json
import warnings
from importlib.metadata import version

import krippendorff
import numpy as np
import pandas as pd
from irrCAC.raw import CAC

warnings.simplefilter("ignore")
generator = np.random.default_rng(20260101)

SHAPES = {
    "few raters, many gaps": (25, 3, 4, 0.3),
    "panel of five": (40, 5, 5, 0.1),
    "two raters": (30, 2, 3, 0.0),
    "binary": (35, 4, 2, 0.15),
    "ten levels": (30, 4, 10, 0.1),
}


def made_up(units: int, raters: int, levels: int, gaps: float) -> np.ndarray:
    quality = generator.normal(size=(units, 1))
    noise = 0.7 * generator.normal(size=(units, raters))
    scores = np.clip(np.rint((levels + 1) / 2 + levels / 4 * (quality + noise)), 1, levels)
    scores[generator.random(scores.shape) < gaps] = np.nan
    return scores


def expected(scores: np.ndarray) -> dict[str, float]:
    values = {}
    for metric in ("nominal", "ordinal", "interval", "ratio"):
        values[f"krippendorff alpha, {metric}"] = float(krippendorff.alpha(scores.T, level_of_measurement=metric))
    rated = pd.DataFrame(scores).dropna(how="all")
    for weights in ("identity", "linear", "quadratic", "ordinal"):
        coefficients = CAC(rated, weights=weights, digits=12)
        for name, method in (("gwet", coefficients.gwet), ("fleiss", coefficients.fleiss)):
            found = method()["est"]
            values[f"{name}, {weights}"] = found["coefficient_value"]
            values[f"{name}, {weights}, standard error"] = found["se"]
    return values


def main() -> None:
    source = (
        f"Computed by irrCAC {version('irrCAC')} (coefficients and standard errors) and krippendorff "
        f"{version('krippendorff')} (alpha), programs written apart from this one, on made-up ratings; "
        "see bench/stats/agreement_table.py."
    )
    tables = []
    for name, shape in SHAPES.items():
        scores = made_up(*shape)
        rows = [[None if np.isnan(score) else int(score) for score in row] for row in scores]
        tables.append({"name": name, "ratings": rows, "expected": expected(scores)})
    # A line for each field keeps the file readable; one for each number would not.
    bodies = [",\n".join(f"   {json.dumps(key)}: {json.dumps(field)}" for key, field in t.items()) for t in tables]
    joined = ",\n".join(f"  {{\n{body}\n  }}" for body in bodies)
    print(f'{{\n "source": {json.dumps(source)},\n "tables": [\n{joined}\n ]\n}}')


if __name__ == "__main__":
    main()
