"""What bots write: any line at all is a reply, or refused with one kind of error."""

import json
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.game.cards import NAMES, names_of
from runner.protocol import messages
from runner.protocol.messages import ActionError, MessageError, Ready

GOOD = b'{"id":1,"card":"7H","cards":["7H","8H"]}'


def said_of(line, request_id=1):
    """Why a line is refused as a reply."""
    with pytest.raises(MessageError) as caught:
        messages.read_reply(line, request_id)
    return str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        GOOD,
        GOOD + b"\n",
        GOOD + b"\r\n",
        GOOD + b"\r",
        b" \t" + GOOD + b" \t ",
        b'{ "card" : "7H" , "cards" : [ "7H" , "8H" ] , "id" : 1 }',
        b'{"\\u0069d":1,"card":"\\u0037H","cards":["7H","8\\u0048"]}',
        GOOD[:-1]
        + b',"why":"\xc3\xbcber \\u2660 \\ud83c\\udca1","score":-1.5e3,"tree":[{"a":[]}]}',
        b'{"id":7,' + GOOD[1:],
        b'{"id":"1","card":null,' + GOOD[1:],
    ],
)
def test_reply_good_line_is_read(line):
    reply = messages.read_reply(line, 1)
    assert messages.card_in(reply) == 16
    assert messages.cards_in(reply) == [16, 17]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b" ",
        b"\r\n",
        b"ready",
        b"{",
        b'{"id":1',
        b'{"id":1,"card":"7H"',
        b'{"id":1,"card":"7H}',
        b'{"id":1,}',
        b"{'id':1}",
        b"{id:1}",
        b'{"id":01}',
        b'{"id":+1}',
        b'{"id":0x1}',
        b'{"id":1} {"id":1}',
        b'{"id":1}{"id":1}',
        b'{"id":1}#',
        b'{"id":1}//',
        b'{"id":1,"card":NaN}',
        b'{"id":NaN}',
        b'{"id":1,"x":NaN}',
        b'{"id":1,"x":Infinity}',
        b'{"id":1,"x":-Infinity}',
        b'{"id":1,"x":True}',
        b"\0",
        GOOD + b"\0",
        b'{"id":1,"card":"\0"}',
        b'{"id":1,"card":"7\tH"}',
        b'{"id":1,"card":"\\x37H"}',
        b"\x0c" + GOOD,
        GOOD + b"\x0b",
        b"\xef\xbb\xbf" + GOOD,
        '{\u00a0"id":1}'.encode(),
        GOOD.decode().encode("utf-16"),
        GOOD.decode().encode("utf-16-le"),
    ],
)
def test_reply_no_json_is_refused(line):
    assert re.match(r"expected a line of (JSON: .|UTF-8$)", said_of(line))


@pytest.mark.parametrize(
    "line",
    [
        b"\xff",
        b'{"id":1,"card":"\xff"}',
        b'{"id":1,"x":"\xc3"}',
        b'{"id":1,"x":"\xc0\xaf"}',
        b'{"id":1,"\xe9":1}',
        b'{"id":1,"card":"\xed\xa0\x80"}',
        b'{"id":1,"x":"\xf5\x80\x80\x80"}',
    ],
)
def test_reply_invalid_utf8_is_refused(line):
    assert said_of(line) == "expected a line of UTF-8"


@pytest.mark.parametrize(
    "text", ["\\ud800", "\\udc00", "\\ud800x", "\\ud800\\ud800", "\\udfff\\ud800"]
)
def test_reply_lone_surrogate_is_no_card(text):
    line = b'{"id":1,"card":"%s"}' % text.encode()
    try:
        reply = messages.read_reply(line, 1)
    except MessageError:
        return
    with pytest.raises(ActionError) as caught:
        messages.card_in(reply)
    assert str(caught.value).isascii()


@pytest.mark.parametrize(
    "line, came",
    [
        (b"[]", "array"),
        (b"null", "null"),
        (b"1", "int"),
        (b"7H", "int"),
        (b'"{}"', "str"),
        (b"true", "bool"),
        (b'[{"id":1}]', "array"),
    ],
)
def test_reply_no_object_is_refused_with_what_came(line, came):
    assert said_of(line) == (f"expected a message of the protocol: Expected `object`, got `{came}`")


@pytest.mark.parametrize(
    "line, came",
    [
        (b"{}", "no id"),
        (b'{"ID":1}', "no id"),
        (b'{"id":null}', "no id"),
        (b'{"card":"7H"}', "no id"),
        (b'{"id":"1"}', "id '1'"),
        (b'{"id":1.0}', "id 1.0"),
        (b'{"id":1e0}', "id 1.0"),
        (b'{"id":true}', "id True"),
        (b'{"id":0}', "id 0"),
        (b'{"id":-1}', "id -1"),
        (b'{"id":2}', "id 2"),
        (b'{"id":1,"id":2}', "id 2"),
        (b'{"id":[1]}', "id [1]"),
        (b'{"id":{"id":1}}', "id {'id': 1}"),
        (b'{"id":18446744073709551617}', "id 18446744073709551617"),
        (b'{"id":"\\u00fc\\u0007"}', "id '\\xfc\\x07'"),
        (b'{"id":"\xe2\x99\xa5"}', "id '\\u2665'"),
    ],
)
def test_reply_wrong_id_is_refused_with_what_came(line, came):
    assert said_of(line) == f"expected a reply with id 1, got {came}"


@pytest.mark.parametrize("request_id, came", [(2, 1), (2, 3), (10**6, 10**6 - 1), (1, 10**6)])
def test_reply_stale_or_future_id_is_refused(request_id, came):
    line = b'{"id":%d,"card":"7H"}' % came
    assert said_of(line, request_id) == f"expected a reply with id {request_id}, got id {came}"


@pytest.mark.parametrize("depth", [900, 1000, 1500, 4000, 100_000])
@pytest.mark.parametrize("field", ["id", "card", "cards", "x"])
@pytest.mark.parametrize("opening, closing", [(b"[", b"]"), (b'{"a":', b"}")])
def test_reply_nested_deep_is_no_action_or_refused(depth, field, opening, closing):
    inner = opening * depth + b"1" + closing * depth
    line = b'{"id":1,"card":1,"cards":1,"%s":%s}' % (field.encode(), inner)
    outcome(line)
    assert outcome(line[: messages.MAX_LINE_BYTES])


@pytest.mark.parametrize("depth", [1, 4000, 100_000])
@pytest.mark.parametrize("opening", [b"[", b"{", b'{"id":', b'{"x":['])
def test_reply_opened_and_never_closed_is_refused(depth, opening):
    assert said_of(opening * depth).startswith("expected a ")


@pytest.mark.parametrize("digits", [20, 400, 4000, messages.MAX_LINE_BYTES, 5000, 1_000_000])
@pytest.mark.parametrize("field", ["id", "card", "cards", "x"])
def test_reply_number_of_any_length_is_no_action_or_refused(digits, field):
    line = b'{"id":1,"card":1,"cards":1,"%s":%s' % (field.encode(), b"9" * digits)
    assert len(outcome(line + b"}")) < 120
    assert len(outcome(line + b".5}")) < 120
    assert len(outcome(line[: messages.MAX_LINE_BYTES])) < 120


def outcome(line):
    """What comes of a line in the referee's hands: an action, or one of two errors."""
    said = []
    for read in (messages.card_in, messages.cards_in):
        try:
            cards = read(messages.read_reply(line, 1))
        except (ActionError, MessageError) as error:
            text = str(error)
            assert text.isprintable()
            assert len(text) < 200
            said.append(text)
        else:
            said.append(str(cards))
    return max(said, key=len)


@given(st.binary(max_size=200))
def test_reply_any_bytes_are_an_action_or_one_of_two_errors(line):
    outcome(line)


@given(st.text(max_size=100))
def test_reply_any_text_in_quotes_is_an_action_or_one_of_two_errors(text):
    outcome(text.encode("utf-8", "surrogatepass"))
    outcome(json.dumps({"id": 1, "card": text, "cards": [text]}).encode())
    outcome(
        json.dumps({"id": text, text: text}, ensure_ascii=False).encode("utf-8", "surrogatepass")
    )


@given(st.data())
def test_reply_good_line_with_some_bytes_changed_is_an_action_or_one_of_two_errors(data):
    line = bytearray(GOOD)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(line) - 1))
        line[at : at + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2))
        line = line or bytearray(b" ")
    outcome(bytes(line))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3)
    | st.sampled_from(NAMES),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=10,
)


@given(json_values)
def test_reply_any_value_as_card_is_a_card_or_no_action(value):
    try:
        reply = messages.read_reply(json.dumps({"id": 1, "card": value}).encode(), 1)
    except MessageError:
        # The codec reads no lone surrogates and no numbers beyond those of machines.
        assert "\\ud" in json.dumps(value) or re.search(r"\d{19}", json.dumps(value))
        return
    if isinstance(value, str) and value in NAMES:
        assert names_of([messages.card_in(reply)]) == [value]
    else:
        with pytest.raises(ActionError, match=r'^expected "card": a card to play, got '):
            messages.card_in(reply)


@given(json_values | st.lists(st.sampled_from(NAMES), max_size=5))
def test_reply_any_value_as_cards_is_cards_or_no_action(value):
    try:
        reply = messages.read_reply(json.dumps({"id": 1, "cards": value}).encode(), 1)
    except MessageError:
        assert "\\ud" in json.dumps(value) or re.search(r"\d{19}", json.dumps(value))
        return
    names = [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
    if isinstance(value, list) and len(names) == len(value) and set(names) <= set(NAMES):
        assert names_of(messages.cards_in(reply)) == value
    else:
        with pytest.raises(ActionError, match=r'^expected "cards": a list of cards'):
            messages.cards_in(reply)


@pytest.mark.parametrize(
    "card, came",
    [
        ("", "nothing"),
        (',"card":null', "nothing"),
        (',"cards":["7H"]', "nothing"),
        (',"card":"7h"', "'7h'"),
        (',"card":"H7"', "'H7'"),
        (',"card":"10H"', "'10H'"),
        (',"card":" 7H"', "' 7H'"),
        (',"card":""', "''"),
        (',"card":16', "16"),
        (',"card":["7H"]', "['7H']"),
        (',"card":false', "False"),
        (',"card":"\\u0000"', "'\\x00'"),
        (',"card":"♥7"', "'\\u26657'"),
        (',"card":"' + "x" * 3000 + '"', "'xxxxxxxxxxxx...xxxxxxxxxxxxx'"),
    ],
)
def test_card_in_a_reply_that_names_none_is_refused_with_what_came(card, came):
    reply = messages.read_reply(f'{{"id":1{card}}}'.encode(), 1)
    with pytest.raises(ActionError) as caught:
        messages.card_in(reply)
    assert str(caught.value) == f'expected "card": a card to play, got {came}'


@pytest.mark.parametrize(
    "cards, said",
    [
        ("", "a list of cards to shove, got nothing"),
        (',"card":"7H"', "a list of cards to shove, got nothing"),
        (',"cards":"7H"', "a list of cards to shove, got '7H'"),
        (',"cards":{"7H":1}', "a list of cards to shove, got {'7H': 1}"),
        (',"cards":["7H","x"]', "a list of cards, got 'x' in it"),
        (',"cards":[["7H"]]', "a list of cards, got ['7H'] in it"),
        (',"cards":[null]', "a list of cards, got nothing in it"),
        (',"cards":["7H",3]', "a list of cards, got 3 in it"),
    ],
)
def test_cards_in_a_reply_that_names_none_are_refused_with_what_came(cards, said):
    reply = messages.read_reply(f'{{"id":1{cards}}}'.encode(), 1)
    with pytest.raises(ActionError) as caught:
        messages.cards_in(reply)
    assert str(caught.value) == f'expected "cards": {said}'


@pytest.mark.parametrize(
    "line, ready",
    [
        (b'{"type":"ready"}', Ready("ready")),
        (b'{"type":"ready"}\r\n', Ready("ready")),
        (b'{"type":"ready","results":true}', Ready("ready", results=True)),
        (
            b'{"type":"ready","name":"\xc3\x9cbung","version":"1","author":"A","more":[1]}',
            Ready("ready", "Übung", "1", "A"),
        ),
    ],
)
def test_ready_good_line_is_read(line, ready):
    assert messages.read_ready(line) == ready


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"hello",
        b'"ready"',
        b'{"type":"READY"}',
        b'{"type":"hello"}',
        b'{"type":["ready"]}',
        b'{"type":"ready","type":"shove"}',
        b'{"type":"ready","name":5}',
        b'{"type":"ready","name":null}',
        b'{"type":"ready","results":1}',
        b'{"type":"ready","results":"yes"}',
        b'{"type":"ready","name":"\xff"}',
        b'{"type":"ready","x":' + b"[" * 2000 + b"]" * 2000 + b"}",
        b"\xef\xbb\xbf" + b'{"type":"ready"}',
        b'{"id":1,"card":"7H"}',
    ],
)
def test_ready_any_other_line_is_refused(line):
    with pytest.raises(MessageError, match=r"^expected "):
        messages.read_ready(line)


@given(st.binary(max_size=60) | st.text().map(lambda text: json.dumps(text).encode()))
def test_ready_any_bytes_are_ready_or_refused(data):
    for line in (data, b'{"type":"ready","name":' + data + b"}"):
        try:
            ready = messages.read_ready(line)
        except MessageError:
            continue
        # What a bot calls itself can be written on.
        assert msgspec.json.decode(msgspec.json.encode(ready), type=Ready) == ready


@pytest.mark.parametrize("line", [b"#", b"# thinking\n", b"#{}", b"# \xff\0\n"])
def test_comment_begins_with_a_hash(line):
    assert messages.is_comment(line)


@pytest.mark.parametrize("line", [b"", b" #", b"\xef\xbb\xbf#", GOOD])
def test_comment_is_nothing_else(line):
    assert not messages.is_comment(line)
