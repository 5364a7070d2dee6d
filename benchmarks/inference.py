"""How much the play so far tells of hidden hands, by how networks are softened.

    pip install -e .[torch]
    python benchmarks/inference.py [--game whist] [--player hoyle] [--deals 40]

An agent plays deals with itself. At some of its decisions, chosen at random after the
first six cards, worlds are drawn, the true one is added to them, and all are weighed by
the network of the package, with its logits divided by each of several heats. Printed
are the mean of the logarithm of what the true world weighs, as a multiple of what it
would weigh if all weighed the same, with the standard error of a mean over deals; and
how many worlds of equal weight the weights are worth. Above 0 the network tells more
than nothing.

The weights are taken as PIMC takes them: made more even where fewer worlds than a fifth
would count.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from unittest import mock

import numpy as np

import whist_agents
import whist_env
from whist_agents.search import inference
from whist_agents.search.inference import NetworkPolicy, tempered, weights
from whist_agents.search.pimc import CANDIDATES
from whist_env import Game, Player, Table, Worlds
from whist_env.envs.play import ask

HEATS = (1, 2, 4, 8, 16, 32, 64)
WORLDS = 100
PART = 0.1
"""The part of the decisions at which worlds are weighed."""


def positions(
    game: Game, player: Player, deals: int, seed: int
) -> Iterator[tuple[int, Table]]:
    """Deals, by number, and positions in them, of an agent that plays with itself."""
    chance = np.random.default_rng(seed)
    for deal in range(deals):
        table = game.new_table(seed=(seed << 32) + deal)
        while not table.is_over:
            has_choice = len(table.legal_actions()) > 1
            begun = table.record.cards_played >= 6
            if has_choice and begun and chance.random() < PART:
                yield deal, table
            table.apply(ask(player, table, int(chance.integers(2**63))))


def gained(policy: NetworkPolicy, table: Table, seed: int) -> tuple[float, float]:
    """The logarithm of what the true world weighs, and how many worlds count."""
    worlds = Worlds(table).sample(WORLDS, seed)
    worlds = np.concatenate([worlds, table.record.reshape(1)])
    shares = tempered(weights(policy, table, worlds), WORLDS // CANDIDATES)
    return math.log(shares[-1] * len(shares)), float(1 / np.square(shares).sum())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", default="whist")
    parser.add_argument("--player", default="hoyle", help="the spec of who plays")
    parser.add_argument("--deals", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    game = whist_env.game(arguments.game)
    policy = NetworkPolicy(inference.HOUSE)
    found: dict[int, list[tuple[float, float]]] = {heat: [] for heat in HEATS}
    deals: list[int] = []
    player = whist_agents.load(arguments.player)
    asked = positions(game, player, arguments.deals, arguments.seed)
    for number, (deal, table) in enumerate(asked):
        deals.append(deal)
        for heat, pairs in found.items():
            with mock.patch.object(inference, "HEAT", float(heat)):
                pairs.append(gained(policy, table, number))
    print(f"{len(found[HEATS[0]])} positions of {arguments.game} by {arguments.player}")
    print("heat   true world   standard error   worlds that count")
    for heat, pairs in found.items():
        logs, counts = np.array(pairs).T
        # Positions of a deal are alike.
        above = np.bincount(deals, logs - logs.mean())
        error = math.sqrt(np.square(above).sum()) / len(logs)
        print(
            f"{heat:4}   {logs.mean():+10.3f}   {error:14.3f}   {counts.mean():17.1f}"
        )


if __name__ == "__main__":
    main()
