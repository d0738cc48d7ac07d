"""`python -m venire` is the `venire` command."""

from venire.cli.main import main

main()
