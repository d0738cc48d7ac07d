"""Who voted what and when: one question a file, each a function of ballots.

`questions` asks them of any table and answers in the caller's own data frames.
"""
