"""Results for programs: JUnit, SARIF, JSON, CSV and Parquet, the record of a checked reply, and a gate's files."""
