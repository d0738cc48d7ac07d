"""One section of the report a file: from the material to tables of cells."""
