"""Outputs to look at: an index of them, filters over it, and everything that is known of one output.

`index` keeps the lists, in a file beside a ledger or in a temporary one; `from_ledger` fills it and `listing` asks it.
`source` is the interface, `ledger_outputs` one of its kinds, `one_output` what a page shows, and `marks` are notes.
"""
