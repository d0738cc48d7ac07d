"""The pages for people, in their language: a file and a template for each.

`router` lists them and `rendering` turns templates into answers; `language` chooses the language. Of pieces,
`report_pieces` and `curve_chart` draw, `shown_text` shows judged text, and `reply_form` turns a juror's form into a
reply. `static_files` sends what is in `static/`.
"""
