"""One deal of a sitting while it is played: its state, and the texts that its requests need."""

from runner.game.cards import text_of
from runner.game.rules import Rules
from runner.game.state import Deal, Phase
from runner.protocol import messages
from runner.records import DealLog, FaultKind, SittingDeal


class DealInPlay:
    """A deal between a referee and the players who sit at it.

    Attributes:
        deal: its number at the table.
        places: for each seat, the place of the entrant who sits there.
        state: the game.
        fault: what ended it before its time, or None.
        fault_seat: the seat of the offender, or None.
    """

    __slots__ = (
        "_shoves",
        "_tricks",
        "_tricks_told",
        "deal",
        "fault",
        "fault_seat",
        "places",
        "state",
    )

    def __init__(self, rules: Rules, sitting_deal: SittingDeal) -> None:
        """Begin the deal."""
        self.deal = sitting_deal.deal
        self.places = sitting_deal.seats
        self.state = Deal(rules, sitting_deal.hands)
        self.fault: FaultKind | None = None
        self.fault_seat: int | None = None
        self._shoves: dict[int, str] = {}
        self._tricks = ""
        self._tricks_told = 0

    @property
    def done(self) -> bool:
        """Whether nothing more is to be asked."""
        return self.fault is not None or self.state.phase is Phase.DONE

    @property
    def to_move(self) -> int:
        """The place of the entrant whose turn it is."""
        return self.places[self.state.seat]

    def request(self, request_id: int, number: int) -> str:
        """The line that asks the entrant whose turn it is.

        Args:
            request_id: the id that the reply must carry.
            number: the deal's number among those of the asked process.
        """
        state = self.state
        if state.phase is Phase.SHOVE:
            return messages.shove(request_id, number, state)
        if self._tricks_told < len(state.winners):
            self.tricks()
        seat = state.seat
        shoves = self._shoves.get(seat)
        if shoves is None:
            shoves = messages.shoves_json(state.received[seat], state.shoved[seat])
            self._shoves[seat] = shoves
        return messages.play(request_id, number, state, self._tricks, shoves)

    def answer(self, reply: messages.Reply) -> None:
        """Do what a reply says, and then all that leaves no choice.

        Raises:
            ActionError: the reply names no action.
            RulesError: the action breaks the rules. The deal is then as it was.
        """
        state = self.state
        if state.phase is Phase.SHOVE:
            state.shove(messages.cards_in(reply))
        else:
            state.play(messages.card_in(reply))
        while (legal := state.legal) and not legal & (legal - 1):
            state.play(legal.bit_length() - 1)

    def forfeit(self, kind: FaultKind, place: int) -> None:
        """End the deal by a fault of the entrant at a place."""
        self.fault = kind
        self.fault_seat = self.places.index(place)

    def tricks(self) -> str:
        """All finished tricks, for a `result` message."""
        while self._tricks_told < len(self.state.winners):
            self._tell_trick()
        return self._tricks

    def penalties(self) -> tuple[int, ...]:
        """The penalty points by seat; after a fault the offender has the only one."""
        if self.fault is None:
            return self.state.penalties()
        return tuple(int(seat == self.fault_seat) for seat in range(len(self.places)))

    def log(self) -> DealLog:
        """The record of the deal."""
        state = self.state
        shoves = "".join(text_of(state.shoved[seat]) for seat in state.rules.shovers)
        return DealLog(
            self.deal, shoves, text_of(state.plays), self.penalties(), self.fault, self.fault_seat
        )

    def _tell_trick(self) -> None:
        """Add the next finished trick to the text that requests hold."""
        state = self.state
        players = state.rules.players
        at = self._tricks_told
        cards = state.plays[at * players : (at + 1) * players]
        leader = state.winners[at - 1] if at else 0
        comma = "," if at else ""
        self._tricks += comma + messages.trick_json(leader, cards, state.winners[at])
        self._tricks_told = at + 1
