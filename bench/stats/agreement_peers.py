"""What the peers do for `bench.stats.agreement`; runs in their own environment, without Venire.

Run by that script as `python agreement_peers.py TASK DATA.npy`; prints CPU seconds and the value as JSON. Reading the
data and shaping it for the peer is not counted.
"""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

warnings.simplefilter("ignore")


def krippendorff_alpha(table: np.ndarray) -> Callable[[], float]:
    import krippendorff

    wide = table.T
    return lambda: float(krippendorff.alpha(wide, level_of_measurement="interval"))


def evalica_alpha(table: np.ndarray) -> Callable[[], float]:
    import evalica
    import pandas as pd

    frame = pd.DataFrame(table.T)
    return lambda: float(evalica.alpha(frame, distance="interval").alpha)


def evalica_bootstrap(table: np.ndarray) -> Callable[[], float]:
    import evalica
    import pandas as pd

    frame = pd.DataFrame(table.T)
    return lambda: float(evalica.alpha_bootstrap(frame, distance="interval", n_resamples=1000, random_state=1).alpha)


def irrcac(table: np.ndarray) -> Callable[[], float]:
    import pandas as pd
    from irrCAC.raw import CAC

    frame = pd.DataFrame(table)

    def both() -> float:
        coefficients = CAC(frame, digits=12)
        coefficients.fleiss()
        return float(coefficients.gwet()["est"]["coefficient_value"])

    return both


TASKS = {
    "krippendorff": krippendorff_alpha,
    "evalica": evalica_alpha,
    "evalica bootstrap": evalica_bootstrap,
    "irrCAC": irrcac,
}


def main() -> None:
    task = TASKS[sys.argv[1]](np.load(sys.argv[2]))
    start = time.process_time()
    value = task()
    seconds, peak = time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "value": value, "peak": peak}))


if __name__ == "__main__":
    main()
