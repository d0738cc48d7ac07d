"""Pages for people: votes, dashboards, runs, judgements, the curators' queue, judges and audits."""
