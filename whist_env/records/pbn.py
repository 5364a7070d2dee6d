"""Whist and Bridge Whist in Portable Bridge Notation 2.1.

In bridge the player to the left of the declarer leads, in Whist the one to the left of
the dealer: a deal of Whist is written as a game in which the dealer is the declarer,
and the contract is seven tricks, the odd trick, in the suit of the turned card. Bridge
programs then open it, with the hand opposite the dealer as dummy, which Whist does not
have. In Bridge Whist the dealer does play the hand opposite. Seat 0 is North.

Tags of our own, which other programs skip (chapter 4.9):

============== =====================================================================
`Game`         ``Whist`` or ``Bridge Whist``
`TurnUp`       the turned card of Whist
`Calls`        the calls of Bridge Whist, by the names of its actions
`WhistOptions` the options that are not the usual ones, such as ``scoring=short5``
`WhistScore`   points in the game before the deal, such as ``NS 3 EW 2``
============== =====================================================================
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from whist_env.cards import (
    CARDS,
    COMPASS,
    SUITS,
    card_name,
    deal_text,
    lowest,
    parse_card,
    parse_deal,
    suit_of,
    whole_suit,
)
from whist_env.engine.options import Options
from whist_env.engine.partners import side_of, tricks_taken
from whist_env.envs.game import Game, game
from whist_env.envs.table import Table
from whist_env.records.episode import Episode, RecordError, Start
from whist_env.records.pbn_syntax import PbnGame, game_text, parse_games

HEADER: Final = "% PBN 2.1\n% EXPORT\n"
GAMES: Final = {"whist": "Whist", "bridge_whist": "Bridge Whist"}
"""The games that can be written, each with the value of its tag `Game`."""
SEATS: Final = {"North": 0, "East": 1, "South": 2, "West": 3}
"""The tag of each player."""
KEPT: Final = ("Event", "Site", "Date", "Board", "WhistScore")
"""Tags that an episode keeps as notes, in small letters."""
UNKNOWN: Final = ("", "?", "-", "????.??.??")
"""Values of tags that say nothing."""

_DECLARED: Final = {"S": "spades", "C": "clubs", "D": "diamonds", "H": "hearts"}
_CONTRACT: Final = re.compile(
    r"[1-7](?P<suit>[CDHS]|NT?)(?P<risk>X{0,2})", re.IGNORECASE
)
_PLAYED: Final = re.compile(
    r"(?P<card>[A-Za-z0-9]+)|(?P<none>[-+])|(?P<end>\*)|\^(?P<irregular>[A-Z])"
    r"|=\d*=|\$\d+|[!?]{1,2}"
)


def write_pbn(path: str | os.PathLike[str], episodes: Iterable[Episode]) -> None:
    """Write a file of the deals of episodes; one that is there is replaced.

    Its folder is made if there is none.

    Letters that Latin 1 does not have, which is the alphabet of the notation, become
    question marks.

    Raises:
        RecordError: an episode is of another game, or the rules forbid it.
    """
    text = to_pbn(episodes)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="latin-1", errors="replace", newline="\n")


def to_pbn(episodes: Iterable[Episode]) -> str:
    """The deals of episodes of Whist and Bridge Whist, one game for each deal.

    Raises:
        RecordError: an episode is of another game, or the rules forbid it.
    """
    deals = [deal for episode in episodes for deal in single_deals(episode)]
    games = [_written(deal, number) for number, deal in enumerate(deals, start=1)]
    return "\n".join([HEADER + games[0], *games[1:]]) if games else HEADER


def read_pbn(path: str | os.PathLike[str], name: str | None = None) -> list[Episode]:
    """The deals of a file, as `from_pbn` takes them.

    Raises:
        FileNotFoundError: there is no such file.
        RecordError: it is no PBN, or a deal cannot be played by the rules.
    """
    data = Path(path).read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return from_pbn(text, name, str(path))


def from_pbn(text: str, name: str | None = None, source: str = "") -> list[Episode]:
    """The deals of a text in Portable Bridge Notation, each an episode of one deal.

    Args:
        text: the text.
        name: the game of those deals that do not say it themselves, ``"whist"`` or
            ``"bridge_whist"``; files of bridge are read as Bridge Whist, which has a
            dummy, calls at no trump and doubles. The declarer becomes the dealer.
        source: where the text comes from, for messages of errors.

    A deal whose play is not given to its end, as after a claim, is an unfinished
    episode; what the players agreed on is not taken over.

    Raises:
        RecordError: it is no PBN, or a deal cannot be played by the rules.
    """
    episodes = []
    try:
        for written in parse_games(text.replace("\r\n", "\n")):
            where = f"game {written.number}"
            where = f"{source}, {where}" if source else where
            try:
                episodes.append(_read(written, name or "bridge_whist", where))
            except (TypeError, ValueError) as error:
                raise RecordError(f"{where}: {error}") from None
    except RecordError as error:
        if source and not str(error).startswith(source):
            raise RecordError(f"{source}: {error}") from None
        raise
    return episodes


# Deals of an episode ----------------------------------------------------------------


def single_deals(episode: Episode) -> Iterator[Episode]:
    """Each deal of an episode of Whist or Bridge Whist as an episode of its own.

    A deal that was not finished, or was forfeited, is an unfinished episode. Returns
    are those of the deal by itself, without the scores before it.

    Raises:
        RecordError: the episode is of another game, or the rules forbid it.
    """
    played = _single_deal(episode.game)
    tables = episode.replay()
    begun = before = next(tables)
    actions: list[str] = []
    for name, after in zip(episode.actions, tables, strict=False):
        actions.append(name)
        if after.record.deals_played > before.record.deals_played:
            yield _as_episode(episode, played, begun, actions)
            begun, actions = after, []
        before = after
    *_, before = [before, *tables]  # to the end, where the returns are compared
    if actions or not before.is_over:
        yield _as_episode(episode, played, begun, actions)


def _single_deal(played: Game) -> Game:
    """The same game, an episode of which is one deal."""
    if played.name not in GAMES:
        raise RecordError(
            f"{played.name} cannot be written in PBN, which has four hands of thirteen "
            "cards and one trump suit or none: " + " and ".join(GAMES) + " can"
        )
    options = played.options
    deals = None if vars(options)["deals"] is None else 1
    changes: dict[str, Any] = {"episode": "deal", "deals": deals, "dealer": None}
    try:
        single = dataclasses.replace(options, **changes)
    except ValueError as error:
        raise RecordError(f"its deals cannot be written one by one: {error}") from None
    if vars(options).get("ranks", 13) * vars(options).get("suits", 4) != CARDS:
        raise RecordError("PBN has the whole pack of 52 cards, not a smaller one")
    return Game(played.rules, single)


def _as_episode(
    episode: Episode, played: Game, begun: Table, actions: Sequence[str]
) -> Episode:
    """A deal of an episode, which begins at a table that stands at its start."""
    record = begun.record
    position = {"deal": deal_text(record.dealt), "dealer": int(record.dealer)}
    if played.name == "whist":
        position["turned"] = card_name(int(record.turned))
    notes = {
        name: str(episode.notes[name])
        for name in map(str.lower, KEPT)
        if name in episode.notes
    }
    if record.score.any():
        notes["whistscore"] = f"NS {record.score[0]} EW {record.score[1]}"
    start = Start(0, position=position)
    return Episode.played(played, start, episode.agents, actions, notes=notes)


# Writing ----------------------------------------------------------------------------


def _written(deal: Episode, number: int) -> str:
    """A deal as text; its number is that of its board where it has none."""
    first, last = deal.start.table(deal.game), deal.last_table()
    record = last.record
    dealer = int(record.dealer)
    tags = {
        name: str(deal.notes[name.lower()])
        for name in KEPT
        if name.lower() in deal.notes
    }
    tags = {"Date": "????.??.??", "Board": str(number)} | tags
    tags |= {name: deal.agents[seat] for name, seat in SEATS.items()}
    tags |= {
        "Dealer": COMPASS[dealer],
        "Vulnerable": "None",
        "Deal": _deal_from(dealer, first),
        "Scoring": "",
        "Game": GAMES[deal.game.name],
    }
    changed = _changed_options(deal.game.options)
    if changed:
        tags["WhistOptions"] = changed
    if deal.game.name == "whist":
        tags["TurnUp"] = card_name(int(record.turned))
    else:
        tags["Calls"] = " ".join(_calls(deal))
    sections: dict[str, list[str]] = {}
    contract = _contract(deal, last)
    if contract:
        tags |= {"Declarer": COMPASS[dealer], "Contract": contract}
    if record.cards_played:
        tags["Result"] = str(tricks_taken(record, side_of(dealer)))
        tags["Play"] = COMPASS[(dealer + 1) % 4]
        sections["Play"] = _play(record, (dealer + 1) % 4)
    return game_text(PbnGame(tags, sections, number))


def _deal_from(dealer: int, table: Table) -> str:
    """The four hands from the dealer, as exported files have them."""
    hands = [table.record.dealt[(dealer + place) % 4] for place in range(4)]
    return COMPASS[dealer] + deal_text(hands)[1:]


def _changed_options(options: Options) -> str:
    return " ".join(
        f"{name}={value}"
        for name, value in vars(options).items()
        if value != getattr(type(options), name)
    )


def _calls(deal: Episode) -> list[str]:
    names = set(deal.game.action_names[CARDS:])
    return [name for name in deal.actions if name in names]


def _contract(deal: Episode, last: Table) -> str:
    """The odd trick in trumps or at no trump; empty while it is not settled."""
    record = last.record
    if deal.game.name == "whist":
        return f"1{SUITS[record.trump]}"
    if len(_calls(deal)) == len(deal.actions) and not _play_is_next(last):
        return ""
    suit = "NT" if record.trump < 0 else SUITS[record.trump]
    return f"1{suit}{'X' * min(2, int(record.doubles))}"


def _play_is_next(table: Table) -> bool:
    """Whether a card is to be played, and no call to be made."""
    return any(action < CARDS for action in table.legal_actions())


def _play(record: Any, leader: int) -> list[str]:
    """The cards of each trick in columns, the first that of the opening leader.

    A card that is still to come is ``-``, and the next one ``+`` (chapter 3.6).
    """
    columns = ["-"] * (4 * (int(record.cards_played) // 4 + 1))
    for place in range(int(record.cards_played)):
        column = (int(record.history_seats[place]) - leader) % 4
        columns[4 * (place // 4) + column] = card_name(int(record.history[place]))
    if not record.over:
        columns[4 * (record.cards_played // 4) + (int(record.seat) - leader) % 4] = "+"
    return columns[:CARDS]


# Reading ----------------------------------------------------------------------------


def _read(written: PbnGame, name: str, source: str) -> Episode:
    """The episode of a game of PBN."""
    tags = written.tags
    played = _game_of(tags, name)
    start = _start(tags, played)
    agents = tuple(_player(tags, seat) for seat in range(4))
    notes = {tag.lower(): tags[tag] for tag in KEPT if tags.get(tag, "") not in UNKNOWN}
    calls = [] if played.name == "whist" else _calls_of(tags, start)
    cards = _cards_of(written, played, start, calls)
    episode = Episode.played(played, start, agents, [*calls, *cards], notes=notes)
    _check_result(tags, episode)
    return dataclasses.replace(episode, source=source)


def _game_of(tags: dict[str, str], name: str) -> Game:
    title = tags.get("Game", "")
    if title not in UNKNOWN:
        names = {value.lower(): key for key, value in GAMES.items()}
        if title.lower() not in names:
            raise RecordError(
                f'[Game "{title}"] is not read from PBN: only '
                + " and ".join(GAMES.values())
            )
        name = names[title.lower()]
    elif name not in GAMES:
        raise RecordError(f"{name!r} is not read from PBN: only " + " and ".join(GAMES))
    return game(name, **_options(name, tags.get("WhistOptions", "")))


def _options(name: str, text: str) -> dict[str, Any]:
    """Options from words such as ``scoring=short5``."""
    fields = {
        field.name: field for field in dataclasses.fields(game(name).rules.options)
    }
    given: dict[str, Any] = {}
    for word in text.split():
        option, _, value = word.partition("=")
        words = fields[option].metadata.get("values", ()) if option in fields else ()
        by_text = {str(known): known for known in (*words, None)}
        given[option] = int(value) if value.isdigit() else by_text.get(value, value)
    return given


def _start(tags: dict[str, str], played: Game) -> Start:
    """The position from which the deal is played; the declarer deals."""
    hands = parse_deal(_needed(tags, "Deal"))
    dealer = _seat(tags, "Declarer")
    if dealer is None:
        dealer = _seat(tags, "Dealer")
    if dealer is None:
        raise RecordError("it has neither a Dealer nor a Declarer")
    position: dict[str, Any] = {"deal": deal_text(hands), "dealer": dealer}
    if played.name == "whist":
        position["turned"] = _turned(tags, int(hands[dealer]), dealer)
    return Start(0, position=position)


def _needed(tags: dict[str, str], name: str) -> str:
    value = tags.get(name, "")
    if value in UNKNOWN:
        raise RecordError(f"the tag {name} is missing")
    return value


def _seat(tags: dict[str, str], name: str) -> int | None:
    """The seat that a tag names; a caret before it says that it was irregular."""
    value = tags.get(name, "").lstrip("^").upper()
    if value in UNKNOWN:
        return None
    if value not in tuple(COMPASS):
        raise RecordError(f'[{name} "{value}"] must be one of {", ".join(COMPASS)}')
    return COMPASS.index(value)


def _suit_and_doubles(tags: dict[str, str]) -> tuple[str, int] | None:
    """The suit of the contract, such as ``"H"`` or ``"NT"``, and how often doubled."""
    value = tags.get("Contract", "")
    if value in UNKNOWN or value.lower() == "pass":
        return None
    contract = _CONTRACT.fullmatch(value)
    if contract is None:
        raise RecordError(f'[Contract "{value}"] must be one such as 1H, 3NT or 2SX')
    suit = contract["suit"].upper()
    return "NT" if suit == "N" else suit, len(contract["risk"])


def _turned(tags: dict[str, str], hand: int, dealer: int) -> str | None:
    """The turned card of Whist: the one that is named, or the lowest trump dealt.

    A game of bridge has none. Where the contract does not say what is trumps either, it
    is drawn from the dealer's hand.
    """
    contract = _suit_and_doubles(tags)
    turned = tags.get("TurnUp", "").upper()
    if turned not in UNKNOWN:
        suit = SUITS[suit_of(parse_card(turned))]
        if contract is not None and contract[0] != suit:
            raise RecordError(
                f"{turned} was turned, but the contract is {tags['Contract']}"
            )
        return turned
    if contract is None:
        return None
    suit, doubles = contract
    if suit == "NT" or doubles:
        raise RecordError(
            f"the contract {tags['Contract']} cannot be Whist, which always has trumps "
            "and no doubles; read it as bridge_whist"
        )
    trumps = hand & int(whole_suit(SUITS.index(suit)))
    if not trumps:
        raise RecordError(
            f"the dealer, {COMPASS[dealer]}, has no card of the trump suit to turn up; "
            "read it as bridge_whist"
        )
    return card_name(lowest(trumps))  # type: ignore[arg-type]


def _player(tags: dict[str, str], seat: int) -> str:
    names = {place: name for name, place in SEATS.items()}
    value = tags.get(names[seat], "")
    return f"player_{seat}" if value in UNKNOWN else value


def _calls_of(tags: dict[str, str], start: Start) -> list[str]:
    """The calls of Bridge Whist; by a contract alone the dealer names the trumps.

    A double is then made by the player to the left of the dealer, and redoubled by the
    dealer.
    """
    if "Calls" in tags:
        return tags["Calls"].split()
    contract = _suit_and_doubles(tags)
    if contract is None:
        return []
    suit, doubles = contract
    return [
        _DECLARED.get(suit, "notrump"),
        *("double", "redouble")[:doubles],
        *("pass", "pass"),
    ]


def _cards_of(
    written: PbnGame, played: Game, start: Start, calls: Sequence[str]
) -> list[str]:
    """The cards in the order in which they were played.

    They are written in columns; who plays next is found by playing them.
    """
    rows = _rows(written)
    if not rows:
        return []
    first = _seat(written.tags, "Play")
    if first is None:
        raise RecordError("the tag Play must name the player of its first column")
    table = Episode.played(played, start, ("",) * 4, calls).last_table()
    if not _play_is_next(table):
        raise RecordError("cards are played, but neither Contract nor Calls are given")
    cards: list[str] = []
    while not table.is_over:
        trick, seat = len(cards) // 4, int(table.record.seat)
        card = rows.pop((trick, (seat - first) % 4), None)
        if card is None:
            break
        cards.append(card)
        _play_card(table, card, trick, seat)
    if rows:
        trick, column = min(rows)
        player = COMPASS[(first + column) % 4]
        raise RecordError(
            f"trick {trick + 1}: {player} plays {rows[trick, column]}, but not every "
            "card before it is given"
        )
    return cards


def _play_card(table: Table, card: str, trick: int, seat: int) -> None:
    try:
        table.apply(parse_card(card))
    except ValueError as error:
        raise RecordError(f"trick {trick + 1}, {COMPASS[seat]}: {error}") from None


def _rows(written: PbnGame) -> dict[tuple[int, int], str]:
    """The cards of the section Play by trick and column, less what is unknown."""
    found: dict[tuple[int, int], str] = {}
    place = 0
    for word in written.sections.get("Play", []):
        for token in _tokens(word):
            if token["end"]:
                return found
            if token["irregular"] == "L":
                raise RecordError("a lead out of turn (^L) is not allowed by the rules")
            if token["card"]:
                found[divmod(place, 4)] = token["card"].upper()
            if token["card"] or token["none"]:
                place += 1
    return found


def _tokens(word: str) -> Iterator[re.Match[str]]:
    """The tokens of a word of a section; cards and marks need no space between them."""
    place = 0
    while place < len(word):
        token = _PLAYED.match(word, place)
        if token is None:
            raise RecordError(f"{word!r} in the play is neither a card nor a mark")
        yield token
        place = token.end()


def _check_result(tags: dict[str, str], episode: Episode) -> None:
    """Compare the tricks that were played with those that the tag Result says.

    Of a play that is not complete it says what the players agreed on, or what had been
    won so far. A caret says that they agreed on a wrong number.
    """
    value = tags.get("Result", "")
    if value in UNKNOWN or value.startswith("^") or episode.returns is None:
        return
    record = episode.last_table().record
    won = [
        int(record.tricks_won[side] + record.tricks_won[side + 2]) for side in (0, 1)
    ]
    said = re.findall(r"(NS|EW)?\s*(\d+)", value.upper())
    if not said:
        raise RecordError(f'[Result "{value}"] must be a number of tricks')
    for side, tricks in said:
        seats = ("NS", "EW").index(side) if side else side_of(int(record.dealer))
        if won[seats] != int(tricks):
            raise RecordError(
                f'[Result "{value}"], but the cards give {("NS", "EW")[seats]} '
                f"{won[seats]} tricks"
            )
