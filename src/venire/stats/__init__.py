"""Pure functions of ratings that say how far a number can be trusted.

The names below are the public face; each is imported when it is first used, so that `import venire.stats` is quick.

>>> import venire.stats
>>> found = venire.stats.krippendorff_alpha([[1, 1], [2, 2], [3, 2]], "ordinal")
>>> round(found.value, 3), found.method, found.n["units"]
(0.778, 'krippendorff alpha, ordinal', 3)
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
