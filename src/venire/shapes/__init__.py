"""Forms of a reply, one file each, or two where reading is long: `sample` is the form, `sample_reader` reads it.

`shape.py` says what a form knows, `registry.py` finds the form of a protocol, `recognise.py` the protocol of a reply,
and `check.py` is the one door: a raw reply and what was judged go in, a judgement comes out.
"""
