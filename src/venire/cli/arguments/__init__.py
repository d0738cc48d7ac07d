"""What commands share before they begin: help by code, the language, the configuration and the source of numbers."""
