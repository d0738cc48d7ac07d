"""Where each of many ids was found first, in a few megabytes however many they are."""

from __future__ import annotations

import apsw

from venire.errors import InputError

MOST_IN_MIND = 10_000
"""How many ids are kept in mind: nearly all inputs have fewer, and to look there takes a tenth of the time."""


class FirstPlaces:
    """Remembers where ids were found, so that a duplicate can be told of. Close it after use."""

    def __init__(self) -> None:
        self._in_mind: dict[str, str] = {}
        # A database without a name is in memory until it outgrows its cache, then in a temporary file that nobody sees.
        self._database = apsw.Connection("")
        self._database.pragma("journal_mode", "off")
        self._database.execute("CREATE TABLE first (id BLOB PRIMARY KEY, place BLOB) WITHOUT ROWID")
        self._database.execute("BEGIN")

    def note(self, name: str, place: str) -> str | None:
        """Note where an id was found, and return where it was found before; None if it is new.

        Raises `InputError` if there is no room for a temporary file.
        """
        if name in self._in_mind:
            return self._in_mind[name]
        if len(self._in_mind) < MOST_IN_MIND:
            self._in_mind[name] = place
            return None
        key = name.encode("utf-8", "surrogatepass")  # Names of files may hold what UTF-8 cannot say.
        try:
            self._database.execute(
                "INSERT INTO first VALUES (?, ?) ON CONFLICT DO NOTHING", (key, place.encode("utf-8", "surrogatepass"))
            )
            if self._database.changes():
                return None
            found = self._database.execute("SELECT place FROM first WHERE id = ?", (key,)).get
        except apsw.Error as error:
            raise InputError("error.sample.ids_not_kept", where=place, error=error) from error
        return bytes(found).decode("utf-8", "surrogatepass")

    def close(self) -> None:
        """Forget everything."""
        self._database.close()
