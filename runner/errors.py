"""The exception tree of the package.

    LetzterError                 anything that a command turns into one message
    ├── RulesError               a deal or an action that breaks the rules of the game
    ├── UsageError               what a user gave is wrong: a path, an option, a name
    │   └── LeagueFileError      a league file that cannot be read as a league
    ├── StoreError               a league's database cannot be used
    └── RunError                 a league cannot go on

Every class takes positional messages only, so that an exception survives the way between
processes. A bot's fault is no exception: it travels as a value (`runner.records.Fault`).
"""


class LetzterError(Exception):
    """Base of every error that this package raises on purpose."""


class RulesError(LetzterError):
    """A deal or an action breaks the rules; the message says which step, seat and card."""


class UsageError(LetzterError):
    """The user gave something wrong; the message says what, and what was expected."""


class LeagueFileError(UsageError):
    """A league file is wrong; the message holds one located line for each mistake."""


class StoreError(LetzterError):
    """A league's database cannot be read or written."""


class RunError(LetzterError):
    """A league cannot start or go on."""
