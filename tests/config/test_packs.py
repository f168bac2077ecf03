"""Bots of any language, and bots that are a zip or a folder; those of strangers, too."""

import contextlib
import os
import random
import shutil
import socket
import stat
import subprocess
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.botio.program import unpack
from runner.config import load_bot, load_league, load_named_bot
from runner.config.file_names import wrong_with_file_name
from runner.config.packs import MAX_PACK_BYTES, MAX_PACK_FILES
from runner.errors import LeagueFileError, RunError, UsageError
from runner.execution.executor import workspace
from runner.records import Bot, BotFiles, Limits
from runner.table.check import ALL_GAMES, check_bot
from tests.leagues import BOTS, play, rows, run, write_league

COMMAND = b"command: [python, lib/main.py]\n"
MAIN = b"import low_of_house\nlow_of_house.main()\n"


def files_of_a_bot():
    return {
        "bot.yaml": COMMAND + b"name: Packed\nauthor: Ann\n",
        "lib/main.py": MAIN,
        "lib/low_of_house.py": (BOTS / "low.py").read_bytes(),
        "data/deep/x.bin": b"\0",
    }


def make_zip(path, files, inside=""):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, data in files.items():
            opened.writestr(inside + name, data)
    return path


def make_folder(path, files):
    for name, data in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path


def refused(path):
    with contextlib.chdir(path.parent), pytest.raises(UsageError) as caught:
        load_named_bot(path.name)
    return str(caught.value)


# Languages.


@pytest.mark.parametrize(
    "name, command",
    [
        ("x.py", "python -S -s x.py"),
        ("x.sh", "sh x.sh"),
        ("x.js", "node x.js"),
        ("x.rb", "ruby x.rb"),
        ("x.pl", "perl x.pl"),
        ("x.jar", "java -jar x.jar"),
    ],
)
def test_bot_of_a_known_ending_is_run_by_its_interpreter(tmp_path, name, command):
    (tmp_path / name).write_bytes(b"x")
    assert " ".join(load_bot(str(tmp_path / name)).bot.command) == command


@pytest.mark.parametrize("start", [b"#!/usr/bin/env python3\n", b"\x7fELF\2\1\1"])
def test_bot_with_a_shebang_or_a_binary_need_not_be_executable(tmp_path, start):
    (tmp_path / "tool").write_bytes(start)
    assert load_bot(str(tmp_path / "tool")).bot.command == ("./tool",)


def test_bot_of_an_unknown_kind_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_bytes(b"hello")
    assert refused(tmp_path / "notes.txt") == (
        "'notes.txt' is not executable; make it so (chmod +x), or give it an ending out of "
        ".py, .sh, .js, .rb, .pl, .jar"
    )


PERL = """
$| = 1;
while (<STDIN>) {
    if (/"type":"hello"/) { print qq({"type":"ready"}\\n); }
    elsif (/"type":"shove","id":(\\d+).*"count":(\\d+),"hand":\\[([^\\]]*)\\]/) {
        my @hand = split(/,/, $3);
        print qq({"id":$1,"cards":[) . join(",", @hand[0 .. $2 - 1]) . "]}\\n";
    }
    elsif (/"type":"play","id":(\\d+).*"legal":\\["(..)"/) { print qq({"id":$1,"card":"$2"}\\n); }
}
"""

NODE = """
require("readline").createInterface({input: process.stdin}).on("line", line => {
    const m = JSON.parse(line);
    if (m.type === "hello") console.log('{"type":"ready"}');
    else if (m.type === "shove")
        console.log(JSON.stringify({id: m.id, cards: m.hand.slice(0, m.count)}));
    else if (m.type === "play") console.log(JSON.stringify({id: m.id, card: m.legal[0]}));
});
"""

C = r"""
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
int main(void) {
    static char line[65536];
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        char *id = strstr(line, "\"id\":");
        if (strstr(line, "\"type\":\"hello\"")) puts("{\"type\":\"ready\"}");
        else if (strstr(line, "\"type\":\"shove\"")) {
            int count = atoi(strstr(line, "\"count\":") + 8);
            printf("{\"id\":%d,\"cards\":[%.*s]}\n", atoi(id + 5), 5 * count - 1,
                   strstr(line, "\"hand\":[") + 8);
        } else if (strstr(line, "\"type\":\"play\""))
            printf("{\"id\":%d,\"card\":%.4s}\n", atoi(id + 5), strstr(line, "\"legal\":[") + 9);
    }
    return 0;
}
"""


def plays(path):
    with workspace() as folder:
        games = list(check_bot(load_bot(str(path)), ALL_GAMES, Limits(), folder))
    assert [game.fault for game in games] == [None] * len(ALL_GAMES)


@pytest.mark.parametrize("name, program, text", [("b.pl", "perl", PERL), ("b.js", "node", NODE)])
def test_bot_in_another_language_plays(tmp_path, name, program, text):
    if not shutil.which(program, path="/usr/local/bin:/usr/bin:/bin"):
        pytest.skip(f"there is no {program} here")
    (tmp_path / name).write_text(text)
    plays(tmp_path / name)


def test_bot_in_c_plays(tmp_path):
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler here")
    (tmp_path / "b.c").write_text(C)
    subprocess.run(["cc", "-o", tmp_path / "b", tmp_path / "b.c"], check=True)
    plays(tmp_path / "b")


# Zips and folders.


@pytest.mark.parametrize("kind", ["zip", "zip with a folder", "folder"])
def test_pack_is_a_bot_with_folders(tmp_path, kind):
    files = files_of_a_bot()
    files |= {".git/config": b"x", "lib/__pycache__/a.pyc": b"x", ".DS_Store": b"x"}
    if kind == "folder":
        path = make_folder(tmp_path / "mine", files)
    else:
        files |= {"__MACOSX/x": b"x"} if kind == "zip" else {}
        path = make_zip(tmp_path / "mine.zip", files, "mine/" if "with" in kind else "")
    bot = load_named_bot(str(path))
    assert (bot.name, bot.author) == ("Packed", "Ann")
    assert list(bot.files.contents) == ["data/deep/x.bin", "lib/low_of_house.py", "lib/main.py"]
    assert bot.files.bot.command == ("python", "-S", "-s", "lib/main.py")
    plays(path)


def test_pack_same_bot_in_a_zip_and_in_a_folder_is_one_version(tmp_path):
    one = load_bot(str(make_folder(tmp_path / "a", files_of_a_bot())))
    other = load_bot(str(make_zip(tmp_path / "b.zip", files_of_a_bot(), "b/")))
    assert one.bot.version == other.bot.version


def test_pack_name_and_author_do_not_change_its_version(tmp_path):
    files = files_of_a_bot()
    one = load_bot(str(make_folder(tmp_path / "a", files)))
    files["bot.yaml"] = COMMAND
    other = load_bot(str(make_folder(tmp_path / "b", files)))
    assert one.bot.version == other.bot.version


def test_pack_packages_take_the_slow_start(tmp_path):
    files = files_of_a_bot() | {"bot.yaml": COMMAND + b"packages: true\n"}
    bot = load_bot(str(make_folder(tmp_path / "a", files)))
    assert bot.bot.command == ("python", "lib/main.py")


def test_pack_plays_in_a_league_and_nothing_is_left(tmp_path):
    path = write_league(tmp_path / "l", entrants=("low.py", "high.py"), players=3)
    make_zip(path.parent / "mine.zip", files_of_a_bot())
    text = path.read_text().replace(
        '"bot": "high.py"\n', '"bot": "high.py"\n  },\n  {"bot": "mine.zip"'
    )
    path.write_text(text)
    league = load_league(str(path))
    assert [(each.name, each.author) for each in league.entrants][2] == ("Packed", "Ann")
    assert not play(path).at_fault
    assert {row["entrant"] for row in rows(path, "ratings")} == {"low", "high", "Packed"}


def test_pack_that_is_wrong_is_a_mistake_of_the_league_file(tmp_path):
    path = write_league(tmp_path / "l")
    make_folder(path.parent / "mine", {"bot.yaml": b"name: x\n"})
    path.write_text(path.read_text().replace('"low.py"', '"mine"'))
    with pytest.raises(LeagueFileError, match=r"bot: mine/bot\.yaml:1:1: missing key 'command'"):
        load_league(str(path))


MISTAKES = {
    "command: [x]\nfoo: 1\n": "b/bot.yaml:2:1: unknown key 'foo'",
    "": "b/bot.yaml:1:1: the file is empty: expected the keys of a bot ('command: …')",
    "command: []\n": "b/bot.yaml:1:10: command: expected a list of 1 to 64 words, got 0",
    "command: [./gone]\n": "b/bot.yaml:1:11: command: no file named 'gone' is in it",
    "command: [*x]\n": "b/bot.yaml:1:11: alias '*x': a league file has no aliases",
    'command: [x]\nname: "a\\u202eb"\n': "b/bot.yaml:2:7: name: expected text that can be seen",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_description_that_is_wrong_is_located(tmp_path, text):
    path = make_folder(tmp_path / "b", {"bot.yaml": text.encode()})
    with pytest.raises(UsageError) as caught:
        load_bot(str(path))
    assert str(caught.value).replace(f"{tmp_path}/", "").startswith(MISTAKES[text])


# Hostile ones.


HOSTILE_NAMES = {
    "/etc/passwd": "its name is an absolute path",
    "../x": "its name has an empty part, '.' or '..'",
    "lib/../../x": "its name has an empty part, '.' or '..'",
    "a//b": "its name has an empty part, '.' or '..'",
    "./x": "its name has an empty part, '.' or '..'",
    "..\\x": "a character that cannot be seen, or a backslash",
    "C:\\x": "a character that cannot be seen, or a backslash",
    "a\x1b[31mb": "a character that cannot be seen, or a backslash",
    "a\nb": "a character that cannot be seen, or a backslash",
    "a\u202eb": "a character that cannot be seen, or a backslash",
    "-c": "begins with '-'",
    "lib/-x/y": "begins with '-'",
    "n" * 10_000: "its name has more than 200 characters",
    "ü" * 150: "its name is too long for a file",
    "/".join("abcdefghij"): "it lies more than 8 folders deep",
}


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=lambda name: repr(name)[:20])
def test_hostile_name_in_a_zip_is_refused(tmp_path, name):
    path = make_zip(tmp_path / "b.zip", files_of_a_bot() | {name: b"x"})
    text = refused(path)
    assert HOSTILE_NAMES[name] in text
    assert text.isprintable()
    assert len(text) < 250


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=lambda name: repr(name)[:20])
def test_hostile_name_out_of_a_database_is_not_laid_out(tmp_path, name):
    bot = BotFiles(Bot(("./x",), ((name, "0"),)), {name: b"x"})
    with pytest.raises(RunError, match="cannot name a bot's file"):
        unpack(bot, tmp_path / "bots")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO])
def test_link_or_device_in_a_zip_is_refused(tmp_path, kind):
    path = make_zip(tmp_path / "b.zip", files_of_a_bot())
    with zipfile.ZipFile(path, "a") as opened:
        entry = zipfile.ZipInfo("lib/secret")
        entry.external_attr = (kind | 0o777) << 16
        opened.writestr(entry, "../../league.secret")
    assert "neither a file nor a folder (a link or a device?)" in refused(path)


def test_link_in_a_folder_is_refused(tmp_path):
    (tmp_path / "league.secret").write_text("secret")
    path = make_folder(tmp_path / "b", files_of_a_bot())
    (path / "s").symlink_to(tmp_path / "league.secret")
    assert refused(path) == "'b': 's': it is a link"
    (path / "s").unlink()
    (path / "lib" / "up").symlink_to(tmp_path)
    assert refused(path) == "'b': 'lib/up': it is a link"


def test_pipe_socket_or_device_in_a_folder_is_refused(tmp_path):
    path = make_folder(tmp_path / "b", files_of_a_bot())
    os.mkfifo(path / "p")
    assert refused(path) == "'b': 'p': it is not a regular file"
    (path / "p").unlink()
    if os.getuid() == 0:
        try:
            os.mknod(path / "p", stat.S_IFCHR | 0o666, os.makedev(1, 5))  # /dev/zero
        except PermissionError:
            return
        assert "'b': 'p': " in refused(path)
        (path / "p").unlink()
    with socket.socket(socket.AF_UNIX) as bound, tempfile.TemporaryDirectory(dir="/tmp") as short:
        bound.bind(f"{short}/s")
        shutil.move(f"{short}/s", path / "p")
        assert "'b': 'p': " in refused(path)


def test_bomb_is_refused_before_it_unpacks(tmp_path):
    path = tmp_path / "b.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("bot.yaml", COMMAND)
        with opened.open("zeros", "w", force_zip64=True) as file:
            for _ in range(MAX_PACK_BYTES // (1 << 20) + 1):
                file.write(bytes(1 << 20))
    assert path.stat().st_size < 200_000
    assert refused(path) == "'b.zip': 'zeros': all together more than 64 MiB"


def test_too_many_files_are_refused(tmp_path):
    many = {f"f{n}": b"" for n in range(MAX_PACK_FILES)}
    path = make_zip(tmp_path / "b.zip", {"bot.yaml": COMMAND} | many)
    assert refused(path).endswith("more than 1000 files")
    path = make_folder(tmp_path / "b", {"bot.yaml": COMMAND} | many)
    assert refused(path).endswith("more than 1000 files")


def test_two_files_of_one_name_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as opened:
        opened.writestr("x", "1")
        with pytest.warns(UserWarning, match="Duplicate name"):
            opened.writestr("x", "2")
    assert "it is there twice" in refused(tmp_path / "b.zip")


def test_file_that_is_also_a_folder_is_refused(tmp_path):
    path = make_zip(tmp_path / "b.zip", files_of_a_bot() | {"lib": b"x"})
    assert refused(path) == "'b.zip': 'lib' is both a file and a folder"


def test_no_zip_at_all_is_refused(tmp_path):
    (tmp_path / "b.zip").write_bytes(b"PK\3\4" + bytes(100))
    assert refused(tmp_path / "b.zip").startswith("cannot read 'b.zip': ")
    assert "No such file" in refused(tmp_path / "c.zip")


@given(st.integers(0, 2**32), st.integers(1, 12))
def test_any_damage_to_a_zip_is_a_plain_refusal(seed, times):
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = make_zip(Path(folder) / "b.zip", files_of_a_bot())
        data = bytearray(path.read_bytes())
        for _ in range(times):
            data[dice.randrange(len(data))] = dice.randrange(256)
        path.write_bytes(data[: dice.choice((len(data), dice.randrange(len(data))))])
        with contextlib.suppress(UsageError):
            bot = load_named_bot(str(path))
            assert all(wrong_with_file_name(name) is None for name in bot.files.contents)


def test_check_takes_a_zip(tmp_path):
    path = make_zip(tmp_path / "b.zip", files_of_a_bot())
    done = run("letzter", "check", path)
    assert done.returncode == 0, done.stdout + done.stderr
    bad = run("letzter", "check", make_zip(tmp_path / "c.zip", {"../x": b""}))
    assert (bad.returncode, bad.stdout) == (2, "")
    assert "'../x': its name has an empty part" in bad.stderr
