"""What people say beside the panel: scores and verdicts, slice by slice, and where judges err together."""
