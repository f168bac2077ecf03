"""One bot misbehaves beside honest ones: what it is charged with, and that nobody else is."""

import re
from dataclasses import replace

import pytest

from runner.records import FaultKind
from tests.table.playing import (
    DEALS,
    MARKED,
    PATIENT,
    PLACE,
    Case,
    bot_of,
    check_logs,
    counts,
    fixture,
    house,
    lost_deals,
    make_sitting,
)

START, ILLEGAL, MESSAGE, TIMEOUT, EXIT, PONDERING = FaultKind

ONE_BY_ONE = replace(PATIENT, deals_in_flight=1)
SOON = replace(PATIENT, wall_seconds=0.5)
"""For bots that hang anyway."""


def says(name, text, kind, **more):
    """A bot that answers a marked request with a text."""
    return Case(name, "says.py", {kind: len(MARKED)}, files={"says.bin": text}, **more)


def ends(how, **more):
    """A bot that ends at a marked request."""
    return Case(f"ends {how}", "ends.py", {EXIT: 2}, files={"how.txt": how.encode()}, **more)


def fails_at_start(name, bot, **more):
    """A bot that never gets ready."""
    return Case(name, bot, {START: 1}, "all", starts=1, **more)


def shoves(how, **more):
    """A bot that shoves wrongly."""
    return Case(
        f"shoves {how}",
        "shoves_wrong.py",
        {ILLEGAL: 2},
        files={"how.txt": how.encode()},
        starts=1,
        **more,
    )


STARTS = [
    fails_at_start(
        "its command does not exist", "", command=("./nothing",), detail="No such file", reply=""
    ),
    fails_at_start("its command is a folder", "", command=("/",), detail="Permission denied"),
    fails_at_start(
        "its file is no program",
        "",
        files={"plain": b"hello\n"},
        command=("./plain",),
        detail="Exec format",
    ),
    fails_at_start(
        "its interpreter does not exist",
        "",
        files={"x": b"#!/no/such\n"},
        command=("./x",),
        detail="No such file",
    ),
    fails_at_start(
        "it exits at the start",
        "exits_at_start.py",
        detail="before it said ready",
        status=3,
        stderr="no engine found\n",
    ),
    fails_at_start("it is killed at the start", "killed_at_start.py", status=-9),
    fails_at_start("it ends with success", "", command=("true",), status=0),
    fails_at_start("it echoes", "", command=("cat",), detail="type.*ready"),
    fails_at_start("it says y", "", command=("yes",), detail="JSON", reply="y"),
    fails_at_start(
        "it writes bytes without end",
        "",
        command=("cat", "/dev/zero"),
        detail="at most 4096 bytes",
        reply=2048 * r"\x00",
    ),
    fails_at_start("it has a banner", "says_first.py", files={"says.bin": b"Hi!\n"}, reply="Hi!"),
    fails_at_start("it begins with an empty line", "says_first.py", files={"says.bin": b"\n"}),
    fails_at_start(
        "it is ready in another way",
        "says_first.py",
        files={"says.bin": b'{"type":"readyok"}\n'},
        reply='{"type":"readyok"}',
    ),
    fails_at_start(
        "its name is no text", "says_first.py", files={"says.bin": b'{"type":"ready","name":1}\n'}
    ),
    fails_at_start(
        "its ready line is too long",
        "says_first.py",
        files={"says.bin": b'{"type":"ready","name":"%s"}\n' % (b"x" * 4096)},
        detail="at most 4096 bytes",
    ),
    fails_at_start(
        "it talks too much before it is ready",
        "says_first.py",
        files={"says.bin": b"# loading\n" * 409 + b'{"type":"ready"}\n'},
        detail="at most 4096 bytes",
        reply='{"type',
    ),
    fails_at_start("it closes stdout at the start", "", command=("sh", "-c", "exec >&-; sleep 60")),
    fails_at_start(
        "it never gets ready", "never_ready.py", limits=replace(PATIENT, start_seconds=1)
    ),
    fails_at_start(
        "it never flushes", "never_flushes.py", limits=replace(PATIENT, start_seconds=2)
    ),
    fails_at_start(
        "it never ends its ready line",
        "says_first.py",
        files={"says.bin": b'{"type":"ready"}'},
        limits=replace(PATIENT, start_seconds=1),
        detail="flushed",
        reply='{"type":"ready"}',
    ),
    fails_at_start(
        "it gets ready too late",
        "ready_late.py",
        files={"seconds.txt": b"1.2"},
        limits=replace(PATIENT, start_seconds=1),
        detail="within 1 s",
    ),
]

MESSAGES = [
    says("an empty line", b"\n", MESSAGE, reply=""),
    says("no JSON", b"7C\n", MESSAGE, reply="7C"),
    says("half a JSON object", b'{"id":<id>\n', MESSAGE),
    says("a list", b"[<id>]\n", MESSAGE, reply=None),
    says("NaN", b"NaN\n", MESSAGE, reply="NaN"),
    says("NaN beside a good answer", b'{"x":NaN,<reply>\n'.replace(b",<", b"}<"), MESSAGE),
    says("infinity as id", b'{"id":1e999,"card":"7C"}\n', MESSAGE),
    says("a huge number as id", b'{"id":%s}\n' % (b"9" * 4000), MESSAGE),
    says("brackets nested deep", b"[" * 4000 + b"\n", MESSAGE, reply="[" * 2048),
    says("an id nested deep", b'{"id":' + b"[" * 2000 + b"]" * 2000 + b"}\n", MESSAGE),
    says("a field nested deep", b'{"x":' + b"[" * 4000 + b"\n", MESSAGE),
    says("bytes that are no UTF-8", b'{"id":<id>,"card":"\xff\xfe"}\n', MESSAGE),
    says("a lone surrogate", b'{"id":<id>,"card":"\xed\xa0\x80"}\n', MESSAGE),
    says("NUL", b"\0<reply>\n", MESSAGE),
    says("a byte order mark", b"\xef\xbb\xbf<reply>\n", MESSAGE),
    says("escape codes", b"\x1b[2J\x1b]0;pwned\x07\n", MESSAGE, reply=r"\x1b[2J\x1b]0;pwned\x07"),
    says("a carriage return alone", b"\r\n", MESSAGE, reply=r"\r"),
    says("no id", b'{"card":"7C"}\n', MESSAGE, detail="got no id"),
    says("the id as a string", b'{"id":"<id>","card":"7C"}\n', MESSAGE, detail="got id '"),
    says("the id as a fraction", b'{"id":<id>.0,"card":"7C"}\n', MESSAGE),
    says("true as id", b'{"id":true,"card":"7C"}\n', MESSAGE),
    says("an old id", b'{"id":<last>,"card":"7C"}\n', MESSAGE),
    says("an id to come", b'{"id":<next>,"card":"7C"}\n', MESSAGE),
    says("a line that is too long", b'{"id":<id>,"x":"%s"}\n' % (b"x" * 4096), MESSAGE),
    says("a line that is far too long", b"x" * 300_000 + b"\n", MESSAGE, reply="x" * 2048),
    says(
        "comments and a line that are too long together",
        b"# %s\n" % (b"x" * 4000) + b'{"id":<id>,"x":"%s"}\n' % (b"x" * 100),
        MESSAGE,
        detail="at most 4096 bytes",
    ),
    says("ready once more", b'{"type":"ready"}\n', MESSAGE, detail="got no id"),
    says(
        "two answers", b"<reply>\n<reply>\n", MESSAGE, limits=ONE_BY_ONE, detail="expected a reply"
    ),
    says("an unasked line", b"<reply>\nhello\n", MESSAGE, limits=ONE_BY_ONE, reply="hello"),
    Case(
        "floods stdout without line ends",
        "floods.py",
        {MESSAGE: 2},
        files={"says.bin": b"x"},
        reply="x" * 2048,
    ),
    Case(
        "floods stdout with lines", "floods.py", {MESSAGE: 2}, files={"says.bin": b"x\n"}, reply="x"
    ),
    Case(
        "floods stdout with comments",
        "floods.py",
        {MESSAGE: 2},
        files={"says.bin": b"# x\n"},
        detail="at most 4096 bytes",
        reply="",
    ),
    Case(
        "floods stdout while it is not asked",
        "floods_idle.py",
        {MESSAGE: 2},
        limits=ONE_BY_ONE,
        reply="tick tack toe",
    ),
]

ILLEGALS = [
    says("no action", b'{"id":<id>}\n', ILLEGAL, starts=1),
    says("null", b'{"id":<id>,"card":null,"cards":null}\n', ILLEGAL, starts=1),
    says("a number", b'{"id":<id>,"card":7,"cards":7}\n', ILLEGAL, starts=1),
    says("no card", b'{"id":<id>,"card":"XX","cards":["XX"]}\n', ILLEGAL, starts=1),
    says(
        "a card in lower case", b'{"id":<id>,"card":"ac","cards":["ac","kc"]}\n', ILLEGAL, starts=1
    ),
    says("numbers among cards", b'{"id":<id>,"card":[],"cards":[1,null]}\n', ILLEGAL, starts=1),
    says(
        "a card nested deep",
        b'{"id":<id>,"card":' + b"[" * 400 + b"]" * 400 + b"}\n",
        ILLEGAL,
        starts=1,
    ),
    says(
        "a card not in the pack",
        b'{"id":<id>,"card":"7C","cards":["7C","8C"]}\n',
        ILLEGAL,
        starts=1,
    ),
    Case("plays a card that it does not hold", "plays_not_held.py", {ILLEGAL: 2}, starts=1),
    Case("revokes", "revokes.py", {ILLEGAL: 2}, starts=1, detail="must follow"),
    shoves("too many", detail="must shove"),
    shoves("too few", detail="must shove"),
    shoves("one twice", detail="twice"),
    shoves("none held", detail="does not hold"),
    shoves("a string", detail="a list of cards"),
    shoves("lists", detail="a list of cards"),
    shoves("nothing", detail="got nothing"),
]

TIMEOUTS = [
    Case("never reads", "never_reads.py", {TIMEOUT: 2}, "all", limits=replace(SOON, max_faults=2)),
    Case(
        "flushes no more than its ready line",
        "flushes_ready_only.py",
        {TIMEOUT: 2},
        "all",
        limits=replace(SOON, max_faults=2),
    ),
    Case(
        "answers late",
        "sleeps.py",
        {TIMEOUT: 2},
        files={"seconds.txt": b"0.8"},
        limits=SOON,
        detail="within 0.5 s of wall time",
    ),
    Case("trickles", "trickles.py", {TIMEOUT: 2}, limits=SOON, detail="half a line"),
    Case("talks instead", "talks_on.py", {TIMEOUT: 2}, limits=SOON, detail="wall time"),
    Case(
        "sleeps just under the wall limit",
        "sleeps_always.py",
        {TIMEOUT: 2},
        None,
        files={"seconds.txt": b"0.3"},
        limits=replace(PATIENT, wall_seconds=5, sleep_seconds=1, max_faults=2),
        detail="sleep in a sitting",
    ),
    Case(
        "computes for too long",
        "burns.py",
        {TIMEOUT: 2},
        limits=replace(PATIENT, move_seconds=0.5),
        detail="CPU time",
    ),
    Case(
        "computes for too long in threads",
        "burns_threads.py",
        {TIMEOUT: 2},
        limits=replace(PATIENT, move_seconds=0.5),
        detail="CPU time",
    ),
    Case("shouts for ever from several processes", "shouts_on.py", {TIMEOUT: 2}, limits=SOON),
]

EXITS = [
    ends("with a code", status=3, stderr="\\x1b[31mlast words\\u202e\n", starts=3),
    ends("by a signal", status=-11),
    ends("by an exception", status=1),
    ends("in mid-line", status=0),
    ends("after its answer", status=4, limits=ONE_BY_ONE, reply=""),
    ends("closing stdout"),
    ends("closing stdin", limits=SOON),
    ends("closing stdin after its answer", limits=replace(SOON, deals_in_flight=1)),
    ends("by its main thread only", status=5),
    Case(
        "answers twice and exits",
        "ends.py",
        {MESSAGE: 2},
        files={"how.txt": b"after two answers"},
        limits=ONE_BY_ONE,
    ),
    Case(
        "is ready, and exits for a child to play",
        "daemon.py",
        {EXIT: 2},
        "all",
        limits=replace(PATIENT, max_faults=2),
        status=0,
        starts=2,
    ),
]

PONDERINGS = [
    Case(
        "computes while others are asked",
        "ponders.py",
        {PONDERING: 2},
        None,
        limits=replace(PATIENT, deals_in_flight=1, pondering_seconds=0.1, max_faults=2),
        beside=fixture("sleeps_always.py", {"seconds.txt": b"0.04"}),
        detail="at most 0.1 s",
    )
]

GOOD = [
    Case("is slow to get ready", "ready_late.py", files={"seconds.txt": b"0.5"}, starts=1),
    Case(
        "talks before it is ready",
        "says_first.py",
        files={"says.bin": b"# loading\n" * 407 + b'{"type":"ready"}\n'},
        starts=1,
    ),
    Case(
        "is ready with all that there is",
        "says_first.py",
        files={
            "says.bin": b' {"author":"\xe2\x80\xae","type" : "ready","name":"%s","z":{}}\r\n'
            % (b"x" * 4000)
        },
    ),
    Case("half a line, stderr, the other half", "half_line.py"),
    Case("one byte at a time", "one_byte_writes.py"),
    Case("several lines in one write", "collects.py"),
    Case("answers ahead, rightly", "answers_ahead.py", limits=ONE_BY_ONE),
    Case("CRLF and blanks", "says_always.py", files={"says.bin": b" \t<reply> \t\r\n"}),
    Case(
        "comments and unknown fields",
        "says_always.py",
        files={"says.bin": b"#\xff\0 1e999 NaN\n# %s\n" % (b"x" * 3900) + b"<reply>\n"},
    ),
    Case("shoves what it received", "shoves_received.py", policy="passing on"),
    Case("shouts on stderr", "shouts.py"),
    Case("closes stderr", "", command=("sh", "-c", "exec python3 honest.py 2>&-")),
    Case("stays after goodbye", "stays.py"),
    Case("leaves a child", "leaves_child.py", files={"how.txt": b"group", "marks.json": b"[]"}),
    Case("leaps from process to process", "leaps.py"),
    Case("cannot be reaped", "traced.py"),
    Case("digs deep in its home", "digs.py"),
]

LEAVERS = [
    Case(
        f"leaves a child, {how}, and exits",
        "leaves_child.py",
        {EXIT: 2},
        files={"how.txt": how.encode()},
        status=1,
    )
    for how in ("group", "session", "daemon", "hidden")
]

CASES = [
    *STARTS,
    *MESSAGES,
    *ILLEGALS,
    *TIMEOUTS,
    *EXITS,
    *PONDERINGS,
    *GOOD,
    *LEAVERS,
]


def play(table, case, wobbly=False):
    """Play a case beside two house bots."""
    sitting = make_sitting(limits=case.limits)
    return sitting, table.play(sitting, [house("random"), bot_of(case, wobbly), case.beside])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_bot_misbehaves_beside_honest_ones_it_alone_is_charged(table, case):
    sitting, result = play(table, case)

    assert counts(result) == [{}, case.expected, {}], result.faults
    check_logs(sitting, result, ["random", case.policy, "low"])
    lost = lost_deals(result)
    for log, deal in zip(result.logs, sitting.deals, strict=True):
        assert log.fault is None or deal.seats[log.fault_seat] == PLACE
    if not case.expected:
        assert lost == []
    elif case.deals is not None:
        assert lost == list({"marked": MARKED, "all": DEALS}[case.deals])
    if case.starts is not None:
        assert result.usage[PLACE].starts == case.starts
    assert [result.usage[place].starts for place in (0, 2)] == [1, 1]
    for fault in result.faults:
        assert re.search(case.detail, fault.detail)
        assert case.reply is None or fault.reply == case.reply
        assert case.stderr is None or fault.stderr == case.stderr
        assert fault.exit_status == case.status
