"""What a player is given leads nowhere: no hidden card can be reached from it.

That two deals which differ in hidden cards alone look the same to a seat is part of the
contract of every environment (`contract.py`). Here everything that a player is handed
is taken apart.
"""

from __future__ import annotations

import gc
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from pettingzoo import AECEnv
from whist_tables import twin_deal

import whist_env
from whist_env import Table, Tables, View, Views, whist_v0
from whist_env.cards import deal_text, members, parse_card, parse_deal
from whist_env.envs.play import view_of

# Where a walk stops: code is shared by everybody, and leads through its modules to the
# whole program.
CODE = (types.ModuleType, type, types.CodeType, types.FrameType)
CONTAINERS_OF_CODE = (types.BuiltinFunctionType, types.MethodDescriptorType)


def parts_of(thing: Any) -> list[Any]:
    """Everything that an object holds, by whatever means it may be reached."""
    if isinstance(thing, CODE + CONTAINERS_OF_CODE):
        return []
    if isinstance(thing, types.FunctionType):
        cells = [cell.cell_contents for cell in thing.__closure__ or ()]
        defaults = [*(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values()]
        return [*cells, *defaults, vars(thing)]
    parts = list(gc.get_referents(thing))
    if isinstance(thing, np.ndarray):
        parts += [thing.base, *(thing.flat if thing.dtype == object else ())]
    if isinstance(thing, memoryview):
        parts.append(thing.obj)
    return parts


def is_dead(thing: Any) -> bool:
    """Whether an object is a weak proxy of something that is gone."""
    try:
        thing.__class__  # noqa: B018
    except ReferenceError:
        return True
    return False


def reachable(*roots: Any) -> Iterator[Any]:
    """All objects that can be reached from some objects, these included."""
    seen: dict[int, Any] = {}
    waiting = list(roots)
    while waiting:
        thing = waiting.pop()
        if id(thing) not in seen and not is_dead(thing):
            seen[id(thing)] = thing
            waiting += parts_of(thing)
            yield thing


def is_a_table(thing: Any, memory: npt.NDArray[np.uint8]) -> bool:
    """Whether an object is a table in some form, or shares its memory."""
    if isinstance(thing, Table | Tables | AECEnv | whist_env.SeatEnv | np.void):
        return True
    return isinstance(thing, np.ndarray) and (
        thing.dtype.names is not None or np.shares_memory(thing, memory)
    )


def memory_of(table: Table) -> npt.NDArray[np.uint8]:
    memory: npt.NDArray[np.uint8] = table._memory
    return memory


def tables_from(table: Table, *roots: Any) -> list[Any]:
    memory = memory_of(table)
    return [thing for thing in reachable(*roots) if is_a_table(thing, memory)]


def started(**options: Any) -> Table:
    table = whist_env.game("whist", **options).new_table(seed=0)
    for _ in range(10):
        table.apply(table.legal_actions()[0])
    return table


# The walk itself --------------------------------------------------------------------


@pytest.mark.parametrize(
    "hide",
    [
        lambda table: table,
        lambda table: {"inside": [(table,)]},
        lambda table: lambda: table,
        lambda table: table.legal_actions,
        lambda table: table.record,
        lambda table: memory_of(table)[3:5],
        lambda table: memoryview(memory_of(table)),
        lambda table: types.SimpleNamespace(hidden=table),
        lambda table: View(table, None, None, 0),
        lambda table: np.array([table], object),
        lambda table: iter([table]),
    ],
)
def test_the_walk_finds_a_table_wherever_it_is_hidden(
    hide: Callable[[Table], Any],
) -> None:
    table = started()
    assert tables_from(table, hide(table))


# What is given out ------------------------------------------------------------------


def test_no_table_can_be_reached_from_a_view() -> None:
    table = started()
    views = view_of(table, random=7)
    assert tables_from(table, views) == []
    assert tables_from(table, views[0]) == []


def test_no_table_can_be_reached_from_what_an_environment_returns() -> None:
    for mask_in in ("observation", "info"):
        env = whist_v0.env(mask_in=mask_in)
        env.reset(seed=0)
        for _ in range(60):
            if env.table.is_over:
                break
            given = [env.last(), env.observe("player_1"), env.infos, env.rewards]
            assert tables_from(env.table, *given) == []
            env.step(env.table.legal_actions()[0])


class Collector:
    """Keeps all that it is given and plays its first legal card."""

    def __init__(self) -> None:
        self.given: list[Views] = []

    def act(self, views: Views) -> npt.NDArray[np.int64]:
        self.given.append(views)
        return views.action_mask.argmax(1)


def test_players_are_given_nothing_but_their_own_views() -> None:
    collector = Collector()
    env = whist_v0.env()
    env.reset(seed=0)
    whist_env.play_episode(env, collector, seed=0)
    assert len(collector.given) == 52
    assert tables_from(env.table, *collector.given) == []
    single = whist_env.single("whist", others=collector)
    single.reset(seed=0)
    assert single.table is not None
    assert tables_from(single.table, *collector.given) == []


def test_what_the_single_seat_returns_leads_to_no_table() -> None:
    env = whist_env.single("whist")
    given: list[Any] = [env.reset(seed=0)]
    given.append(env.step(int(env.action_masks().argmax())))
    given.append(env.action_masks())
    assert env.table is not None
    assert tables_from(env.table, given) == []


def test_the_bits_given_to_players_do_not_depend_on_the_deal() -> None:
    bits = []
    for seed in (0, 1):
        collector = Collector()
        env = whist_v0.env(dealer=0)
        env.reset(seed=seed)
        whist_env.play_episode(env, collector, seed=5)
        bits.append([views.random.tolist() for views in collector.given])
    assert bits[0] == bits[1]


# What a seat cannot know ------------------------------------------------------------


def positions(count: int) -> Iterator[tuple[Table, np.random.Generator]]:
    for seed in range(count):
        rng = np.random.default_rng(seed)
        table = whist_env.game("whist").new_table(seed=seed)
        for _ in range(int(rng.integers(52))):
            table.apply(rng.choice(table.legal_actions()))
        yield table, rng


def test_twin_deals_keep_what_the_seat_knows_and_change_the_rest() -> None:
    changed = 0
    for table, rng in positions(60):
        record = table.record
        for seat in range(4):
            twin = twin_deal(table, seat, rng)
            hands = parse_deal(twin["deal"])
            assert hands[seat] == record.dealt[seat]
            assert parse_card(twin["turned"]) == record.turned
            played = record.history[: record.cards_played]
            owners = record.history_seats[: record.cards_played]
            for card, owner in zip(played, owners, strict=True):
                assert int(hands[owner]) >> int(card) & 1
            changed += sum(hands[s] != record.dealt[s] for s in range(4))
    assert changed > 400


def test_a_turned_card_is_public_until_it_is_played_and_remembered_after() -> None:
    table = whist_env.game("whist", dealer=0).new_table(seed=0)
    turned = int(table.record.turned)
    part = table.game.features.part
    for seat in range(4):
        assert np.flatnonzero(part(table.observe(seat), "turned")) == [turned]
        assert part(table.observe(seat), "turned_lies_open") == 1
    for _ in range(4):
        table.apply(table.legal_actions()[0])
    for seat in range(4):
        assert np.flatnonzero(part(table.observe(seat), "turned")) == [turned]
        assert part(table.observe(seat), "turned_lies_open") == 0


def test_an_observation_names_no_card_that_its_seat_has_not_seen() -> None:
    for table, _ in positions(80):
        record = table.record
        for seat in range(4):
            seen = {int(card) for card in record.history[: record.cards_played]}
            seen |= {*members(record.hands[seat]), int(record.turned)}
            features = table.game.features
            observation = table.observe(seat)
            for feature in features.features:
                if feature.axes[-1:] == ("card",):
                    named = features.part(observation, feature.name).reshape(-1, 52)
                    assert set(np.flatnonzero(named.any(0)).tolist()) <= seen


def test_what_one_seat_sees_is_not_what_another_sees() -> None:
    for table, _ in positions(40):
        if table.is_over:
            continue
        views = [table.observe(seat).tobytes() for seat in range(4)]
        assert len(set(views)) == 4
        hand = table.game.features["hand"]
        for seat in range(4):
            held = np.flatnonzero(table.observe(seat)[hand]).tolist()
            assert held == list(members(table.record.hands[seat]))


def test_the_same_cards_seen_from_turned_seats_look_the_same() -> None:
    game = whist_env.game("whist")
    for seed in range(10):
        rng = np.random.default_rng(seed)
        table = game.new_table(seed=seed)
        options = twin_deal(table, 0, rng)
        hands = [int(hand) for hand in parse_deal(options["deal"])]
        table.reset(**options)
        turned = {**options, "dealer": (options["dealer"] + 1) % 4}
        turned["deal"] = deal_text([hands[3], *hands[:3]])
        other = game.new_table(seed=99, **turned)
        while not table.is_over:
            for seat in range(4):
                moved = other.observe((seat + 1) % 4)
                assert np.array_equal(table.observe(seat), moved)
            action = rng.choice(table.legal_actions())
            table.apply(action)
            other.apply(action)
        assert other.is_over


def test_the_walk_passes_a_weak_proxy_of_something_gone() -> None:
    class Gone:
        pass

    gone = Gone()
    proxy = weakref.proxy(gone)
    del gone
    table = started()
    assert tables_from(table, [proxy]) == []
    assert tables_from(table, [proxy, table])
