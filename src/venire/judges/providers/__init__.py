"""Whoever replies, one module each; they do not know one another and are imported only when named."""
