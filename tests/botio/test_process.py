"""One bot process: its texts, its limits of patience, its end."""

import os
import signal
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.botio.process import (
    STDERR_HEAD_BYTES,
    STDERR_TAIL_BYTES,
    BotProcess,
    CannotStartError,
    adopt_strays,
    end_strays,
    printable,
)
from runner.botio.program import Program
from tests.table.playing import children


@pytest.fixture
def start(tmp_path):
    """Starts a shell command as a bot."""
    started = []
    homes = tmp_path / "homes"
    homes.mkdir()

    def start_command(script):
        started.append(BotProcess(Program(("sh", "-c", script), tmp_path), homes))
        return started[-1]

    yield start_command
    for process in started:
        process.end()
    end_strays()
    assert list(homes.iterdir()) == []


@pytest.mark.parametrize(
    "data, text",
    [
        (b"plain \xc3\xa4\xe2\x99\xa5\n\ttext", "plain ä♥\n\ttext"),
        (b"\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        (b"\x1b]0;title\x07", r"\x1b]0;title\x07"),
        (b"over\rwritten\x08\x7f", r"over\rwritten\x08\x7f"),
        (b"\0", r"\x00"),
        ("\u202eabc\u2066".encode(), r"\u202eabc\u2066"),
        ("\u200b\ufeff\u2028".encode(), r"\u200b\ufeff\u2028"),
        ("\x9b31m\x85".encode(), r"\x9b31m\x85"),
        ("\U000e0041".encode(), r"\U000e0041"),
        (b"\xed\xa0\x80", r"\xed\xa0\x80"),
        (b"\xff\xfe", r"\xff\xfe"),
        (b"cut \xe2\x99", r"cut \xe2\x99"),
        (b"\xf4\x90\x80\x80", r"\xf4\x90\x80\x80"),
        (b"", ""),
    ],
)
def test_printable_text_has_nothing_but_what_can_be_seen(data, text):
    assert printable(data) == text


@given(st.binary(max_size=200))
def test_printable_of_any_bytes_is_safe(data):
    text = printable(data)

    assert text.encode().decode() == text
    for char in text:
        assert char in "\n\t" or unicodedata.category(char)[0] not in "C"
        assert char == " " or unicodedata.category(char) not in ("Zl", "Zp")


@given(st.text(alphabet=st.characters(codec="ascii", min_codepoint=32, max_codepoint=126)))
def test_printable_of_plain_text_is_the_text(text):
    assert printable(text.encode()) == text


def test_stderr_that_is_short_is_kept_whole(start):
    process = start("echo one >&2; echo two >&2")
    process.wait_for_death(30)

    assert process.stderr_text() == "one\ntwo\n"


@pytest.mark.parametrize("more", [0, 1, 5, 1000, 200_000])
def test_stderr_that_is_long_is_kept_at_both_ends(start, more):
    size = STDERR_HEAD_BYTES + STDERR_TAIL_BYTES + more
    process = start(f"i=0; head -c {size - 3} /dev/zero | tr '\\0' x >&2; printf end >&2")
    while process.wait_for_death(0) is None:
        process.drain_stderr()
        time.sleep(0.001)

    text = process.stderr_text()
    cut = f"\n[… {more} bytes …]\n" if more else ""
    assert text == "x" * STDERR_HEAD_BYTES + cut + "x" * (STDERR_TAIL_BYTES - 3) + "end"


def test_stderr_text_of_a_bot_that_never_stops_writing_ends(start):
    process = start("yes >&2 & yes >&2 & yes >&2 & yes >&2")
    time.sleep(0.2)

    for _ in range(5):
        assert process.stderr_text().startswith("y\ny\n")


def test_bot_that_is_killed_by_its_end_has_that_status(start):
    process = start("exec sleep 600")

    process.end()
    process.end()

    assert process.exit_status == -signal.SIGKILL


def test_bot_that_has_exited_keeps_its_status(start):
    process = start("exit 7")
    assert process.wait_for_death(30) == 7

    process.end()

    assert process.exit_status == 7


def test_death_by_signal_is_a_negative_status(start):
    assert start("kill -SEGV $$").wait_for_death(30) == -signal.SIGSEGV


def test_waiting_for_the_death_of_a_living_bot_ends(start):
    began = time.monotonic()

    assert start("exec sleep 600").wait_for_death(0.05) is None
    assert time.monotonic() - began < 10


def test_cpu_time_of_a_dead_bot_is_still_known(start):
    process = start("i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done")
    process.wait_for_death(30)

    used = process.cpu_ns()
    assert used > 1_000_000
    process.end()
    assert process.cpu_ns() == used


def test_waiting_for_a_core_never_shrinks(start):
    process = start("while :; do :; done")
    waits = []
    for _ in range(5):
        time.sleep(0.01)
        waits.append(process.core_wait_ns())

    assert waits == sorted(waits)


def test_reading_no_more_is_seen_in_a_living_bot(start):
    assert not start("exec sleep 600").talks_no_more()

    process = start("exec <&-; exec sleep 600")
    until = time.monotonic() + 30
    while not process.talks_no_more() and time.monotonic() < until:
        time.sleep(0.01)
    assert process.talks_no_more()
    assert process.wait_for_death(0) is None


def test_end_takes_the_group_and_sessions_of_their_own_with_it(start):
    adopt_strays()
    process = start("sleep 600 & setsid sleep 600 & (setsid sleep 600 &) ; echo up; wait")
    os.set_blocking(process.stdout, True)
    assert os.read(process.stdout, 100) == b"up\n"
    time.sleep(0.1)

    process.end()

    assert [pid for pid in children() if Path(f"/proc/{pid}/cmdline").read_bytes()] == []
    end_strays()
    assert children() == []


def test_file_that_cannot_be_executed_is_the_bots_fault(tmp_path):
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    (tmp_path / "plain").chmod(0o644)

    with pytest.raises(CannotStartError, match="Permission denied"):
        BotProcess(Program(("./plain",), tmp_path), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["plain"]


def test_homes_that_are_gone_are_nobodys_fault(tmp_path):
    with pytest.raises(FileNotFoundError):
        BotProcess(Program(("true",), tmp_path), tmp_path / "homes")
