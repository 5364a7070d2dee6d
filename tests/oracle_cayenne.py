"""A slow, obvious Cayenne to compare the fast engine with.

Written from the rules alone, in lists, dicts and strings, and sharing no code with the
engine. Cards are two characters, suit and rank: ``"SA"``, ``"HT"``, ``"D2"``. Seats are
0 to 3 clockwise. Side 0 is seats 0 and 2, side 1 is seats 1 and 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SUITS = "CDHS"
RANKS = "23456789TJQKA"
PACK = [suit + rank for suit in SUITS for rank in RANKS]
DECLARATIONS = ["clubs", "diamonds", "hearts", "spades", "grand", "nullo"]
TRUMP = {"clubs": "C", "diamonds": "D", "hearts": "H", "spades": "S"}
ACTIONS = [*PACK, *DECLARATIONS, "pass_to_partner", "ace_low", "ace_high"]
# The suits from the highest to the lowest, by cayenne: they count 4, 3, 2, 1.
ORDER = {"H": "HDCS", "D": "DHCS", "C": "CSHD", "S": "SCHD"}
HONOURS = {3: 2, 4: 4, 5: 6}


@dataclass(frozen=True)
class Options:
    """What is played for; see the options of the game."""

    episode: str = "deal"
    deals: int | None = None
    reward: str = "points"
    rubber_games: int = 4
    third_black: str = "clubs"
    third_red: str = "hearts"
    nullo_ace: str = "called"
    little_slam: int = 4
    grand_slam: int = 6
    slams: str = "suits_and_grand"
    slams_multiplied: bool = True
    loser_score: str = "reset"
    trick_side_honours: str = "may_win"
    last_deal: str = "counts"


def by_seat(for_side_0: int) -> list[int]:
    return [for_side_0, -for_side_0, for_side_0, -for_side_0]


def order_of_suits(options: Options, cayenne: str) -> str:
    """The suits from the highest, by the suit that was cut."""
    order = ORDER[cayenne]
    first_two, third, fourth = order[:2], order[2], order[3]
    swapped = {"C": options.third_black == "spades", "H": options.third_red != "hearts"}
    return first_two + (fourth + third if swapped[third] else third + fourth)


def value_of(options: Options, declared: str, cayenne: str) -> int:
    """What each trick counts."""
    if declared in ("grand", "nullo"):
        return 8
    order = order_of_suits(options, cayenne)
    return {0: 4, 1: 3, 2: 2, 3: 1}[order.index(TRUMP[declared])]


# One deal ----------------------------------------------------------------------------


class Deal:
    """One deal: a declaration, then thirteen tricks."""

    def __init__(self, hands: Sequence[Iterable[str]], dealer: int, cut: str) -> None:
        self.dealt = [list(hand) for hand in hands]
        self.hands = [list(hand) for hand in hands]
        self.dealer = dealer
        self.cayenne = cut[0]
        self.declared = ""
        self.declarer = -1
        self.phase = "declare"
        self.seat = dealer
        self.trick: list[tuple[int, str]] = []
        self.low_aces: list[str] = []
        self.tricks = [0, 0]

    @property
    def is_over(self) -> bool:
        return sum(self.tricks) == 13

    def legal(self) -> list[str]:
        if self.phase == "declare":
            return [*DECLARATIONS, "pass_to_partner"]
        if self.phase == "declare 2":
            return list(DECLARATIONS)
        if self.phase == "ace":
            return ["ace_low", "ace_high"]
        hand = self.hands[self.seat]
        if not self.trick:
            return list(hand)
        led = self.trick[0][1][0]
        return [card for card in hand if card[0] == led] or list(hand)

    def act(self, action: str, options: Options) -> int | None:
        """Returns the side that takes a trick with this action, if one does."""
        assert action in self.legal()
        if action == "pass_to_partner":
            self.phase = "declare 2"
            self.seat = (self.seat + 2) % 4
            return None
        if self.phase in ("declare", "declare 2"):
            self.declared, self.declarer = action, self.seat
            self.phase = "play"
            self.seat = (self.dealer + 1) % 4
            return None
        if self.phase == "ace":
            if action == "ace_low":
                self.low_aces.append(self.trick[-1][1])
            self.phase = "play"
            return self.end_turn()
        self.hands[self.seat].remove(action)
        self.trick.append((self.seat, action))
        if self.declared == "nullo" and action[1] == "A":
            if options.nullo_ace == "called":
                self.phase = "ace"
                return None
            if options.nullo_ace == "low":
                self.low_aces.append(action)
        return self.end_turn()

    def end_turn(self) -> int | None:
        if len(self.trick) < 4:
            self.seat = (self.seat + 1) % 4
            return None
        led, trump = self.trick[0][1][0], TRUMP.get(self.declared)
        of_trumps = [play for play in self.trick if play[1][0] == trump]
        of_suit = [play for play in self.trick if play[1][0] == led]
        winner, _ = max(of_trumps or of_suit, key=lambda play: self.height(play[1]))
        self.trick = []
        self.seat = winner
        self.tricks[winner % 2] += 1
        return winner % 2

    def height(self, card: str) -> int:
        return -1 if card in self.low_aces else RANKS.index(card[1])


# A deal, some deals, a game or a rubber ----------------------------------------------


class Match:
    """Deals in a row up to the end that the options name."""

    def __init__(
        self,
        options: Options,
        dealer: int = 0,
        scores: Sequence[int] = (0, 0),
        games: Sequence[int] = (0, 0),
    ) -> None:
        self.options = options
        self.dealer = dealer
        self.deal: Deal | None = None
        self.scores = list(scores)
        self.games = list(games)
        self.totals = list(scores) if options.episode != "deal" else [0, 0]
        # Tricks that were good for each side, in all deals.
        self.good_tricks = [0, 0]
        self.deals_scored = 0
        self.over = False
        self.winner: int | None = None

    def start_deal(self, hands: Sequence[Iterable[str]], cut: str) -> Deal:
        self.deal = Deal(hands, self.dealer, cut)
        return self.deal

    def play(self, action: str) -> list[int]:
        """Act for the seat in turn; returns the reward of each agent."""
        assert self.deal is not None
        before = self.totals[0] - self.totals[1]
        taker = self.deal.act(action, self.options)
        if self.deal.is_over:
            deal = self.deal
            self.score(deal.dealt, deal.declared, deal.cayenne, deal.tricks)
        reward = self.options.reward
        if reward == "tricks" and taker is not None:
            gainer = 1 - taker if self.deal.declared == "nullo" else taker
            return by_seat(1 if gainer == 0 else -1)
        if reward == "points":
            return by_seat(self.totals[0] - self.totals[1] - before)
        if reward == "match" and self.winner is not None:
            return by_seat(1 if self.winner == 0 else -1)
        return by_seat(0)

    def score(
        self,
        dealt: Sequence[Sequence[str]],
        declared: str,
        cayenne: str,
        tricks: Sequence[int],
    ) -> None:
        """Enter the result of a deal, and pass the deal to the left."""
        options = self.options
        value = value_of(options, declared, cayenne)
        taker = 0 if tricks[0] > tricks[1] else 1
        scorer = 1 - taker if declared == "nullo" else taker
        for side in (0, 1):
            mine = 1 - side if declared == "nullo" else side
            self.good_tricks[side] += tricks[mine]

        games = self.games[scorer]
        self.enter(scorer, (tricks[taker] - 6) * value)
        by_cards = self.games[scorer] > games
        if declared in TRUMP:
            for side in (0, 1):
                hands = [*dealt[side], *dealt[side + 2]]
                held = [TRUMP[declared] + rank for rank in "AKQJT"]
                number = len([card for card in held if card in hands])
                points = HONOURS.get(number, 0) * value
                if side == scorer:
                    self.enter(side, points, options.trick_side_honours == "may_win")
                elif not by_cards:
                    self.enter(side, points, may_win=False)
        if declared in TRUMP or (declared == "grand" and options.slams != "suits"):
            slams = {12: options.little_slam, 13: options.grand_slam}
            slam = slams.get(tricks[scorer], 0)
            self.enter(scorer, slam * value if options.slams_multiplied else slam)

        self.deals_scored += 1
        self.dealer = (self.dealer + 1) % 4
        self.find_end()

    def enter(self, side: int, points: int, may_win: bool = True) -> None:
        """Enter points one by one."""
        options = self.options
        for _ in range(points):
            if options.deals is None:
                if self.scores[side] == 9 and not may_win:
                    return
                if options.last_deal == "stops" and self.rubber_is_won():
                    return
                self.scores[side] += 1
                if self.scores[side] == 10:
                    self.games[side] += 1
                    self.scores[side] = 0
                    if options.loser_score == "reset":
                        self.scores[1 - side] = 0
            self.totals[side] += 1

    def rubber_is_won(self) -> bool:
        return max(self.games) >= self.options.rubber_games

    def find_end(self) -> None:
        options = self.options
        if options.deals is not None:
            self.over = self.deals_scored == options.deals
        elif options.episode == "deal":
            self.over = True
        elif options.episode == "game":
            self.over = max(self.games) > 0
        else:
            self.over = self.rubber_is_won()
        if not self.over:
            return
        if options.episode != "deal":
            self.winner = 0 if self.games[0] > self.games[1] else 1
            if options.episode == "rubber":
                self.totals[self.winner] += 8
        elif self.totals[0] != self.totals[1]:
            self.winner = 0 if self.totals[0] > self.totals[1] else 1
