"""What commands share at a terminal: printing that shows control characters, tables, and live progress."""
