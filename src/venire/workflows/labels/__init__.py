"""Labels in a ledger: bring them in, and draw the outputs to be labelled next."""
