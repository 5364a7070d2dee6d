"""A slow, obvious Russian Boston: what differs from the oracle of which it is one.

It shares no code with the engine. Bids of six, seven and eight tricks have a second
form, ``"six_hearts_solo"``; ``"declare"`` and ``"silent"`` answer whether a hand is a
carte blanche.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from oracle_boston_de_fontainebleau import ACTIONS as ACTIONS_OF_FONTAINEBLEAU
from oracle_boston_de_fontainebleau import (
    AMERICAN,
    BIDS,
    DEFAULTS,
    LETTERS,
    Match,
    name_of,
    suit_of,
)

SOLO_BIDS = [
    f"{number}_{suit}_solo" for number in ("six", "seven", "eight") for suit in AMERICAN
]
ACTIONS = [*ACTIONS_OF_FONTAINEBLEAU, *SOLO_BIDS, "declare", "silent"]
FOUR_MORE = {"six": 10, "seven": 11, "eight": 12}


class RussianMatch(Match):
    """A match of Russian Boston.

    Attributes:
        solo: whether the highest bid so far was said solo.
        answers: what each seat has answered before its first card.
    """

    actions = ACTIONS
    defaults: ClassVar[dict[str, Any]] = {
        **DEFAULTS,
        "honours": True,
        "five_with_partner": 8,
        "carte_blanche": "optional",
        "carte_blanche_hand": "no_trump",
        "carte_blanche_contracts": "with_trumps",
    }

    def start_deal(self, hands: Sequence[Sequence[str]]) -> None:
        super().start_deal(hands)
        self.solo = False
        self.answers: dict[int, str] = {}

    def legal(self) -> list[str]:
        if not self.asks():
            return super().legal()
        if not self.is_blank():
            return ["silent"]
        only = self.options["carte_blanche"] == "auto"
        return ["declare"] if only else ["declare", "silent"]

    def bids(self) -> list[str]:
        return [*BIDS, *SOLO_BIDS] if self.options["partner"] else list(BIDS)

    def is_higher(self, bid: str) -> bool:
        return super().is_higher(bid.removesuffix("_solo"))

    def asks(self) -> bool:
        """Whether the seat to act is asked for a carte blanche."""
        if self.stage != "play" or self.seat in self.answers:
            return False
        assert self.contract is not None
        if self.options["carte_blanche_contracts"] == "all":
            return True
        return suit_of(self.contract) != "grand"

    def is_blank(self) -> bool:
        """Whether the hand of the seat to act is a carte blanche."""
        assert self.contract is not None
        if self.options["carte_blanche_hand"] == "no_court_card":
            return not any(card[1] in "KQJ" for card in self.dealt[self.seat])
        hand = self.hands[self.seat]
        return not any(card[0] == LETTERS[suit_of(self.contract)] for card in hand)

    def act(self, action: str) -> None:
        if self.stage == "bid" and action != "pass":
            self.solo = action.endswith("_solo")
        if action in ("declare", "silent"):
            self.answers[self.seat] = action
            if action == "declare":
                for seat in range(4):
                    self.earned[seat] += 30 if seat == self.seat else -10
        else:
            super().act(action.removesuffix("_solo"))

    def target_with_partner(self) -> int | None:
        assert self.contract is not None
        if not self.options["partner"] or self.solo:
            return None
        if name_of(self.contract) == "five":
            target: int | None = self.options["five_with_partner"]
            return target
        return FOUR_MORE.get(name_of(self.contract))
