"""Evaluation at duplicate: the statistics, the pairing, the control, the errors."""

from __future__ import annotations

import dataclasses
import io
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from faulty_agents import BothWays
from rich.console import Console

import whist_env
from whist_agents import AgentError
from whist_env import Game, IllegalAction, Views
from whist_env.games import rules_of
from whist_env.solver import dds
from whist_train.command_line import MISUSE, SUCCESS, main
from whist_train.costs import Costs
from whist_train.evaluate import Evaluation, evaluate, play_pairs
from whist_train.rooms import BLOCK, SMALL_BLOCK
from whist_train.sequential import SequentialTest
from whist_train.statistics import Estimate, ratio_of_sums, t_quantile, t_within

RULES = rules_of("whist")
DEAL = whist_env.game("whist")
RUBBER = whist_env.game("whist", episode="rubber", scoring="short5")
ROBBER = whist_env.game("whist", episode="rubber", scoring="robber")


class Uniform:
    """Plays at random from the bits that it is given."""

    def act(self, views: Views) -> npt.NDArray[Any]:
        cards = views.action_mask.sum(1, dtype=np.uint64)
        nth = ((views.random >> np.uint64(32)) * cards) >> np.uint64(32)
        order = np.cumsum(views.action_mask, axis=1)
        return np.argmax(order > nth[:, None].astype(np.int64), axis=1)


class LowestCard:
    """Plays its lowest legal card, the lower suit where two are equal."""

    def act(self, views: Views) -> npt.NDArray[Any]:
        ranks = np.arange(52) % 13
        return np.where(views.action_mask == 1, ranks, 13).argmin(axis=1)


class Noting:
    """Plays as another player does and notes in a common book what it was shown."""

    def __init__(self, player: Uniform | LowestCard, book: list[tuple[Any, Views]]):
        self.player = player
        self.book = book

    def act(self, views: Views) -> npt.NDArray[Any]:
        self.book.append((self, views))
        return self.player.act(views)


def text_of(evaluation: Evaluation) -> str:
    """The printed table as one line of words."""
    file = io.StringIO()
    Console(file=file, width=100).print(evaluation)
    return " ".join(file.getvalue().split())


# Statistics -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("degrees", "at_95", "at_99"),
    [
        (1, 12.706, 63.657),
        (2, 4.303, 9.925),
        (3, 3.182, 5.841),
        (4, 2.776, 4.604),
        (10, 2.228, 3.169),
        (29, 2.045, 2.756),
        (120, 1.980, 2.617),
        (100_000, 1.960, 2.576),
    ],
)
def test_t_quantiles_are_those_of_the_printed_tables(
    degrees: int, at_95: float, at_99: float
) -> None:
    assert t_quantile(0.95, degrees) == pytest.approx(at_95, abs=5e-4)
    assert t_quantile(0.99, degrees) == pytest.approx(at_99, abs=5e-4)


@pytest.mark.parametrize("distance", [0.1, 1.0, 3.0, 40.0])
def test_t_is_within_a_distance_as_its_closed_forms_say(distance: float) -> None:
    assert t_within(distance, 1) == pytest.approx(2 * math.atan(distance) / math.pi)
    assert t_within(distance, 2) == pytest.approx(distance / math.sqrt(2 + distance**2))
    assert t_within(distance, 1_000_000) == pytest.approx(
        math.erf(distance / math.sqrt(2)), abs=1e-6
    )


def test_with_equal_counts_the_interval_is_the_paired_t_interval() -> None:
    figures = ratio_of_sums([1, 2, 3, 4, 5], [1, 1, 1, 1, 1])
    # Standard deviation sqrt(2.5), t with four degrees 2.7764; t = 3 sqrt(2) leaves
    # 1 - sqrt(9/11) (1 + 1/11) outside.
    assert figures.mean == 3
    assert figures.standard_error == pytest.approx(math.sqrt(0.5))
    assert figures.low == pytest.approx(3 - 2.776445 * math.sqrt(0.5))
    assert figures.high == pytest.approx(3 + 2.776445 * math.sqrt(0.5))
    assert figures.p_value == pytest.approx(1 - math.sqrt(9 / 11) * 12 / 11)


def test_a_mean_per_unit_is_the_ratio_of_the_sums_with_the_error_of_residuals() -> None:
    figures = ratio_of_sums([2, 4, 9], [1, 2, 3])
    # Residuals -0.5, -1 and 1.5: standard deviation sqrt(1.75); two units on average.
    error = math.sqrt(1.75) / math.sqrt(3) / 2
    assert figures.mean == 2.5
    assert figures.standard_error == pytest.approx(error)
    assert figures.high == pytest.approx(2.5 + 4.302653 * error)


def test_observations_that_are_all_zero_have_no_error() -> None:
    assert ratio_of_sums(np.zeros(5), np.full(5, 2)) == Estimate(0, 0, 0, 0, 1)


def test_observations_that_are_all_alike_are_judged_by_their_signs() -> None:
    assert ratio_of_sums(np.ones(5), np.full(5, 2)).p_value == 2 / 2**5
    assert ratio_of_sums(np.ones(2), np.ones(2)).p_value == 0.5
    assert ratio_of_sums(np.zeros(5), np.ones(5)).p_value == 1


def test_one_observation_gives_no_interval() -> None:
    with pytest.raises(ValueError, match="at least 2 observations, not 1"):
        ratio_of_sums([1], [1])


def test_the_interval_covers_the_true_mean_in_95_of_100_small_samples() -> None:
    random = np.random.default_rng(1)
    covered = [
        figures.low <= 0.3 <= figures.high
        for _ in range(4000)
        for figures in [ratio_of_sums(random.normal(0.3, 2, 6), np.ones(6))]
    ]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.012)


def test_the_interval_covers_the_true_ratio_in_95_of_100_matches() -> None:
    random = np.random.default_rng(2)
    covered = []
    for _ in range(4000):
        # Longer rubbers go with worse results, as against a better player.
        deals = random.integers(4, 16, 60)
        points = 0.5 * deals + random.normal(0, 3, 60) - 0.8 * (deals - 9.5)
        figures = ratio_of_sums(points, deals)
        covered.append(figures.low <= 0.5 <= figures.high)
    assert np.mean(covered) == pytest.approx(0.95, abs=0.012)


# The control ------------------------------------------------------------------------


@pytest.mark.parametrize("game", [DEAL, RUBBER, ROBBER], ids=repr)
@pytest.mark.parametrize("player", [Uniform(), LowestCard()])
def test_an_agent_against_itself_comes_to_exactly_zero_at_every_pair(
    player: Uniform | LowestCard, game: Game
) -> None:
    played = play_pairs(player, player, game, 300, seed=4)
    assert played.unequal() == 0
    assert (played.deals[:, 0] == played.deals[:, 1]).all()
    for result in played.results.values():
        assert (result[:, 0] == -result[:, 1]).all()
        assert result.any()


def test_two_equal_agents_come_to_exactly_zero_as_well() -> None:
    assert play_pairs(Uniform(), Uniform(), RUBBER, 50, seed=4).unequal() == 0


def test_the_control_tells_an_agent_that_draws_on_chance_of_its_own() -> None:
    class OwnChance(Uniform):
        source = np.random.default_rng(0)

        def act(self, views: Views) -> npt.NDArray[Any]:
            bits = self.source.integers(0, 1 << 64, len(views), np.uint64)
            return super().act(dataclasses.replace(views, random=bits))

    evaluation = evaluate(OwnChance(), LowestCard(), deals=40)
    assert evaluation.control.pairs == 40
    assert evaluation.control.unequal > 20
    assert f"{evaluation.control.unequal} pairs differ" in text_of(evaluation)


# Pairs ------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [DEAL, RUBBER], ids=repr)
def test_b_against_a_is_a_against_b_with_the_sign_changed(game: Game) -> None:
    a, b = Uniform(), LowestCard()
    forth, back = play_pairs(a, b, game, 120, 5), play_pairs(b, a, game, 120, 5)
    assert (forth.deals == back.deals[:, ::-1]).all()
    for name in RULES.measures:
        assert (forth.results[name] == -back.results[name][:, ::-1]).all()


def test_each_agent_sits_once_on_each_side() -> None:
    book: list[tuple[Any, Views]] = []
    a, b = Noting(LowestCard(), book), Noting(LowestCard(), book)
    # Seat 3 deals, so seat 0 leads.
    play_pairs(a, b, whist_env.game("whist", dealer=3), 1)
    assert book[0][0] is a
    assert book[52][0] is b


def hands_led_from(book: list[tuple[Any, Views]]) -> list[bytes]:
    """The hands of thirteen from which somebody led to the first trick of a deal."""
    hands = []
    for _, views in book:
        hand = views.game.features.part(views.observation, "hand")
        trick = views.game.features.part(views.observation, "trick")
        hands += [
            h.tobytes()
            for h, t in zip(hand, trick, strict=True)
            if h.sum() == 13 and not t.any()
        ]
    return hands


def test_both_rooms_play_the_same_deals_in_the_same_order() -> None:
    book: list[tuple[Any, Views]] = []
    players = Noting(Uniform(), book), Noting(LowestCard(), book)
    played = play_pairs(*players, RUBBER, 1, seed=3)
    first, second = played.deals[0]
    hands = hands_led_from(book)
    assert len(hands) == first + second
    assert first != second
    shorter = min(first, second)
    assert hands[:shorter] == hands[first:][:shorter]
    assert len(set(hands)) == max(first, second)


def test_chance_is_alike_in_both_rooms_and_new_for_each_decision_and_board() -> None:
    book: list[tuple[Any, Views]] = []
    player = Noting(Uniform(), book)
    play_pairs(player, player, whist_env.game("whist", dealer=0), 1)
    bits = [int(views.random[0]) for _, views in book]
    assert bits[:52] == bits[52:]
    assert len(set(bits)) == 52
    book.clear()
    play_pairs(player, player, DEAL, BLOCK + 20)
    rooms = np.concatenate([views.random for _, views in book])
    assert len(set(rooms.tolist())) == 52 * (BLOCK + 20)


def test_an_agent_never_sees_both_tables_of_a_board_at_once() -> None:
    book: list[tuple[Any, Views]] = []
    player = Noting(LowestCard(), book)
    play_pairs(player, player, DEAL, 100)
    for _, views in book:
        assert len(np.unique(views.observation, axis=0)) == len(views)


def test_tables_that_are_over_are_shown_to_nobody() -> None:
    book: list[tuple[Any, Views]] = []
    players = Noting(Uniform(), book), Noting(LowestCard(), book)
    played = play_pairs(*players, RUBBER, 30)
    assert sum(len(views) for _, views in book) == 52 * played.deals.sum()


def test_agents_are_given_copies() -> None:
    class Vandal(LowestCard):
        def act(self, views: Views) -> npt.NDArray[Any]:
            chosen = super().act(views)
            for array in (views.observation, views.action_mask, views.random):
                array[:] = 1
            return chosen

    a, b = (play_pairs(p, Uniform(), DEAL, 30) for p in (LowestCard(), Vandal()))
    assert (a.results["tricks"] == b.results["tricks"]).all()


def test_the_first_pairs_are_the_same_however_many_follow() -> None:
    few = play_pairs(Uniform(), LowestCard(), DEAL, 20, seed=9)
    many = play_pairs(Uniform(), LowestCard(), DEAL, BLOCK + 44, seed=9)
    assert len(many) == BLOCK + 44
    assert (many.results["tricks"][:20] == few.results["tricks"]).all()
    later = many.results["tricks"][BLOCK:]
    assert (later != many.results["tricks"][:44]).any()


def test_chance_is_the_same_with_a_sequential_test_as_without() -> None:
    match = evaluate(
        Uniform(),
        LowestCard(),
        sprt=SequentialTest(-1e-6, 1e-6),
        deals=BLOCK + SMALL_BLOCK + 5,
        seed=9,
    )
    played = play_pairs(Uniform(), LowestCard(), DEAL, match.pairs, seed=9)
    assert match.pairs == BLOCK + SMALL_BLOCK + 5
    assert match.estimates == played.estimates()


def test_another_seed_gives_other_boards() -> None:
    one, other = (play_pairs(Uniform(), LowestCard(), DEAL, 50, s) for s in (1, 2))
    assert (one.results["tricks"] != other.results["tricks"]).any()


def test_no_board_is_one_that_training_with_the_same_seed_sees() -> None:
    book: list[tuple[Any, Views]] = []
    player = Noting(LowestCard(), book)
    play_pairs(player, player, DEAL, 100, seed=6)
    tables = whist_env.vector("whist", 100, seed=6, dtype=np.int8)
    batch = tables.reset()
    trained = set(
        hands_led_from(
            [
                (
                    None,
                    Views(
                        DEAL,
                        batch.observation,
                        batch.action_mask,
                        np.zeros(100, np.uint64),
                    ),
                )
            ]
        )
    )
    assert len(trained) == 100
    assert not trained & set(hands_led_from(book))


# Results ----------------------------------------------------------------------------


def test_results_are_those_of_the_rules() -> None:
    played = play_pairs(Uniform(), LowestCard(), DEAL, 300)
    tricks, points = played.results["tricks"], played.results["points"]
    assert (played.deals == 1).all()
    # Seven tricks are half a trick above an even share and the first odd trick.
    assert (points == np.sign(tricks) * np.minimum(abs(tricks) + 0.5, 7)).all()
    assert (abs(tricks) <= 6.5).all()
    assert (played.results["settlement"] == points).all()
    assert (played.results["won"] == np.sign(tricks) / 2).all()


def test_the_lowest_card_loses_to_random_play_by_far() -> None:
    evaluation = evaluate(LowestCard(), Uniform(), deals=600, seed=8)
    tricks = evaluation.estimates["tricks"]
    # Measured over 20000 pairs: -0.74.
    assert -0.90 < tricks.mean < -0.58
    assert tricks.mean / tricks.standard_error < -15
    assert tricks.high < -0.5
    assert tricks.p_value < 1e-9


def test_points_and_tricks_are_counted_by_the_deal_and_the_rest_by_the_rubber() -> None:
    evaluation = evaluate(Uniform(), LowestCard(), rubbers=100, seed=2)
    played = play_pairs(Uniform(), LowestCard(), RUBBER, 100, seed=2)
    assert evaluation.pairs == 100
    assert evaluation.deals == played.deals.sum()
    for name, unit in [("points", "deal"), ("settlement", "rubber"), ("won", "rubber")]:
        count = played.deals.sum() if unit == "deal" else 200
        mean = played.results[name].sum() / count
        assert evaluation.unit(name) == unit
        assert evaluation.estimates[name].mean == pytest.approx(mean)


def test_every_episode_is_won_by_one_or_even() -> None:
    evaluation = evaluate(Uniform(), LowestCard(), rubbers=60, scoring="robber")
    won, lost = evaluation.won
    assert won + lost + evaluation.even == 120
    assert evaluation.estimates["won"].mean == pytest.approx((won - lost) / 240)
    assert won > lost


def test_rubbers_of_whist_are_scored_as_short_whist_unless_told_otherwise() -> None:
    def scoring(**options: Any) -> Any:
        evaluation = evaluate(LowestCard(), LowestCard(), **options)
        return evaluation.options["episode"], evaluation.options["scoring"]

    assert scoring(rubbers=2) == ("rubber", "short5")
    assert scoring(rubbers=2, scoring="robber") == ("rubber", "robber")
    assert scoring(deals=2) == ("deal", "awl")


@pytest.mark.parametrize("many", [{"rubbers": 20}, {"deals": BLOCK + 20}])
def test_the_number_of_workers_changes_nothing(many: dict[str, int]) -> None:
    one = evaluate("random", "hoyle", seed=3, workers=1, **many)
    assert evaluate("random", "hoyle", seed=3, workers=2, **many) == one


def test_an_evaluation_survives_json() -> None:
    evaluation = evaluate(Uniform(), LowestCard(), rubbers=20, seed=12)
    assert Evaluation.from_json(evaluation.to_json()) == evaluation


def test_a_printed_table_says_how_it_can_be_repeated() -> None:
    evaluation = evaluate(Uniform(), LowestCard(), rubbers=20, seed=12)
    text = text_of(evaluation)
    assert "Uniform against LowestCard: 20 duplicate rubbers" in text
    for figures in evaluation.estimates.values():
        assert f"{figures.mean:+.3f}" in text
        assert f"{figures.low:+.3f} to {figures.high:+.3f}" in text
    assert "control, 20 pairs" in text
    assert "exactly 0 at each" in text
    assert "seed 12" in text
    assert f"whist_env {whist_env.__version__}" in text
    assert f"Rubbers won: Uniform {evaluation.won[0]}, LowestCard" in text


# The account ------------------------------------------------------------------------

needs_dds = pytest.mark.skipif(
    dds.library() is None,
    reason="DDS is not installed: pip install 'whist-env[solve]' (Python up to 3.13)",
)


def costs_of(evaluation: Evaluation) -> tuple[Costs, Costs]:
    assert evaluation.costs is not None
    for costs in evaluation.costs:
        assert costs.tricks == costs.par - costs.own + costs.others
        assert costs.own == sum(costs.by_role.values()) == sum(costs.by_kind.values())
        assert costs.by_role["lead"] == costs.by_kind["lead"]
    a, b = evaluation.costs
    assert (a.own, b.own) == (b.others, a.others)
    assert a.tricks + b.tricks == a.par + b.par == 13 * a.deals
    return a, b


@needs_dds
def test_the_tricks_of_a_match_are_par_less_own_costs_and_more_the_others() -> None:
    evaluation = evaluate(LowestCard(), "greedy", deals=20, account=True, seed=3)
    a, _ = costs_of(evaluation)
    played = play_pairs(LowestCard(), "greedy", DEAL, 20, seed=3)
    assert a.deals == 40
    assert a.tricks == played.results["tricks"].sum() + 6.5 * 40
    # Both held the same cards, so that only the costs tell them apart.
    assert a.par == 6.5 * 40
    assert a.own > a.others
    text = text_of(evaluation)
    assert "What the cards have cost in 40 deals" in text
    assert f"-{a.own / 40:.3f}" in text
    assert Evaluation.from_json(evaluation.to_json()) == evaluation


@needs_dds
@pytest.mark.parametrize(
    "match",
    [
        {"rubbers": 2, "scoring": "robber"},
        {"game": "bridge_whist", "deals": 4},
        {"game": "cayenne", "deals": 4},
        {"game": "dummy_whist", "players": 2, "deals": 4},
    ],
)
def test_rubbers_and_other_games_have_an_account_too(match: dict[str, Any]) -> None:
    evaluation = evaluate("random", "hoyle", account=True, **match)
    a, b = costs_of(evaluation)
    # A deal of Cayenne at nullo has no account.
    assert 4 <= a.deals <= evaluation.deals
    assert a.own > b.own


@needs_dds
def test_no_more_boards_are_judged_than_are_asked_for() -> None:
    def deals(number: int) -> int:
        match = evaluate(
            "random", "greedy", deals=8, account=True, account_deals=number
        )
        return costs_of(match)[0].deals

    assert [deals(1), deals(6), deals(7), deals(100)] == [2, 6, 8, 16]


@needs_dds
def test_the_command_line_prints_the_account(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = "evaluate random greedy --deals 8 --account --account-deals 5 --json"
    assert main(words.split()) == SUCCESS
    a, b = costs_of(Evaluation.from_json(capsys.readouterr().out))
    assert a.deals == b.deals == 6
    assert main("evaluate random greedy --deals 8 --account-deals 5".split()) == MISUSE


def test_an_account_that_cannot_be_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(error: type[Exception], message: str, **match: Any) -> None:
        with pytest.raises(error, match=message):
            evaluate("random", "random", deals=4, **match)

    solo = "for games of two sides .*: whist, dummy_whist, .* not for .*solo_whist"
    refused(ValueError, solo, game="solo_whist", account=True)
    refused(ValueError, "dummy_whist", game="dummy_whist", players=3, account=True)
    refused(ValueError, "only with account=True", account_deals=5)
    monkeypatch.setattr(dds, "library", lambda: None)
    refused(ImportError, r"needs DDS.*pip install 'whist-env\[solve\]'", account=True)


@needs_dds
def test_a_number_of_deals_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="account_deals=0 must be at least 1"):
        evaluate("random", "random", deals=4, account=True, account_deals=0)


# Errors -----------------------------------------------------------------------------


class Answering:
    """Answers with whatever a function makes of the views."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act(self, views: Views) -> Any:
        return self.answer(views)


def test_an_illegal_card_is_reported_with_the_agent_the_board_and_the_card() -> None:
    def wrong_on_the_very_last_board(views: Views) -> npt.NDArray[Any]:
        chosen = LowestCard().act(views)
        if len(views) == 3:
            chosen[-1] = views.action_mask[-1].argmin()
        return chosen

    # Seat 0 deals, so seat 1 leads, where B sits in the first room.
    game = whist_env.game("whist", dealer=0)
    b = Answering(wrong_on_the_very_last_board)
    with pytest.raises(IllegalAction) as caught:
        play_pairs(LowestCard(), b, game, BLOCK + 3)
    assert str(caught.value).startswith(
        f"agent 'Answering' on board {BLOCK + 2}: player_1 may not choose C"
    )
    assert "the hand does not hold" in str(caught.value)


@pytest.mark.parametrize("action", [52, -1, 1 << 40])
def test_a_number_that_is_no_action_is_refused(action: int) -> None:
    def answer(views: Views) -> npt.NDArray[Any]:
        return np.full(len(views), action)

    with pytest.raises(IllegalAction, match=f"board 0: .*{action} is not an action"):
        play_pairs(
            Answering(answer), LowestCard(), whist_env.game("whist", dealer=3), 4
        )


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (lambda views: np.zeros(len(views)), "float64 of shape"),
        (lambda views: np.zeros((len(views), 1), int), r"int64 of shape \(4, 1\)"),
        (lambda views: np.zeros(3, int), r"int64 of shape \(3,\)"),
        (lambda views: 7, r"int64 of shape \(\)"),
        (lambda views: None, "object"),
    ],
)
def test_an_answer_that_is_not_one_whole_number_a_view_is_refused(
    answer: Any, what: str
) -> None:
    with pytest.raises(
        ValueError, match=rf"agent 'Answering' .* boards 0 to 3 .*{what}"
    ):
        play_pairs(
            Answering(answer), LowestCard(), whist_env.game("whist", dealer=3), 4
        )


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"rubbers": 5, "deals": 5}, ValueError, "rubbers= or deals=, not both"),
        ({"rubbers": 1}, ValueError, "rubbers=1 must be at least 2"),
        ({"deals": 0}, ValueError, "deals=0 must be at least 2"),
        ({"deals": 2.5}, TypeError, "deals=2.5 must be a whole number"),
        ({"deals": 5, "workers": 0}, ValueError, "workers=0 must be at least 1"),
        ({"deals": 5, "seed": -1}, ValueError, "seed=-1 must not be negative"),
        ({"deals": 5, "episode": "game"}, ValueError, "episode= follows from"),
        ({"deals": 5, "scorin": "awl"}, TypeError, "did you mean 'scoring'"),
        ({"deals": 5, "game": "wist"}, ValueError, "did you mean 'whist'"),
        ({"rubbers": 5, "scoring": "awl"}, ValueError, "has no rubbers"),
        ({"rubbers": 5, "game": "polignac"}, ValueError, "has no rubbers; give deals="),
        ({"deals": 5, "workers": 2}, ValueError, "LowestCard is an object of this"),
    ],
)
def test_arguments_that_cannot_be_are_refused(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        evaluate(LowestCard(), LowestCard(), **arguments)


def test_an_unknown_agent_is_refused() -> None:
    with pytest.raises(ValueError, match="hoile"):
        evaluate("hoile", "random", deals=4)


def test_without_partners_every_other_seat_is_one_agents() -> None:
    alone = dataclasses.replace(RULES, partners=((0,), (1,), (2,), (3,)))
    by_two = play_pairs(LowestCard(), "random", DEAL, 20)
    by_four = play_pairs(LowestCard(), "random", Game(alone, DEAL.options), 20)
    for name, result in by_two.results.items():
        assert (by_four.results[name] == result).all()


def test_a_run_is_judged_as_it_stood_and_its_file_is_recorded(tmp_path: Path) -> None:
    from whist_agents.net import PolicyNetwork, save_policy
    from whist_agents.sight import sight

    game = whist_env.game("whist")
    checkpoint = tmp_path / "checkpoints" / "iteration_00000001"
    checkpoint.mkdir(parents=True)
    (tmp_path / "latest").write_text("checkpoints/iteration_00000001")
    file = checkpoint / "model.safetensors"
    save_policy(file, PolicyNetwork(sight(game, advised=False), (8,)), {})
    result = evaluate(f"net:{tmp_path}", "random", deals=4)
    assert result.agents == (f"net:{tmp_path}", "random")
    assert result.players == (f"net:{file}", "random")
    assert type(result).from_json(result.to_json()) == result


def test_what_is_no_agent_is_refused() -> None:
    with pytest.raises(TypeError, match="5 is not an agent"):
        evaluate("random", 5, deals=4)  # type: ignore[arg-type]


def test_what_could_be_asked_in_two_ways_is_given_no_tables() -> None:
    for oracles in (False, True):
        with pytest.raises(ValueError, match=r"has both act\(views\) and act_on"):
            play_pairs("faulty_agents:BothWays", "random", DEAL, 2, oracles=oracles)
        with pytest.raises(ValueError, match="BothWays has both act"):
            play_pairs("random", BothWays(), DEAL, 2, oracles=oracles)


def test_what_was_let_in_as_a_player_is_never_given_tables() -> None:
    class Turns(LowestCard):
        """Says that it sees all hands once it has been let in."""

        def act(self, views: Views) -> npt.NDArray[Any]:
            self.act_on = pytest.fail
            return super().act(views)

    turned = play_pairs(Turns(), "random", DEAL, 300)
    expected = play_pairs(LowestCard(), "random", DEAL, 300)
    assert (turned.results["tricks"] == expected.results["tricks"]).all()


@pytest.mark.parametrize("workers", [1, 2])
def test_an_agent_that_ends_the_process_is_reported(
    workers: int, capsys: pytest.CaptureFixture[str]
) -> None:
    words = f"evaluate faulty_agents:Exits random --deals 20 --workers {workers}"
    assert main(words.split()) == 1
    error = capsys.readouterr().err
    assert "'faulty_agents:Exits' tried to end the evaluation by SystemExit(3)" in error


@pytest.mark.parametrize(
    ("agent", "cause"), [("Raises", RuntimeError), ("Speaks", ValueError)]
)
def test_an_agent_that_raises_is_named_with_its_boards(
    agent: str, cause: type[Exception]
) -> None:
    with pytest.raises(AgentError) as caught:
        play_pairs(f"faulty_agents:{agent}", "random", DEAL, 20)
    assert re.match(
        rf"agent 'faulty_agents:{agent}' failed on boards \d+ to \d+: "
        rf"{cause.__name__}: ",
        str(caught.value),
    )
    assert type(caught.value.__cause__) is cause


def test_agents_that_may_have_ended_a_process_are_named() -> None:
    with pytest.raises(RuntimeError, match="one of 'faulty_agents:KillsAll', 'random'"):
        evaluate("faulty_agents:KillsAll", "random", deals=4, workers=2)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_agent_of_a_module_does_not_remember_the_other_room(workers: int) -> None:
    played = evaluate("faulty_agents:Remembers", "random", deals=6, workers=workers)
    expected = evaluate("faulty_agents:First", "random", deals=6)
    assert played.estimates == expected.estimates
    assert played.control.unequal == 0


@pytest.mark.parametrize(
    "options", [{"history": "last_trick"}, {"shuffle": "gather_and_cut", "deals": 2}]
)
def test_players_that_imagine_hands_are_refused_where_they_cannot(
    options: dict[str, Any],
) -> None:
    game = whist_env.game("whist", **options)
    with pytest.raises(ValueError, match=r"pimc:samples=1 imagines hands, .*take"):
        play_pairs("random", "pimc:samples=1", game, 2)
    assert len(play_pairs("random", "hoyle", game, 2)) == 2
