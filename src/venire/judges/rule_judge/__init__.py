"""How a judge made of declared checks reads a text, scores it and words its reply. Pure."""
