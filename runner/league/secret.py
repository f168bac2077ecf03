"""The secret of a league: where its deals come from."""

import contextlib
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


def reveal_secret(database: Path) -> bytes:
    """Publish a league's secret in its database, which closes the league.

    Raises:
        RunError: the secret file is lost or unreadable, or is not this league's.
        StoreError: the database cannot be written.
    """
    with open_store(database) as store:
        conditions = Reader(store.db).conditions()
        if conditions.seed is not None:
            secret = secret_of_seed(conditions.seed)
        else:
            secret = read_secret(database.with_suffix(".secret"))
        if hash_of(secret) != conditions.secret_hash:
            raise RunError(
                f"{database.with_suffix('.secret')}: is not the secret that this league was played "
                f"with, whose SHA-256 is {conditions.secret_hash}"
            )
        store.reveal(secret)
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
