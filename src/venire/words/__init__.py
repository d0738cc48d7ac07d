"""Every sentence that users read, by its code: `en.json` and `zh.json`. A further language is one more file.

Code anywhere in the package says `say("area.what", value=…)`; `Words(language)` turns what was said into a sentence.
"""
