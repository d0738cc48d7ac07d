"""What a ledger says beside the ratings of a report: values, filled by `workflows/evidence`, shown by `sections`.

judge_work: requests and broken rules. judge_fitness: voir dire and anchors. jury_read: the adaptive jury.
outputs_read: collected and compared outputs. claims_read: claims and the passages that they are held against.
"""
