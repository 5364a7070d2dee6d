"""Lessons from the rule-of-thumb player: their labels, their exams, what they teach."""

from __future__ import annotations

import copy
import io
from typing import Any

import numpy as np
import pytest
import torch

import whist_agents
import whist_env
from whist_agents.hoyle import HoyleAgent
from whist_agents.net import NetAgent, PolicyNetwork, masked
from whist_agents.sight import sight
from whist_env import Game, Table, Views
from whist_env.envs.play import ask
from whist_train import lesson
from whist_train.evaluate import play_pairs
from whist_train.heat import ENTROPY
from whist_train.lesson import (
    MARGINS,
    Labeller,
    Labels,
    Lessons,
    Note,
    _Shelf,
)
from whist_train.ppo import PPO, PPOConfig

WHIST = whist_env.game("whist", reward="tricks")
SOLO = whist_env.game("solo_whist")
POLIGNAC = whist_env.game("polignac")
GAMES = pytest.mark.parametrize("game", [WHIST, SOLO, POLIGNAC], ids=lambda g: g.name)
FLOAT32 = torch.autocast("cpu", torch.bfloat16, enabled=False)


@pytest.fixture(autouse=True)
def few_labels_in_one_thread(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Those of a real training take seconds each."""
    for name, small in (
        *(("LABELS", 256), ("TABLES", 32), ("MINIBATCH", 64), ("KEPT", 3)),
    ):
        monkeypatch.setattr(lesson, name, small)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def all_differ(at: Any, tried: Any) -> Any:
    """What actions bring where every decision matters."""
    return np.cumsum(tried, 1, dtype=np.int64)


def are_equal(some: Labels, others: Labels) -> bool:
    return all(
        np.array_equal(value, getattr(others, name))
        for name, value in vars(some).items()
    )


# Labels -----------------------------------------------------------------------------


@GAMES
def test_labels_are_what_is_earned_where_all_play_on_by_rules_of_thumb(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lesson, "LABELS", 40)
    monkeypatch.setattr(lesson, "TRIED", 5)
    seen = sight(game, advised=False)
    asked: list[Table] = []
    labeller = Labeller(seen, scale=2.5, seed=3)
    values = labeller._values

    def noting(at: Any, tried: Any) -> Any:
        asked.extend(labeller._tables.table(row).clone() for row in at.tolist())
        return values(at, tried)

    monkeypatch.setattr(labeller, "_values", noting)
    labels, _ = labeller.lesson()
    assert len(labels.rows) == labels.mattered.sum() == 40
    assert len(asked) >= len(labels.mattered) >= 40
    assert labels.mattered.all() == (game is SOLO)  # whose first decisions are calls
    assert labels.mattered[-1] == 1
    # Those that did not matter are left out.
    told = iter(range(40))
    spread = set()
    for table, matters in zip(asked, labels.mattered.tolist(), strict=False):
        worth = {a: earned(table, a) / 2.5 for a in table.legal_actions()}
        order = seen.orders(observed(table))
        if not matters:
            assert len(worth) > 5 or len(set(worth.values())) == 1
            continue
        number = next(told)
        expected = np.zeros(game.num_actions)
        for action in table.legal_actions():
            named = int(seen.canonical_action(np.array([action]), order)[0])
            if labels.tried[number, named]:
                expected[named] = worth[action]
        brought = set(expected[labels.tried[number] == 1].tolist())
        assert len(brought) > 1
        spread |= brought
        assert labels.values[number].tolist() == pytest.approx(expected.tolist())
        assert labels.tried[number].sum() == min(5, len(table.legal_actions()))
        assert (labels.tried[number] <= labels.masks[number]).all()
        advised = np.array([ask(HoyleAgent(), table, 0)])
        assert labels.thumbs[number] == seen.canonical_action(advised, order)[0]
        assert labels.tried[number, labels.thumbs[number]] == 1
        legal = np.zeros((1, game.num_actions), np.int8)
        legal[0, table.legal_actions()] = 1
        assert (labels.masks[number] == seen.mask(legal, order)[0]).all()
        row = seen.observation(observed(table), legal, order)[0]
        assert (labels.rows[number] == row).all()
    assert next(told, None) is None and len(spread) > 4


def observed(table: Table) -> Any:
    return table.observe(out=np.empty(table.game.features.size, np.int8))[None]


def earned(table: Table, action: int) -> float:
    """What the agent to act earns by an action, if all play on by rules of thumb."""
    played, agent = table.clone(), table.agent
    played.apply(action)
    while not played.is_over:
        played.apply(ask(HoyleAgent(), played, 0))
    return played.returns()[agent] - table.returns()[agent]


def test_few_decisions_of_a_deal_are_labelled_and_none_that_is_forced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    labeller = Labeller(sight(WHIST, advised=False), 4.0, 1)
    monkeypatch.setattr(labeller, "_values", all_differ)
    (first, none_over), (second, all_over) = labeller.lesson(), labeller.lesson()
    for labels in (first, second):
        assert len(labels.rows) == 256 and (labels.masks.sum(1) > 1).all()
        assert len(np.unique(labels.rows, axis=0)) == 256
    # Three in ten cards at 32 tables: some 33 plies are played for a lesson.
    assert (none_over, all_over) == (0, 32)


def test_calls_are_labelled_all_and_cards_now_and_then() -> None:
    labeller = Labeller(sight(SOLO, advised=False), 4.0, 1)
    labeller._values = all_differ  # type: ignore[method-assign]
    calls = sum(labeller.lesson()[0].masks[:, 52:].any(1).sum() for _ in range(8))
    # Half of them are the first calls at 32 tables, about four at each.
    assert calls > 2 * 32 * 3


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("whist", 0.3, 0.3), ("chinese_whist", 0.1, 0.1), ("solo_whist", 0.11, 0.29)],
)
def test_cards_are_as_many_as_calls_where_there_are_many_calls(
    name: str, least: float, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lesson, "TABLES", 512)
    monkeypatch.setattr(lesson, "LABELS", 12_000)
    game = whist_env.game(name)
    labeller = Labeller(sight(game, advised=False), 4.0, 1)
    assert least <= labeller._share <= most
    if least < most:
        monkeypatch.setattr(labeller, "_values", all_differ)
        labels = [labeller.lesson()[0] for _ in range(6)]
        calls = [each.masks[:, 52:].any(1).mean() for each in labels]
        assert np.mean(calls) == pytest.approx(0.5, abs=0.1)


def test_where_many_actions_are_legal_any_but_the_advised_may_be_left_out() -> None:
    chance = np.random.default_rng(1)
    masks = np.zeros((4000, 20), np.int8)
    masks[:, 4:] = 1
    masks[:2000, 10:] = 0
    thumbs = np.full(4000, 7)
    tried = lesson._some(masks, thumbs, chance)
    assert np.array_equal(tried[:2000], masks[:2000])
    assert (tried[2000:].sum(1) == lesson.TRIED).all()
    often = tried[2000:].mean(0)
    assert often[7] == 1 and not often[:4].any()
    others = np.delete(often[4:], 3)
    assert others == pytest.approx(np.full(15, 7 / 15), abs=0.06)


def test_no_more_actions_are_tried_than_there_is_room_for_when_lots_are_equal() -> None:
    class Same:
        """Chance of which all numbers are the same."""

        def __init__(self, value: float) -> None:
            self.value = value

        def random(self, shape: Any, dtype: Any) -> Any:
            return np.full(shape, self.value, dtype)

    masks = np.zeros((3, 20), np.int8)
    masks[0, 4:] = masks[1, 4:8] = masks[2, 12:] = 1
    thumbs = np.array([19, 5, 12])
    for value in (0.0, 0.5):
        tried = lesson._some(masks, thumbs, Same(value))  # type: ignore[arg-type]
        assert tried.sum(1).tolist() == [lesson.TRIED, 4, 8]
        assert (tried <= masks).all() and tried[np.arange(3), thumbs].all()


def test_cards_are_now_and_then_played_at_random_and_calls_never(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lesson, "TABLES", 512)
    monkeypatch.setattr(lesson, "LABELS", 12_000)
    labeller = Labeller(sight(SOLO, advised=False), 4.0, 1)
    monkeypatch.setattr(labeller, "_values", all_differ)
    tables, hoyle = labeller._tables, HoyleAgent()
    plain = tables.step
    other: dict[bool, list[float]] = {False: [], True: []}

    def noting(actions: Any) -> Any:
        batch = tables.look()
        views = Views(SOLO, batch.observation, batch.action_mask, no_chance(512))
        legal = batch.action_mask.sum(1)
        calls = batch.action_mask[:, 52:].any(1)
        departs = actions != hoyle.act(views)
        # One in so many random cards is the advised one.
        for row in np.flatnonzero(legal > 1).tolist():
            weight = 1 - 1 / legal[row]
            other[bool(calls[row])].append(departs[row] / weight)
        return plain(actions)

    monkeypatch.setattr(tables, "step", noting)
    for _ in range(3):
        labeller.lesson()
    assert len(other[True]) > 5000 and not any(other[True])
    assert np.mean(other[False]) == pytest.approx(lesson.RANDOM, abs=0.005)


@pytest.mark.parametrize("game", [WHIST, SOLO], ids=lambda g: g.name)
def test_at_half_the_seats_the_player_plays_and_at_the_others_hoyle(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lesson, "LABELS", 2_000)
    monkeypatch.setattr(lesson, "RANDOM", 0.0)
    labeller = Labeller(sight(game, advised=False), 4.0, 1)
    monkeypatch.setattr(labeller, "_values", all_differ)
    tables, plain = labeller._tables, labeller._tables.step
    at_seats: dict[tuple[int, int], set[bool]] = {}

    class Last:
        """Plays the last legal action, which hoyle seldom does."""

        def act(self, views: Views) -> Any:
            return game.num_actions - 1 - views.action_mask[:, ::-1].argmax(1)

    def noting(actions: Any) -> Any:
        batch = tables.look()
        views = Views(game, batch.observation, batch.action_mask, no_chance(32))
        by_hoyle, last = actions == HoyleAgent().act(views), Last().act(views)
        for number in np.flatnonzero(by_hoyle != (actions == last)).tolist():
            seat = number, int(batch.agent[number])
            at_seats.setdefault(seat, set()).add(not by_hoyle[number])
        return plain(actions)

    monkeypatch.setattr(tables, "step", noting)
    for _ in range(3):
        labeller.lesson(Last())
    assert len(at_seats) == 32 * 4 and all(len(who) == 1 for who in at_seats.values())
    theirs = np.array([[who] for (who,) in at_seats.values()]).sum()
    assert theirs == 64
    # All choices of seats are there, equally often.
    chosen = {
        tuple(at_seats[number, agent] == {True} for agent in range(4))
        for number in range(32)
    }
    assert len(chosen) == 16


def test_the_policy_plays_at_the_tables_from_the_half_of_the_lessons(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    policy, lessons = taught(SOLO, advised=True, lessons=1)
    asked: list[int] = []
    plain = NetAgent.act

    def noting(self: NetAgent, views: Views) -> Any:
        assert self.network is policy
        asked.append(len(views))
        return plain(self, views)

    monkeypatch.setattr(NetAgent, "act", noting)
    lessons.teach(0.49)
    assert not asked
    lessons.teach(0.5)
    assert sum(asked) == pytest.approx(32 * len(asked) / 2, rel=0.2) and asked


def no_chance(size: int) -> Any:
    return np.zeros(size, np.uint64)


def test_a_lesson_depends_on_the_seed_and_its_number_alone() -> None:
    seen = sight(WHIST, advised=True)
    made = Labeller(seen, 4.0, 1)
    first, _ = made.lesson()
    number, begun = made.number, made.to_bytes()
    second, deals = made.lesson()
    assert not are_equal(first, second)
    made.lesson()
    torch.set_num_threads(2)
    again = Labeller(seen, 4.0, 1)
    assert are_equal(again.lesson()[0], first)
    other = Labeller(seen, 4.0, 2)
    assert not are_equal(other.lesson()[0], first)
    made.restore(number, begun)
    restored, same = made.lesson()
    assert are_equal(restored, second) and same == deals


@GAMES
def test_a_lesson_is_made_again_from_its_values(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    labeller = Labeller(sight(game, advised=True), 4.0, 1)
    labeller.lesson()
    number, begun = labeller.number, labeller.to_bytes()
    labels, deals = labeller.lesson(whist_agents.load("random"))
    after = labeller.to_bytes()

    def tries(at: Any, tried: Any) -> Any:
        raise AssertionError("nothing is to be tried again")

    monkeypatch.setattr(labeller, "_values", tries)
    labeller.restore(number, begun)
    note = Note(begun, labels.values_found, labels.actions, labels.mattered)
    again, same = labeller.lesson(known=note)
    assert same == deals and labeller.to_bytes() == after
    assert np.allclose(again.values, labels.values, rtol=1e-3)
    for name in ("rows", "masks", "tried", "thumbs", "actions", "mattered"):
        assert np.array_equal(getattr(again, name), getattr(labels, name))


# What is kept -----------------------------------------------------------------------


@GAMES
@pytest.mark.parametrize("advised", [True, False])
def test_lessons_come_back_from_the_shelf_as_they_were(
    game: Game, advised: bool
) -> None:
    seen = sight(game, advised)
    labeller, shelf = Labeller(seen, 4.0, 1), _Shelf(seen, kept=3)
    made = [labeller.lesson()[0] for _ in range(4)]
    for number, labels in enumerate(made):
        shelf.put(number, labels)
        assert shelf.filled == 256 * min(number + 1, 3)
    # The fourth has taken the place of the first.
    for labels, begin in zip(made[1:], (256, 512, 0), strict=True):
        rows, tried, values = shelf.labels(torch.arange(begin, begin + 256))
        assert np.array_equal(rows, labels.rows)
        assert np.array_equal(tried, labels.tried)
        assert np.allclose(values, labels.values, rtol=1e-3)


def test_what_is_new_is_learnt_once_and_the_rest_drawn_with_it() -> None:
    seen = sight(WHIST, advised=True)
    labeller, shelf = Labeller(seen, 4.0, 1), _Shelf(seen, kept=3)
    order = torch.Generator().manual_seed(1)
    for number, newest in enumerate((0, 256, 512, 0)):
        shelf.put(number, labeller.lesson()[0])
        alone = shelf.draw(0, order)
        assert sorted(alone.tolist()) == list(range(newest, newest + 256))
        assert alone.tolist() != sorted(alone.tolist())
        revised = shelf.draw(8, order)
        counts = np.bincount(revised, minlength=768).reshape(3, 256)
        assert len(revised) == 9 * 256 and (counts[newest // 256] > 0).all()
        assert (counts[:, 0] >= 0).all() and (counts[number + 1 :] == 0).all()
        # Each lesson on the shelf is drawn equally often, give or take chance.
        counts[newest // 256] -= 1
        kept = counts[: number + 1].sum(1)
        assert kept == pytest.approx(8 * 256 / len(kept), rel=0.25)


@pytest.mark.parametrize(("part", "steps"), [(0.0, 4), (0.49, 4), (0.5, 36), (1.0, 36)])
def test_lessons_are_revised_in_the_second_part_of_the_time(
    part: float, steps: int
) -> None:
    _, lessons = taught(WHIST, advised=True, lessons=1)
    before = lessons._steps
    lessons.teach(part)
    assert lessons._steps - before == steps


# Exams ------------------------------------------------------------------------------


def taught(game: Game, advised: bool, lessons: int = 0) -> tuple[PolicyNetwork, Any]:
    """A policy and its lessons, some of which it has had."""
    torch.manual_seed(1)
    policy = PolicyNetwork(sight(game, advised), (32,))
    given = Lessons(policy, scale=4.0, seed=5, precision=FLOAT32)
    for number in range(lessons):
        given.teach(number / lessons)
    return policy, given


@pytest.mark.parametrize("advised", [True, False])
def test_an_exam_is_on_decisions_that_were_not_learnt(
    advised: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy, lessons = taught(WHIST, advised)
    examined: list[tuple[Labels, dict[str, Any], int]] = []
    plain = lessons._exam

    def noting(fresh: Labels) -> Any:
        before = copy.deepcopy(policy.state_dict())
        examined.append((fresh, before, lessons._shelf.filled))
        return plain(fresh)

    monkeypatch.setattr(lessons, "_exam", noting)
    figures = [lessons.teach(0.0) for _ in range(4)]
    assert [filled for _, _, filled in examined] == [0, 256, 512, 768]
    for (fresh, before, _), found in zip(examined, figures, strict=True):
        judged = PolicyNetwork(policy.sight, (32,))
        judged.load_state_dict(before)
        with torch.no_grad():
            judged.trust[0] = found["card_margin"]
            logits = judged(torch.from_numpy(fresh.rows))
            chosen = masked(logits, torch.from_numpy(fresh.masks)).argmax(1).numpy()
        at = np.arange(256)
        gains = fresh.values[at, chosen] - fresh.values[at, fresh.thumbs]
        # Where only some were tried, they stand for all but the advised one.
        legal, tried = fresh.masks.sum(1), fresh.tried.sum(1)
        gains *= fresh.tried[at, chosen] * (legal - 1) / (tried - 1)
        # Those that did not matter count as well: there is nothing to be gained.
        gains = np.pad(gains, (0, len(fresh.mattered) - len(gains)))
        assert found["gain"] == pytest.approx(gains.mean(), abs=1e-6)
        error = gains.std() / len(gains) ** 0.5
        assert found["gain_error"] == pytest.approx(error, abs=1e-6)
        assert found["decisions"] == len(gains) > 256
    assert policy.trust[0].item() == pytest.approx(figures[-1]["card_margin"])


@pytest.mark.parametrize("game", [WHIST, SOLO], ids=lambda g: g.name)
def test_a_margin_keeps_whoever_knows_nothing_from_losing_by_it(game: Game) -> None:
    policy, lessons = taught(game, advised=True)
    figures = lessons._exam(lessons._labeller.lesson()[0])
    # Without trust it would play at random, and lose by a great deal.
    assert figures["gain"] >= 0 and figures["card_margin"] > 0
    torch.nn.init.constant_(policy.trust, MARGINS[-1])
    played = play_pairs(NetAgent(policy), "hoyle", game, 30)
    for result in played.results.values():
        assert (result.sum(1) == 0).all()


@pytest.mark.parametrize(("exams", "remembered"), [(3, 5), (25, 5), (200, 40)])
def test_margins_are_chosen_by_the_last_exams_of_all_so_far(
    exams: int, remembered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, lessons = taught(WHIST, advised=True, lessons=1)
    monkeypatch.setattr(lessons._labeller, "number", exams)
    first, second = np.zeros((2, len(MARGINS), 1))
    first[1], second[2] = 1.0, 1.0
    for _ in range(1000):
        assert lessons._best_margin(0, first) in (0, 1)
    # What an exam counts for halves in about 0.7 times so many.
    turned = next(n for n in range(1, 99) if lessons._best_margin(0, second) == 2)
    assert turned == pytest.approx(0.7 * remembered, abs=1)


# What is learnt ---------------------------------------------------------------------


def test_lessons_teach_what_actions_are_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lesson, "LABELS", 1024)
    policy, lessons = taught(SOLO, advised=False)
    unseen, _ = Labeller(policy.sight, 4.0, 99).lesson()
    before = regret(policy, unseen)
    figures = [lessons.teach(number / 6) for number in range(6)]
    assert regret(policy, unseen) < 0.8 * before
    assert figures[-1]["lesson_loss"] < figures[0]["lesson_loss"]
    # Beside the rule-of-thumb player it is less and less behind.
    assert figures[-1]["gain"] > figures[0]["gain"] + 2 * figures[0]["gain_error"]


def regret(policy: PolicyNetwork, labels: Labels) -> float:
    """How much less the preferred actions brought than the best ones."""
    with torch.no_grad():
        logits = masked(
            policy(torch.from_numpy(labels.rows)), torch.from_numpy(labels.masks)
        )
    legal = np.where(labels.masks == 1, labels.values, -np.inf)
    chosen = labels.values[np.arange(len(legal)), logits.argmax(1).numpy()]
    return float((legal.max(1) - chosen).mean())


@pytest.mark.parametrize(
    ("average", "weights"),
    [(0.998, (0.25, 0.25, 0.25, 0.25)), (0.5, (0.125, 0.125, 0.25, 0.5))],
)
def test_the_policy_is_a_mean_of_what_the_pupil_was(
    average: float, weights: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lesson, "AVERAGE", average)
    policy, lessons = taught(WHIST, advised=True)
    plain, pupils = lessons._take_the_mean, []

    def noting() -> None:
        plain()
        pupils.append([p.detach().clone() for p in lessons._pupil.layers.parameters()])

    monkeypatch.setattr(lessons, "_take_the_mean", noting)
    lessons.teach(0.0)
    assert len(pupils) == 4
    for mean, *were in zip(policy.layers.parameters(), *pupils, strict=True):
        expected = sum(w * was for w, was in zip(weights, were, strict=True))
        assert torch.allclose(mean, expected, atol=1e-6)
        assert not torch.allclose(mean, were[-1], atol=1e-6)


def test_steps_become_small_and_leave_out_other_units_in_every_lesson(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[float, float, int]] = []
    _, lessons = taught(WHIST, advised=True)
    plain = lessons._pupil.values

    def noting(rows: Any, dropout: float = 0.0) -> Any:
        rate = lessons._optimiser.param_groups[0]["lr"]
        seen.append((rate, dropout, torch.initial_seed()))
        return plain(rows, dropout)

    monkeypatch.setattr(lessons._pupil, "values", noting)
    for part in (0.0, 0.5, 1.0):
        lessons.teach(part)
    rates, dropouts, seeds = (
        list(dict.fromkeys(some)) for some in zip(*seen, strict=True)
    )
    assert rates == pytest.approx([3e-3, 1.545e-3, 9e-5])
    assert dropouts == [0.1] and len(seeds) == 3


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_units_are_left_out_at_random_and_the_others_make_up_for_them(
    dtype: torch.dtype,
) -> None:
    seen = sight(WHIST, advised=True)
    network = PolicyNetwork(seen, (400,)).to(dtype)
    # Every unit is 2, and every output their mean.
    first, _, last = network.layers
    for layer, weight, bias in ((first, 0.0, 2.0), (last, 1 / 400, 0.0)):
        torch.nn.init.constant_(layer.weight, weight)
        torch.nn.init.constant_(layer.bias, bias)
    rows = torch.zeros(3001, seen.features.size, dtype=torch.int8)
    torch.manual_seed(7)
    outputs = network.dropped(rows, 0.1)
    assert outputs.dtype == dtype
    means = outputs[:, 0].double()
    assert means.mean().item() == pytest.approx(2, abs=0.01)
    # The variance of a mean of 400: each is 0 for one in ten, and else 2 / 0.9.
    assert means.std().item() == pytest.approx((4 * 0.1 / 0.9 / 400) ** 0.5, rel=0.1)
    torch.manual_seed(7)
    assert torch.equal(network.dropped(rows, 0.1), outputs)
    assert not torch.equal(network.dropped(rows, 0.1), outputs)
    assert (network.dropped(rows, 0.0) - 2).abs().max() < 0.02


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_the_precision_of_lessons_ends_with_them(precision: str) -> None:
    policy = PolicyNetwork(sight(WHIST, advised=True), (32,))
    mixed = torch.autocast("cpu", torch.bfloat16, enabled=precision == "bfloat16")
    lessons = Lessons(policy, scale=4.0, seed=5, precision=mixed)
    assert all(np.isfinite(lessons.teach(0.0)["lesson_loss"]) for _ in range(2))
    lessons.end()
    product = torch.ones(4, 4) @ torch.ones(4, 4)
    assert product.dtype == torch.float32 and not torch.is_autocast_enabled("cpu")
    assert all(value.dtype == torch.float32 for value in policy.parameters())


def test_self_play_begins_with_the_entropy_that_is_promised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lesson, "EVERY", 1)
    policy, lessons = taught(SOLO, advised=True, lessons=1)
    newest = lessons._newest
    rows, masks = torch.from_numpy(newest.rows), torch.from_numpy(newest.masks)
    before = masked(policy(rows), masks).argmax(1)
    lessons.end()
    logits = masked(policy(rows), masks).log_softmax(1)
    entropies = -(logits.exp() * logits).sum(1)
    are_calls = masks[:, 52:].any(1)
    assert 20 < are_calls.sum() < 236
    for kind, those in enumerate((~are_calls, are_calls)):
        mean = entropies[those].mean().item()
        assert mean == pytest.approx(ENTROPY[kind], abs=0.002)
    assert torch.equal(logits.argmax(1), before)


def test_how_bad_a_bad_action_is_counts_the_less_the_worse_it_looks() -> None:
    tried = torch.tensor([[1, 1, 1, 0], [1, 1, 0, 0]], dtype=torch.int8)
    outputs = torch.tensor(
        [[0.25, 0.25 - lesson.BEHIND, -100.0, 9.0], [3.0, 3.0, 9, 9]]
    )
    weights = lesson._weights(outputs, tried)
    assert weights[0].tolist() == pytest.approx([1, 0.5, 0, 0], abs=1e-4)
    assert weights[1].tolist() == [1, 1, 0, 0]
    # What is above the mean is so by the same weights, and sums to nothing.
    values = torch.tensor([[1.0, 2.0, -500.0, 7.0], [5.0, 2.0, 7.0, 7.0]])
    above = lesson.above_mean(values, weights)
    assert (above * weights).sum(1).tolist() == pytest.approx([0, 0], abs=1e-4)
    assert above[1].tolist() == [1.5, -1.5, 0, 0]


# Going on after a stop --------------------------------------------------------------


def stored(state: dict[str, Any]) -> Any:
    """A state as it comes back from a file."""
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


@pytest.mark.parametrize(("game", "had"), [(WHIST, 0), (WHIST, 1), (SOLO, 4)])
def test_lessons_go_on_exactly(game: Game, had: int) -> None:
    policy, lessons = taught(game, True, had)
    state, weights = stored(lessons.state_dict()), stored(policy.state_dict())
    parts = (0.25, 0.5, 0.75, 1.0)
    expected = [lessons.teach(part) for part in parts]

    other, again = taught(game, True)
    other.load_state_dict(weights)
    again.load_state_dict(state)
    assert again._shelf.filled == 256 * min(had, 3)
    assert [again.teach(part) for part in parts] == expected
    everything = torch.arange(768)
    for mine, theirs in zip(
        lessons._shelf.labels(everything), again._shelf.labels(everything), strict=True
    ):
        assert torch.equal(mine, theirs)
    for given in (lessons, again):
        given.end()
    pairs = zip(policy.parameters(), other.parameters(), strict=True)
    assert all(torch.equal(one, same) for one, same in pairs)


def test_a_training_goes_on_exactly_from_any_of_its_parts() -> None:
    config = PPOConfig(
        tables=16,
        hidden=(16,),
        critic_hidden=(16,),
        minibatch=128,
        value_scale=4.0,
        lessons=0.4,
        critic_alone=0.2,
    )
    parts = [0.0, 0.1, 0.2, 0.4, 0.5, 0.6, 0.8]
    whole = PPO(SOLO, config, seed=1)
    states, expected = [stored(whole.state_dict())], []
    for part in parts:
        expected.append(whole.iterate(part))
        states.append(stored(whole.state_dict()))
    for done in (0, 2, 3, 4, 5, 6):
        resumed = PPO(SOLO, config, seed=1)
        resumed.load_state_dict(states[done])
        assert [resumed.iterate(part) for part in parts[done:]] == expected[done:]
        for mine, theirs in (
            (resumed.policy, whole.policy),
            (resumed.critic, whole.critic),
        ):
            pairs = zip(mine.parameters(), theirs.parameters(), strict=True)
            assert all(torch.equal(one, same) for one, same in pairs)
