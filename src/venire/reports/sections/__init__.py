"""One section of the report a file: from the evidence to tables of cells."""
