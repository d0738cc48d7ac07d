"""Who comes in: roles, keys, invitations and sessions, and what each person may do and how often."""
