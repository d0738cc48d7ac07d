"""The grand jury: votes that age, and the analysis of who voted what and when.

>>> from venire.votes import GrandJuryClient
>>> result = GrandJuryClient().evaluate_model(0.72, "2025-01-01T00:00:00Z", [0.9, 0.8, 0.6],
...     timestamp="2025-01-04T00:00:00Z")
>>> round(result["score"], 4), result["ambiguous"]
(0.7321, False)
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
