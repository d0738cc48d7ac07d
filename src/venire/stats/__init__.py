"""Pure functions of ratings that say how far a number can be trusted."""
