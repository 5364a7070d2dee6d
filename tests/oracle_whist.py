"""A slow, obvious Whist to compare the fast engine with.

Written from the rules alone, in lists, dicts and strings, and sharing no code with
the engine, so that a mistake has to be made twice before it can hide.

Cards are two characters, suit and rank: ``"SA"``, ``"HT"``, ``"D2"``. Seats are 0 to 3
clockwise. Side 0 is seats 0 and 2, side 1 is seats 1 and 3.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SUITS = "CDHS"
RANKS = "23456789TJQKA"
PACK = [suit + rank for suit in SUITS for rank in RANKS]

SCORINGS = ("awl", "american", "hoyle7", "short5", "to25", "robber")
SCORINGS_WITH_RUBBER = ("short5", "robber")
CHOICES: dict[str, tuple[str, ...]] = {
    "scoring": SCORINGS,
    "episode": ("deal", "game", "rubber"),
    "reward": ("points", "tricks", "match", "settlement"),
    "count_order": ("tricks_first", "sum"),
    "surplus": ("lost", "carried"),
    "slam": ("bonus", "replaces_honours"),
    "sequence_holder": ("hand", "side"),
    "long_sequence": ("step", "per_card"),
    "trump_sequence_and_honours": ("both", "one"),
    "revokes": ("never", "penalty"),
    "revoke_penalty": (
        *("preset", "two_tricks", "three_tricks"),
        *("deduct_three", "add_three", "five_points"),
    ),
}
PENALTY_OF_PRESET = {
    "awl": "two_tricks",
    "american": "two_tricks",
    "hoyle7": "three_tricks",
    "short5": "three_tricks",
    "to25": "three_tricks",
    "robber": "five_points",
}
PRESET_TARGETS = {
    "awl": 7,
    "american": 7,
    "hoyle7": 7,
    "short5": 5,
    "to25": 25,
    "robber": 10,
}

SIMPLE_HONOURS = "AKQJ"  # of hoyle7 and short5
ROBBER_HONOURS = {5: "AKQJT", 6: "AKQJT9"}  # by the option honours_counted
SEQUENCE_RANKS = "AKQJT98"  # a sequence is counted from the ace down to the eight
SHORT_SEQUENCES = {3: 5, 4: 10, 5: 20}  # A-K-Q, A-K-Q-J, A-K-Q-J-T
GAMES_IN_A_RUBBER = 2
POINTS_FOR_THE_RUBBER = 2  # short5: added to the winner's rubber points


class IllegalPlay(ValueError):
    """A card that the rules do not let the seat to move play."""


def card_id(card: str) -> int:
    """Number of a card: ``13 * suit + rank``, clubs 0, deuce 0."""
    if card not in PACK:
        raise ValueError(f"{card!r} is not a card; cards look like 'SA', 'HT' or 'D2'")
    return 13 * SUITS.index(card[0]) + RANKS.index(card[1])


def card_name(number: int) -> str:
    """Card with the number ``13 * suit + rank``."""
    if number not in range(52):
        raise ValueError(f"{number!r} is not a card number; they run from 0 to 51")
    return SUITS[number // 13] + RANKS[number % 13]


def partner_of(seat: int) -> int:
    """Seat opposite."""
    return (seat + 2) % 4


def left_of(seat: int) -> int:
    """Next seat clockwise."""
    return (seat + 1) % 4


def side_of(seat: int) -> int:
    """Side of a seat: 0 for seats 0 and 2, 1 for seats 1 and 3."""
    return 0 if seat in (0, 2) else 1


def random_deal(rng: random.Random, dealer: int) -> tuple[list[list[str]], str]:
    """Shuffle and deal one card at a time from the dealer's left.

    Returns:
        The four hands by seat, and the last card, which is the dealer's and is turned.
    """
    pack = list(PACK)
    rng.shuffle(pack)
    hands: list[list[str]] = [[], [], [], []]
    seat = left_of(dealer)
    for card in pack:
        hands[seat].append(card)
        seat = left_of(seat)
    return hands, pack[-1]


# The play of one deal ----------------------------------------------------------------


def winning_card(cards: Sequence[str], trump: str) -> str:
    """Card that wins a trick, the first of ``cards`` having been led.

    The highest trump wins, else the highest card of the suit led.
    """
    trumps = [card for card in cards if card[0] == trump]
    suit_led = [card for card in cards if card[0] == cards[0][0]]
    contenders = trumps or suit_led
    return max(contenders, key=lambda card: RANKS.index(card[1]))


@dataclass(frozen=True)
class Trick:
    """A finished trick: its cards in the order played, and who played each."""

    plays: tuple[tuple[int, str], ...]
    winner: int

    @property
    def leader(self) -> int:
        """Seat that led."""
        return self.plays[0][0]


class OracleDeal:
    """One deal, played card by card.

    Attributes:
        dealt: Hands as they were dealt, by seat.
        hands: Cards still held, by seat.
        dealer: Seat of the dealer.
        turned: Dealer's last card, turned up.
        trump: Suit of the turned card.
        seat_to_move: Seat that plays next.
        trick: Cards of the unfinished trick, as (seat, card) in the order played.
        finished_tricks: All finished tricks in order.
        history: All cards played, as (seat, card) in order.
        tricks: Tricks won by each side.
        voids: Suits that each seat has shown it does not hold, by not following.
        revokes: How often each seat has revoked.
        revoked: Suits that each seat did not follow and then played.
    """

    def __init__(
        self,
        hands: Sequence[Iterable[str]],
        dealer: int,
        turned: str,
        pack: Sequence[str] = PACK,
        may_revoke: bool = False,
    ):
        self.dealt = tuple(tuple(hand) for hand in hands)
        check_deal(self.dealt, dealer, turned, pack)
        self.may_revoke = may_revoke
        self.revokes = [0, 0, 0, 0]
        self.revoked: list[set[str]] = [set(), set(), set(), set()]
        self.hands = [list(hand) for hand in self.dealt]
        self.dealer = dealer
        self.turned = turned
        self.trump = turned[0]
        self.seat_to_move = left_of(dealer)
        self.trick: list[tuple[int, str]] = []
        self.finished_tricks: list[Trick] = []
        self.history: list[tuple[int, str]] = []
        self.tricks = [0, 0]
        self.voids: list[set[str]] = [set(), set(), set(), set()]

    @property
    def is_over(self) -> bool:
        """Whether all tricks have been played."""
        return not any(self.hands)

    @property
    def turned_card_on_table(self) -> bool:
        """Whether the turned card lies in view: until the dealer plays to trick 1."""
        return all(seat != self.dealer for seat, _ in self.history)

    def legal_cards(self) -> list[str]:
        """Cards that the seat to move may play; none when the deal is over."""
        hand = self.hands[self.seat_to_move]
        if not self.trick or self.may_revoke:
            return list(hand)
        suit_led = self.trick[0][1][0]
        following = [card for card in hand if card[0] == suit_led]
        return following or list(hand)

    def play(self, card: str) -> int | None:
        """Play a card for the seat to move.

        Returns:
            The seat that won the trick if this card finished it, else None.

        Raises:
            IllegalPlay: If the card may not be played; nothing has changed then.
        """
        seat = self.seat_to_move
        if card not in self.legal_cards():
            raise IllegalPlay(
                f"seat {seat} may not play {card!r}; it may play {self.legal_cards()}"
            )
        if card[0] in self.voids[seat]:
            self.voids[seat].remove(card[0])
            self.revoked[seat].add(card[0])
        if self.trick and card[0] != self.trick[0][1][0]:
            suit_led = self.trick[0][1][0]
            self.voids[seat].add(suit_led)
            if any(held[0] == suit_led for held in self.hands[seat]):
                self.revokes[seat] += 1
        self.hands[seat].remove(card)
        self.trick.append((seat, card))
        self.history.append((seat, card))
        if len(self.trick) < 4:
            self.seat_to_move = left_of(seat)
            return None
        return self._finish_trick()

    def _finish_trick(self) -> int:
        best = winning_card([card for _, card in self.trick], self.trump)
        winner = next(seat for seat, card in self.trick if card == best)
        self.finished_tricks.append(Trick(tuple(self.trick), winner))
        self.tricks[side_of(winner)] += 1
        self.trick = []
        self.seat_to_move = winner
        return winner


def check_deal(
    hands: Sequence[Sequence[str]], dealer: int, turned: str, pack: Sequence[str]
) -> None:
    """Refuse anything but four equal hands (of thirteen) from one pack (of 52)."""
    if [len(hand) for hand in hands] != [len(pack) // 4] * 4:
        raise ValueError("a deal is four hands of thirteen cards")
    if sorted(card for hand in hands for card in hand) != sorted(pack):
        raise ValueError("a deal holds each of the 52 cards once")
    if dealer not in range(4):
        raise ValueError(f"dealer is a seat from 0 to 3, not {dealer!r}")
    if turned not in hands[dealer]:
        raise ValueError(f"the turned card {turned!r} must be in the dealer's hand")


# Options -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Options:
    """What is played for.

    Attributes:
        scoring: Scoring preset.
        episode: Where a match ends; ``"rubber"`` only for short5 and robber.
        deals: Fixed number of deals. It takes the place of ``episode`` and ``target``:
            no game ends, nothing is capped, totals are compared.
        target: Points for game; None for the preset's own.
        reward: Which rewards ``Match.play`` returns.
        count_order: hoyle7, when both sides could go out in one deal.
        surplus: short5, what becomes of the winner's points above the target.
        honours_counted: robber, A to T of trumps (5) or A to 9 (6).
        rubber_bonus: robber, points above the line for winning the rubber.
        slam: robber, whether a slam is paid besides or instead of honours.
        sequence_holder: robber, whether one hand or both of a side make a sequence.
        long_sequence: robber, how sequences longer than A to T are paid.
        trump_sequence_and_honours: robber, whether both of them or the higher count.
        revokes: Whether players may revoke, and pay the penalty.
        revoke_penalty: What a revoke costs.
        ranks: Ranks in the pack, from the ace down.
        suits: Suits in the pack, from clubs up.
    """

    scoring: str = "awl"
    episode: str = "deal"
    deals: int | None = None
    target: int | None = None
    reward: str = "points"
    count_order: str = "tricks_first"
    surplus: str = "lost"
    honours_counted: int = 5
    rubber_bonus: int = 0
    slam: str = "bonus"
    sequence_holder: str = "hand"
    long_sequence: str = "step"
    trump_sequence_and_honours: str = "both"
    revokes: str = "never"
    revoke_penalty: str = "preset"
    ranks: int = 13
    suits: int = 4

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise ValueError(
                    f"{name} is one of {choices}, not {getattr(self, name)!r}"
                )
        if self.episode == "rubber" and self.scoring not in SCORINGS_WITH_RUBBER:
            raise ValueError(f"only {SCORINGS_WITH_RUBBER} are played in rubbers")
        if self.honours_counted not in ROBBER_HONOURS:
            raise ValueError(f"honours_counted is 5 or 6, not {self.honours_counted}")
        for name in ("deals", "target"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} is None or at least 1, not {value}")
        if self.rubber_bonus < 0:
            raise ValueError(f"rubber_bonus is at least 0, not {self.rubber_bonus}")

    @property
    def pack(self) -> list[str]:
        """The cards that are dealt."""
        return [s + r for s in SUITS[: self.suits] for r in RANKS[13 - self.ranks :]]

    @property
    def penalty(self) -> str:
        """The penalty for a revoke."""
        if self.revoke_penalty == "preset":
            return PENALTY_OF_PRESET[self.scoring]
        return self.revoke_penalty

    @property
    def points_for_game(self) -> int | None:
        """Points that win a game; None where no game is ever won."""
        if self.deals is not None:
            return None
        if self.target is not None:
            return self.target
        return PRESET_TARGETS[self.scoring]


# Honours, slams and sequences, all from the hands as dealt ---------------------------


def cards_of_side(hands: Sequence[Sequence[str]], side: int) -> list[str]:
    """Cards dealt to both hands of a side."""
    return [card for seat in (side, partner_of(side)) for card in hands[seat]]


def count_honours(
    hands: Sequence[Sequence[str]], side: int, trump: str, ranks: str
) -> int:
    """Number of the trumps of the given ranks that were dealt to a side."""
    cards = cards_of_side(hands, side)
    return len([rank for rank in ranks if trump + rank in cards])


def simple_honours_score(hands: Sequence[Sequence[str]], side: int, trump: str) -> int:
    """Honours of hoyle7 and short5: four of A K Q J of trumps 4 points, three 2."""
    return {4: 4, 3: 2}.get(count_honours(hands, side, trump, SIMPLE_HONOURS), 0)


def robber_honours_score(
    hands: Sequence[Sequence[str]], side: int, trump: str, honours_counted: int
) -> int:
    """Honours of robber: three 2 points, four 4, five 5, six 6."""
    held = count_honours(hands, side, trump, ROBBER_HONOURS[honours_counted])
    return {6: 6, 5: 5, 4: 4, 3: 2}.get(held, 0)


def slam_score(tricks: int) -> int:
    """Slams of robber: all thirteen tricks 20 points, twelve 10."""
    return {13: 20, 12: 10}.get(tricks, 0)


def sequence_length(cards: Iterable[str], suit: str) -> int:
    """How many cards of a suit run down from the ace without a gap, to the eight."""
    held = set(cards)
    length = 0
    for rank in SEQUENCE_RANKS:
        if suit + rank not in held:
            break
        length += 1
    return length


def sequence_score(length: int, is_trump: bool, long_sequence: str) -> int:
    """Points for a sequence of robber; trumps count double."""
    if length <= 5:
        points = SHORT_SEQUENCES.get(length, 0)
    elif long_sequence == "step":
        points = SHORT_SEQUENCES[5] + 5 * (length - 5)
    else:
        points = 5 * length
    return 2 * points if is_trump else points


def sequences_of_side(
    options: Options, hands: Sequence[Sequence[str]], side: int, trump: str
) -> dict[str, int]:
    """Points for sequences of a side, by suit."""
    holders: list[Sequence[str]] = [hands[side], hands[partner_of(side)]]
    if options.sequence_holder == "side":
        holders = [cards_of_side(hands, side)]
    return {
        suit: sum(
            sequence_score(
                sequence_length(cards, suit), suit == trump, options.long_sequence
            )
            for cards in holders
        )
        for suit in SUITS
    }


def above_the_line(
    options: Options,
    hands: Sequence[Sequence[str]],
    side: int,
    trump: str,
    tricks: int,
) -> int:
    """What a side of robber writes above the line for one deal."""
    slam = slam_score(tricks)
    honours = robber_honours_score(hands, side, trump, options.honours_counted)
    if slam and options.slam == "replaces_honours":
        honours = 0
    sequences = sequences_of_side(options, hands, side, trump)
    in_trumps = sequences.pop(trump)
    if options.trump_sequence_and_honours == "one":
        trump_points = max(honours, in_trumps)
    else:
        trump_points = honours + in_trumps
    return slam + trump_points + sum(sequences.values())


# The score of one deal ---------------------------------------------------------------


@dataclass(frozen=True)
class DealScore:
    """What one deal did to the score.

    Attributes:
        scores: Score of the running game after the deal (robber: below the line).
        above: Points written above the line in this deal; robber only.
        game_winner: Side that won the game with this deal, or None.
    """

    scores: tuple[int, int]
    above: tuple[int, int]
    game_winner: int | None


def score_deal(
    options: Options,
    scores: Sequence[int],
    hands: Sequence[Sequence[str]],
    trump: str,
    tricks: Sequence[int],
    revokes: Sequence[int] = (0, 0),
) -> DealScore:
    """Score a deal that has been played.

    Args:
        options: What is played for.
        scores: Score of the running game before the deal.
        hands: The four hands as dealt.
        trump: Suit of the turned card.
        tricks: Tricks won by each side, 13 together.
        revokes: Revokes of each side.
    """
    if sum(tricks) != len(options.pack) // 4:
        raise ValueError(f"a deal has 13 tricks, not {list(tricks)}")
    target = options.points_for_game
    taken = list(tricks)
    tricks = after_revokes(options, tricks, revokes)
    majority = 0 if tricks[0] > tricks[1] else 1
    odd_trick_points = 2 if options.scoring == "robber" else 1
    new = list(scores)
    for side in (0, 1):
        pay_for_revokes(options, new, side, revokes)
    stop_short(options, new, revokes)
    book = sum(tricks) // 2
    new[majority] += odd_trick_points * (tricks[majority] - book)
    stop_short(options, new, revokes)
    honours = [simple_honours_score(hands, side, trump) for side in (0, 1)]
    above = (0, 0)

    if options.scoring == "awl" and target is not None:
        new[majority] = min(new[majority], target)  # points above do not count
    elif options.scoring == "hoyle7":
        add_honours_of_hoyle7(new, honours, majority, target, options.count_order)
    elif options.scoring == "short5":
        add_honours_of_short5(new, honours, majority, target)
    elif options.scoring == "robber":
        above = (
            above_the_line(options, hands, 0, trump, taken[0]),
            above_the_line(options, hands, 1, trump, taken[1]),
        )
    stop_short(options, new, revokes)

    return DealScore((new[0], new[1]), above, game_winner(new, target))


def after_revokes(
    options: Options, tricks: Sequence[int], revokes: Sequence[int]
) -> list[int]:
    """Tricks that count for each side when those that revokes cost have passed over."""
    cost = {"two_tricks": 2, "three_tricks": 3}.get(options.penalty, 0)
    lost = [min(tricks[side], cost * revokes[side]) for side in (0, 1)]
    return [tricks[0] - lost[0] + lost[1], tricks[1] - lost[1] + lost[0]]


def pay_for_revokes(
    options: Options, scores: list[int], side: int, revokes: Sequence[int]
) -> None:
    """Enter the points that the revokes of a side cost it or give to the other."""
    if options.penalty == "deduct_three":
        scores[side] = max(0, scores[side] - 3 * revokes[side])
    gain = {"add_three": 3, "five_points": 5}.get(options.penalty, 0)
    scores[1 - side] += gain * revokes[side]


def stop_short(options: Options, scores: list[int], revokes: Sequence[int]) -> None:
    """A side that has revoked does not win the game: it stops one short of it."""
    target = options.points_for_game
    for side in (0, 1):
        if target is not None and revokes[side] > 0:
            scores[side] = min(scores[side], target - 1)


def add_honours_of_hoyle7(
    scores: list[int],
    honours: Sequence[int],
    majority: int,
    target: int | None,
    count_order: str,
) -> None:
    """Add honours to scores that have the tricks of the deal in them.

    Counting tricks first, a side that goes out by them ends the game at that.
    """
    out_by_tricks = target is not None and scores[majority] >= target
    if count_order == "tricks_first" and out_by_tricks:
        return
    for side in (0, 1):
        scores[side] += honours[side]


def add_honours_of_short5(
    scores: list[int], honours: Sequence[int], majority: int, target: int | None
) -> None:
    """Add honours to scores that have the tricks of the deal in them.

    A side that goes out by tricks ends the game at that. The side with the majority of
    tricks counts first, and may go out by honours; the other stops one short of game.
    """
    other = 1 - majority
    if target is None:
        scores[majority] += honours[majority]
        scores[other] += honours[other]
        return
    if scores[majority] >= target:
        return
    scores[majority] += honours[majority]
    if scores[majority] >= target:
        return
    if scores[other] < target:  # it may be out already, by the other side's revoke
        scores[other] = min(scores[other] + honours[other], target - 1)


def game_winner(scores: Sequence[int], target: int | None) -> int | None:
    """Side that has won the game, or None.

    Both sides can be past the target only in hoyle7 with ``count_order="sum"``: the
    higher score wins. The sheet does not say what equal scores mean; our reading is
    that the game is not won yet and another deal is played.
    """
    if target is None or max(scores) < target or scores[0] == scores[1]:
        return None
    return 0 if scores[0] > scores[1] else 1


def rubber_points(loser_score: int, target: int) -> int:
    """Rubber points of a short5 game: 3 against nothing, 2 below half-way, else 1."""
    if loser_score == 0:
        return 3
    return 2 if 2 * loser_score < target else 1


# A match: one deal, a game, a rubber, or a fixed number of deals ---------------------


class Match:
    """Deals in a row, scored up to the end that the options name.

    Attributes:
        options: What is played for.
        dealer: Dealer of the deal in play, or of the next one between deals.
        deal: Deal in play or last played; None before the first.
        scores: Score of the running game (robber: below the line). After the last deal
            the final score stands.
        games: Games won by each side.
        totals: All points scored, beginning with the starting scores (robber: above
            and below the line).
        above: Points above the line; robber only.
        rubber_points: Rubber points of the games won by each side; short5 only.
        points: Points that each side scored in the last deal.
        deals_scored: Number of deals scored so far.
        tricks_passed: Tricks that side 0 gained by revokes in the last deal.
        over: Whether the match has ended.
        settlement: What each side wins; zeros until the end, always of sum zero.
        winner: Side that has won the match; None before the end and when it is drawn.
    """

    def __init__(
        self,
        options: Options | None = None,
        dealer: int = 0,
        scores: Sequence[int] = (0, 0),
    ):
        self.options = options if options is not None else Options()
        target = self.options.points_for_game
        if min(scores) < 0 or (target is not None and max(scores) >= target):
            raise ValueError(f"starting scores {list(scores)} are not in a game")
        self.dealer = dealer
        self.deal: OracleDeal | None = None
        self.scores = list(scores)
        self.games = [0, 0]
        self.totals = list(scores)
        self.above = [0, 0]
        self.rubber_points = [0, 0]
        self.points = [0, 0]
        self.deals_scored = 0
        self.tricks_passed = 0
        self.over = False
        self.settlement = [0, 0]
        self.winner: int | None = None

    def start_deal(self, hands: Sequence[Iterable[str]], turned: str) -> OracleDeal:
        """Deal the given hands; the turned card must be the dealer's."""
        if self.over:
            raise ValueError("the match is over")
        if self.deal is not None and not self.deal.is_over:
            raise ValueError("the deal in play has not been finished")
        self.deal = OracleDeal(
            hands,
            self.dealer,
            turned,
            self.options.pack,
            self.options.revokes == "penalty",
        )
        return self.deal

    def play(self, card: str) -> list[int]:
        """Play a card for the seat to move, and score the deal if it was the last.

        Returns:
            The reward of each seat for this play.

        Raises:
            IllegalPlay: If the card may not be played; nothing has changed then.
        """
        if self.deal is None or self.deal.is_over:
            raise ValueError("no deal is in play")
        trick_winner = self.deal.play(card)
        if self.deal.is_over:
            revokes = [self.deal.revokes[s] + self.deal.revokes[s + 2] for s in (0, 1)]
            self.score(self.deal.dealt, self.deal.trump, self.deal.tricks, revokes)
        return rewards(self, trick_winner)

    def score(
        self,
        hands: Sequence[Sequence[str]],
        trump: str,
        tricks: Sequence[int],
        revokes: Sequence[int] = (0, 0),
    ) -> None:
        """Enter the result of a deal, and pass the deal to the left."""
        if self.over:
            raise ValueError("the match is over")
        totals_before = list(self.totals)
        result = score_deal(self.options, self.scores, hands, trump, tricks, revokes)
        counted = after_revokes(self.options, tricks, revokes)
        self.tricks_passed = counted[0] - tricks[0]
        for side in (0, 1):
            scored = result.scores[side] - self.scores[side] + result.above[side]
            self.totals[side] += scored
            self.above[side] += result.above[side]
        self.scores = list(result.scores)
        self.deals_scored += 1
        self.dealer = left_of(self.dealer)
        if result.game_winner is not None:
            self._win_game(result.game_winner)
        self.points = [self.totals[side] - totals_before[side] for side in (0, 1)]
        self.over = self._has_ended()
        if self.over:
            self._settle()

    def _win_game(self, winner: int) -> None:
        options = self.options
        target = options.points_for_game
        assert target is not None
        self.games[winner] += 1
        if options.scoring == "short5":
            self.rubber_points[winner] += rubber_points(self.scores[1 - winner], target)
        if options.episode != "rubber":
            return
        if self.games[winner] == GAMES_IN_A_RUBBER:
            if options.scoring == "robber":
                self.above[winner] += options.rubber_bonus
                self.totals[winner] += options.rubber_bonus
            return
        surplus = self.scores[winner] - target
        self.scores = [0, 0]
        if options.scoring == "short5" and options.surplus == "carried":
            self.scores[winner] = surplus
            # Our reading, as in Cayenne: a surplus that is itself enough for game wins
            # the next game at once.
            if surplus >= target:
                self._win_game(winner)

    def _has_ended(self) -> bool:
        if self.options.deals is not None:
            return self.deals_scored == self.options.deals
        if self.options.revokes == "penalty" and self.deals_scored >= 100:
            return True  # broken off
        if self.options.episode == "deal":
            return True
        if self.options.episode == "game":
            return max(self.games) == 1
        return max(self.games) == GAMES_IN_A_RUBBER

    def _settle(self) -> None:
        amount = self._settlement_of_side_0()
        self.settlement = [amount, -amount]
        if not self._result_is_a_comparison():
            self.winner = self._side_ahead_in_games()
        elif amount != 0:
            self.winner = 0 if amount > 0 else 1

    def _result_is_a_comparison(self) -> bool:
        """Whether points decide who has won, and not games."""
        options = self.options
        robber_rubber = options.scoring == "robber" and options.episode == "rubber"
        return options.deals is not None or options.episode == "deal" or robber_rubber

    def _side_ahead_in_games(self) -> int | None:
        if max(self.games) < (2 if self.options.episode == "rubber" else 1):
            return None
        return 0 if self.games[0] > self.games[1] else 1

    def _settlement_of_side_0(self) -> int:
        options = self.options
        if options.deals is not None:
            return self.totals[0] - self.totals[1]
        if options.episode == "deal":
            return self.points[0] - self.points[1]
        if options.scoring == "robber":
            return self.totals[0] - self.totals[1]
        winner = self._side_ahead_in_games()
        if winner is None:
            return self.totals[0] - self.totals[1]
        value = self._value_to(winner)
        return value if winner == 0 else -value

    def _value_to(self, winner: int) -> int:
        """What a game, or a rubber of short5, is worth to the side that won it."""
        loser = 1 - winner
        if self.options.scoring == "short5":
            for_rubber = POINTS_FOR_THE_RUBBER * (self.options.episode == "rubber")
            won, lost = self.rubber_points[winner], self.rubber_points[loser]
            return won + for_rubber - lost
        # The margin. For awl it is target minus loser's score, since points above
        # the target do not count. For hoyle7 and to25 the sheet names the winner only,
        # and the margin is our reading.
        return self.scores[winner] - self.scores[loser]


def by_seat(for_side_0: int) -> list[int]:
    """Vector of four that gives side 0 an amount and side 1 the opposite."""
    return [for_side_0, -for_side_0, for_side_0, -for_side_0]


def rewards(match: Match, trick_winner: int | None) -> list[int]:
    """Rewards of the four seats for the play just made.

    Args:
        match: The match after the play.
        trick_winner: Seat that took a trick with this play, or None.
    """
    assert match.deal is not None
    reward = match.options.reward
    if reward == "points" and match.deal.is_over:
        return by_seat(match.points[0] - match.points[1])
    if reward == "tricks" and trick_winner is not None:
        passed = match.tricks_passed if match.deal.is_over else 0
        return by_seat((1 if side_of(trick_winner) == 0 else -1) + passed)
    if reward == "match" and match.winner is not None:
        return by_seat(1 if match.winner == 0 else -1)
    if reward == "settlement" and match.over:
        return by_seat(match.settlement[0])
    return by_seat(0)
