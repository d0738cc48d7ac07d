"""Who comes in, and what each person may do and how often.

`person` says who is asking and which roles there are, `registry` keeps keys, invitations and sessions (`registry_store`
in a file, `registry_postgres` in a database, `registry.sql` their tables). `access` checks every request, `callers`
counts them, and `entrance` signs people in and out. `court_secret` keeps from jurors what they vote on.
"""
