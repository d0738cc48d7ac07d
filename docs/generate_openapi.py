"""Write docs/reference/openapi.json: what the server's API takes and gives.

Run: python docs/generate_openapi.py
"""

from __future__ import annotations

import json
from pathlib import Path

from venire.server.app import create_app
from venire.server.openapi import openapi_document
from venire.server.options import ServerOptions

TARGET = Path(__file__).resolve().parent / "reference" / "openapi.json"


def openapi_text() -> str:
    """Return the document as it is kept."""
    app = create_app(ServerOptions(ledger="memory:"))
    return json.dumps(openapi_document(app), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    TARGET.write_text(openapi_text(), encoding="utf-8")
