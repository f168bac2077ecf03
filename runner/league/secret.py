"""The secret of a league: where its deals come from.

`secret_of` is the secret as it is kept; `dealing_secret` is what deals are made from: the same, or
with a beacon mixed into it, after a commitment.
"""

import contextlib
import hmac
import os
import secrets
import tempfile
from hashlib import sha256
from pathlib import Path

from runner.config import League
from runner.errors import RunError
from runner.game.deals import secret_of_seed
from runner.storage.reader import Reader
from runner.storage.store import open_store

_BYTES = 32


def secret_of(league: League) -> bytes:
    """The league's secret: from its seed, from its secret file, or drawn now and kept there.

    Raises:
        RunError: the secret file is lost, unreadable, or holds no secret.
    """
    if league.seed is not None:
        return secret_of_seed(league.seed)
    if league.secret.exists() or league.database.exists():
        return read_secret(league.secret)
    return _drawn(league)


def dealing_secret(
    league: League, secret: bytes, reader: Reader, *, may_wait: bool = False
) -> bytes:
    """What the league's deals are made from.

    Args:
        league: the league.
        secret: as it is kept.
        reader: the league's database.
        may_wait: whether a missing beacon may come later, since nothing is dealt now.

    Raises:
        RunError: the commitment and the league file's beacon do not fit.
    """
    commitment = reader.commitment()
    if commitment is None:
        if league.beacon is not None:
            raise RunError(
                f"{league.path}: a beacon proves nothing without a commitment before it: "
                f"letzter commit {league.path}"
            )
        return secret
    if hash_of(secret) != commitment.secret_hash:
        raise RunError(
            f"{league.secret}: is not the secret of the commitment, whose SHA-256 is "
            f"{commitment.secret_hash}"
        )
    if commitment.beacon is None and may_wait:
        return secret
    if league.beacon is None and commitment.beacon is None:
        raise RunError(
            f"{league.path}: the secret was committed to at {commitment.committed_at}; now set "
            "'beacon' to a public value that nobody could know then, such as a lottery draw"
        )
    if commitment.beacon is not None and commitment.beacon != league.beacon:
        raise RunError(
            f"{league.path}: the league is played with the beacon {commitment.beacon!r}, "
            f"got {league.beacon!r}"
        )
    assert league.beacon is not None
    return with_beacon(secret, league.beacon)


def with_beacon(secret: bytes, beacon: str) -> bytes:
    """A secret with a beacon mixed into it: HMAC-SHA-256 of `beacon/` and the beacon's text."""
    return hmac.digest(secret, f"beacon/{beacon}".encode(), "sha256")


def reveal_secret(database: Path) -> bytes:
    """Publish a league's secret in its database, which closes the league.

    Raises:
        RunError: the secret file is lost or unreadable, or is not this league's.
        StoreError: the database cannot be written.
    """
    with open_store(database) as store:
        conditions = Reader(store.db).conditions()
        commitment = Reader(store.db).commitment()
        if conditions.seed is not None:
            kept = secret = secret_of_seed(conditions.seed)
        else:
            kept = secret = read_secret(database.with_suffix(".secret"))
        if commitment is not None and commitment.beacon is not None:
            secret = with_beacon(kept, commitment.beacon)
        if hash_of(secret) != conditions.secret_hash:
            raise RunError(
                f"{database.with_suffix('.secret')}: is not the secret that this league was played "
                f"with, whose SHA-256 is {conditions.secret_hash}"
            )
        store.reveal(secret, kept)
    return secret


def hash_of(secret: bytes) -> str:
    """What is published of a secret before it is revealed: its SHA-256, lowercase hex."""
    return sha256(secret).hexdigest()


def read_secret(path: Path) -> bytes:
    """The secret in a league's secret file.

    Raises:
        RunError: it is lost, unreadable, or holds no secret.
    """
    try:
        text = path.read_text(encoding="ascii")
    except FileNotFoundError:
        raise RunError(
            f"{path}: the file with the league's secret is gone; without it no deal can be dealt. "
            f"Put it back, or begin anew by moving {path.with_suffix('.db')} away"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"{path}: {error}") from None
    with contextlib.suppress(ValueError):
        secret = bytes.fromhex(text.strip())
        if len(secret) == _BYTES:
            return secret
    raise RunError(f"{path}: expected a secret of {2 * _BYTES} hexadecimal digits")


def _drawn(league: League) -> bytes:
    """Draw a secret and see that it is on disk, readable by its owner only, before it is used.

    The file gets its name when it is whole: a run killed meanwhile, or a full disk, leaves none.
    Of two runs that draw at the same moment, the second takes the first one's.
    """
    secret = secrets.token_bytes(_BYTES)
    try:
        descriptor, name = tempfile.mkstemp(".secret", ".drawn-", league.secret.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(secret.hex() + "\n")
                file.flush()
                os.fsync(file.fileno())
            league.secret.hardlink_to(name)
        finally:
            Path(name).unlink()
    except FileExistsError:
        return read_secret(league.secret)
    except OSError as error:
        what = error.strerror or error
        raise RunError(f"{league.secret}: cannot write the league's secret: {what}") from None
    return secret
