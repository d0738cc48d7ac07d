"""Judge model outputs with juries you can audit.

The names below are the public face; each is imported when it is first used, so that `import venire` is quick.

>>> import venire
>>> protocol = venire.find_protocol("drift-sample")
>>> judgement = venire.check("I would rather not judge this.", None, protocol)
>>> judgement.status.value, [flag.value for flag in judgement.flags]
('invalid', ['UNPARSABLE_OUTPUT', 'JUDGE_REFUSAL_OR_EVASION'])
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
