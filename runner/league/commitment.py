"""Binding the host: secret and bots are fixed, and their hashes public, before a beacon is known.

A host with a bot of his own could otherwise draw secrets until one suits it, or plant the secret
in it. With the beacon in them nobody knows the deals until the beacon is out, and by then all bots
are fixed.
"""

from collections.abc import Iterator

from runner import __version__
from runner.config import League
from runner.errors import UsageError
from runner.league.conditions import conditions_of
from runner.league.entering import with_submissions
from runner.league.secret import hash_of, secret_of
from runner.storage.reader import Reader
from runner.storage.store import open_store


def commit_to(league: League) -> Iterator[str]:
    """Write a league's commitment down; the lines that are to be published.

    A second time they are the same, whatever has been changed since.

    Raises:
        UsageError: its deals can be foreseen already, or have been played.
        RunError: its secret is lost.
        StoreError: the league is being played, or its database cannot be written.
    """
    if league.seed is not None:
        raise UsageError(f"{league.path}: its deals come from a seed, so anybody can foresee them")
    secret = secret_of(league)
    with open_store(league.database) as store:
        reader = Reader(store.db)
        if reader.commitment() is None:
            if reader.sitting_keys():
                raise UsageError(
                    f"{league.path}: a commitment comes before the first deal, and deals of this "
                    "league have been played"
                )
            store.set_conditions(conditions_of(league, secret), __version__)
            entered, _ = with_submissions(league, reader)
            store.commit(hash_of(secret), entered.entrants, entered.files)
        commitment = reader.commitment()
        assert commitment is not None
        yield f"committed {commitment.committed_at}"
        yield f"secret    {commitment.secret_hash}"
        for name, version in sorted(reader.committed_versions()):
            yield f"bot       {version}  {name}"
