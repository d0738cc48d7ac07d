"""Looking at outputs: the room that pages ask, and a server of its own for one reader on this machine."""
