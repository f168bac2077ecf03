"""What a file of a bot may be called: the one place that decides, whoever the name comes from.

A name is a relative path with `/`, such as `lib/cards.py`. It is laid out on disk below the bot's
folder, so nothing in it may lead out of there, and no word of a command may take it for an option.
"""

from collections.abc import Iterable

from runner.config.kinds import unseen

MAX_NAME_CHARACTERS = 200
MAX_FOLDERS = 8


def wrong_with_file_name(name: str) -> str | None:
    """Why a bot's file cannot have this name; None if it can."""
    parts = name.split("/")
    wrong = {
        f"its name has more than {MAX_NAME_CHARACTERS} characters": (
            len(name) > MAX_NAME_CHARACTERS
        ),
        "its name holds a character that cannot be seen, or a backslash": (
            unseen(name) is not None or "\\" in name
        ),
        "its name is an absolute path": name.startswith("/"),
        f"it lies more than {MAX_FOLDERS} folders deep": len(parts) > MAX_FOLDERS + 1,
        "its name has an empty part, '.' or '..'": any(part in ("", ".", "..") for part in parts),
        "its name, or that of a folder, begins with '-'": any(
            part.startswith("-") for part in parts
        ),
        "its name is too long for a file": any(
            len(part.encode("utf-8", "surrogatepass")) > 255 for part in parts
        ),
    }
    return next((why for why, is_wrong in wrong.items() if is_wrong), None)


def both_file_and_folder(names: Iterable[str]) -> str | None:
    """The first name that is also a folder of another one, or None."""
    known = set(names)
    for name in sorted(known):
        parts = name.split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            if folder in known:
                return folder
    return None
