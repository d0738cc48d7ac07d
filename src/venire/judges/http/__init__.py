"""One JSON request to a server and its raw answer. llhttp reads what comes back; sockets and TLS are asyncio's."""
