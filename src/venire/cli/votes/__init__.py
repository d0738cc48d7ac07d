"""`venire votes` and its subcommands: bring votes in, score them, look at voters, settle disputes."""
