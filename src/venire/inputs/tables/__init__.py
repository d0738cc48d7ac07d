"""Tables in CSV, TSV, Parquet, JSON or JSON Lines, a row at a time, with file and line in every error."""
