"""One deal log against the rules, the secret and the seating.

This runs once for each log of a league, so it works on masks and texts and makes no objects
beside the game's own `Deal`.
"""

from operator import add

from runner.errors import RulesError
from runner.game.cards import CARD_OF, cards_in, mask_of, text_of
from runner.game.deals import deal_hands
from runner.game.rules import Rules
from runner.game.state import Deal, Phase
from runner.league.audit.findings import Findings, Kind
from runner.records import FaultKind
from runner.schedule.seating import seats
from runner.storage.evidence import Log

_FAULTS = frozenset(map(str, FaultKind))


class DealLogs:
    """Checks deal logs of one league."""

    def __init__(self, rules: Rules, secret: bytes | None, findings: Findings) -> None:
        """Check by rules and a secret; None where it is not to be had."""
        self._rules = rules
        self._secret = secret
        self._findings = findings
        self._table = ""
        self._dealt: dict[int, tuple[str, tuple[int, ...]]] = {}

    def begin_run(self, table: str) -> None:
        """The logs that come now are of one run of this table."""
        self._table = table
        self._dealt.clear()

    def check(self, rotation: int, log: Log) -> int | None:
        """Check one log.

        Returns:
            The seat whose turn it was when a fault ended the deal; None if it was played to its
            end, or is wrong.
        """
        deal, seated, hands_text, shoves, plays, penalties, fault, fault_seat = log
        expected = "".join(map(str, seats(self._rules.players, self._table, deal, rotation)))
        if seated != expected:
            self._say(Kind.DEAL, deal, rotation, f"seats {seated}, expected {expected}")
        try:
            hands = self._hands(deal, rotation, hands_text)
            state = self._played(hands, shoves, plays)
        except RulesError as error:
            self._say(Kind.PLAY, deal, rotation, str(error))
            return None
        wrong = _wrong_end(state, penalties, fault, fault_seat)
        if wrong:
            self._say(Kind.PLAY, deal, rotation, wrong)
        return state.seat if fault is not None and not wrong else None

    def _hands(self, deal: int, rotation: int, text: str) -> tuple[int, ...]:
        """The masks of the hands of a log, compared with what was dealt."""
        dealt = self._dealt.get(deal)
        if dealt is None:
            if self._secret is None:
                # The first rotation that is met has to do for the others.
                dealt = text, hands_of(text, self._rules)
            else:
                masks = deal_hands(self._secret, self._table, deal, self._rules)
                dealt = " ".join(text_of(cards_in(mask)) for mask in masks), masks
            self._dealt[deal] = dealt
        if text == dealt[0]:
            return dealt[1]
        whence = "in another rotation" if self._secret is None else "by the secret"
        self._say(Kind.DEAL, deal, rotation, f"hands {text}, {whence} {dealt[0]}")
        return hands_of(text, self._rules)

    def _played(self, hands: tuple[int, ...], shoves: str, plays: str) -> Deal:
        """The deal played again, as far as it is recorded.

        Raises:
            RulesError: it breaks the rules.
        """
        state = Deal(self._rules, hands)
        cards = cards_of(shoves)
        at = 0
        for seat in self._rules.shovers:
            if at == len(cards):
                break
            state.shove(cards[at : at + seat])
            at += seat
        if at < len(cards):
            raise RulesError(f"{len(cards)} cards are shoved, expected at most {at}")
        play = state.play
        for card in cards_of(plays):
            play(card)
        return state

    def _say(self, kind: Kind, deal: int, rotation: int, what: str) -> None:
        self._findings.add(kind, f"{self._table[:8]}-{deal}-{rotation}", what)


def cards_of(text: str) -> list[int]:
    """Cards from compact text, quicker than `runner.game.cards.cards_of`.

    Raises:
        RulesError: some two characters name no card.
    """
    try:
        cards = list(map(CARD_OF.__getitem__, map(add, text[::2], text[1::2])))
    except KeyError as error:
        raise RulesError(f"{error} is not a card") from None
    if len(text) % 2:
        raise RulesError(f"{text[-1]!r} is not a card")
    return cards


def hands_of(text: str, rules: Rules) -> tuple[int, ...]:
    """The masks of hands as they are stored.

    Raises:
        RulesError: they are not the whole pack, each card once, in hands of the right sizes.
    """
    hands = [cards_of(hand) for hand in text.split(" ")]
    sizes = [len(hand) for hand in hands]
    expected = [rules.dealt_size(seat) for seat in range(rules.players)]
    if sizes != expected:
        raise RulesError(f"hands of {sizes} cards, expected {expected}")
    if sorted(card for hand in hands for card in hand) != list(rules.pack):
        raise RulesError("the hands are not the pack, each card once")
    return tuple(map(mask_of, hands))


def _wrong_end(state: Deal, penalties: str, fault: str | None, fault_seat: int | None) -> str:
    """What is wrong with how a deal ended, or an empty text."""
    done = state.phase is Phase.DONE
    players = state.rules.players
    if fault is None:
        if fault_seat is not None:
            return f"seat {fault_seat} is at fault, of no kind"
        if not done:
            return f"ends after {len(state.plays)} cards, without a fault"
        expected = state.penalties()
    else:
        if fault not in _FAULTS:
            return f"a fault of the kind {fault!r}, which there is not"
        if fault_seat is None or not 0 <= fault_seat < players:
            return f"a fault of seat {fault_seat}, expected 0 to {players - 1}"
        if done:
            return "a fault, though all tricks are played"
        expected = tuple(int(seat == fault_seat) for seat in range(players))
    text = "".join(map(str, expected))
    return "" if penalties == text else f"penalties {penalties}, expected {text}"
