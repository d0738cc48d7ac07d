"""When a server refuses to listen."""

from __future__ import annotations

import pytest

from making_courts import options_for
from venire.errors import ConfigError
from venire.server.court.court import Court
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind
from venire.server.serve import check_exposure


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::"])
def test_listening_to_others_without_a_key_is_refused_with_an_explanation(tmp_path, host):
    options = options_for(tmp_path, host=host)
    court = Court(options)

    with pytest.raises(ConfigError, match="no operator key yet") as refused:
        check_exposure(options, court)
    assert "venire keys create" in refused.value.hint

    court.registry.issue(CredentialKind.KEY, Role.OPERATOR)
    check_exposure(options, court)
    court.state.ledger.close()
    court.registry.close()


def test_loopback_needs_no_key(tmp_path):
    options = options_for(tmp_path, host="127.0.0.1")
    court = Court(options)
    check_exposure(options, court)
    court.state.ledger.close()
    court.registry.close()
