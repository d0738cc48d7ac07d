"""Prompt drift: what each slice of the outputs scores, and contrasts between variants on the same questions.

`slices` and `contrasts` count scores; `forbidden_words` and `text_form` look at the outputs themselves.
"""
