from __future__ import annotations

from hashlib import sha256

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.errors import UsageError
from venire.ledger.merkle import InclusionProof, inclusion_proof, merkle_root, verify_inclusion


def hashes(count):
    return [sha256(bytes([number % 256, number // 256])).hexdigest() for number in range(count)]


def plain_root(leaves):
    """The definition of RFC 6962 §2.1, word for word and without regard to cost."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return sha256(b"\x00" + leaves[0]).digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return sha256(b"\x01" + plain_root(leaves[:split]) + plain_root(leaves[split:])).digest()


@pytest.mark.parametrize("count", [*range(18), 31, 32, 33, 100])
def test_the_root_is_the_one_of_the_definition(count):
    assert merkle_root(hashes(count)) == plain_root([bytes.fromhex(leaf) for leaf in hashes(count)]).hex()


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 9, 16, 21])
def test_every_entry_can_be_proved(count):
    leaves = hashes(count)
    root = merkle_root(leaves)
    for sequence in range(1, count + 1):
        assert verify_inclusion(leaves[sequence - 1], inclusion_proof(leaves, sequence), root)


@given(st.data())
def test_a_proof_proves_only_its_own_entry_place_and_ledger(data):
    leaves = hashes(data.draw(st.integers(2, 40)))
    sequence = data.draw(st.integers(1, len(leaves)))
    other = data.draw(st.integers(1, len(leaves)).filter(lambda place: place != sequence))
    proof, root = inclusion_proof(leaves, sequence), merkle_root(leaves)
    assert not verify_inclusion(leaves[other - 1], proof, root)
    assert not verify_inclusion(leaves[sequence - 1], msgspec.structs.replace(proof, sequence=other), root)
    assert not verify_inclusion(leaves[sequence - 1], proof, merkle_root([*leaves, leaves[0]]))
    assert not verify_inclusion(leaves[sequence - 1], msgspec.structs.replace(proof, path=proof.path[:-1]), root)
    assert not verify_inclusion(leaves[sequence - 1], msgspec.structs.replace(proof, path=(*proof.path, root)), root)


def test_a_proof_that_is_no_proof_is_not_accepted():
    leaves = hashes(3)
    root = merkle_root(leaves)
    assert not verify_inclusion(leaves[0], InclusionProof(0, 3, ()), root)
    assert not verify_inclusion(leaves[0], InclusionProof(4, 3, ()), root)
    assert not verify_inclusion(leaves[0], InclusionProof(1, 3, ("not hexadecimal", "")), root)


@pytest.mark.parametrize("sequence", [0, 4])
def test_there_is_no_proof_of_an_entry_that_is_not_there(sequence):
    with pytest.raises(UsageError, match="from 1 to 3"):
        inclusion_proof(hashes(3), sequence)
