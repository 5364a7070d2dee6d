"""How fast tables are stepped on a GPU, and one iteration of training there.

    pip install -e ".[cuda,torch]"
    python benchmarks/gpu.py [GAME]

Takes about a minute on a machine with an NVIDIA GPU, most of it to compile. It prints

* for 4 thousand to 1 million tables how many actions a second are taken, all of them
  uniformly random, with int8 observations and action masks; and how many bytes of
  observations, masks, agents, rewards and ends are written for it, beside what the
  memory of the GPU can take: the bytes written a second when a large array is copied;
* the time of one iteration of PPO that never leaves the GPU: all tables play an episode
  of Whist's length by the policy, a critic judges, both learn from every decision.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import time
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

import whist_env
from whist_agents.net import Network, masked
from whist_env import Batch, CudaTables, Game

DEVICE = "cuda"
SIZES = (4096, 16384, 65536, 262144, 1048576)
COPIED = 1 << 30
"""Bytes of the array that is copied to measure the memory."""
TABLES, PLIES = 16384, 52
"""Of the iteration of training."""
HIDDEN = (256, 256)
EPOCHS, MINIBATCH, CLIP, LEARNING_RATE = 2, 32768, 0.2, 1e-3


def seconds_of(work: Callable[[], object]) -> float:
    """The time of some work on the GPU, to its very end."""
    torch.cuda.synchronize()
    begun = time.perf_counter()
    work()
    torch.cuda.synchronize()
    return time.perf_counter() - begun


def repeated(work: Callable[[], object], seconds: float = 1.0) -> float:
    """The mean time of some work that is repeated for about so many seconds."""
    work()
    once = seconds_of(work)
    times = max(3, int(seconds / once))

    def repeat() -> None:
        for _ in range(times):
            work()

    return seconds_of(repeat) / times


# Random play ------------------------------------------------------------------------


def bytes_of(batch: Batch) -> int:
    """The bytes that a step writes for whoever learns from it."""
    arrays = [getattr(batch, field.name) for field in dataclasses.fields(Batch)]
    return sum(math.prod(array.shape) * array.dtype.itemsize for array in arrays)


def bytes_copied_a_second() -> float:
    source = torch.zeros(COPIED, dtype=torch.int8, device=DEVICE)
    target = torch.empty_like(source)
    return COPIED / repeated(lambda: target.copy_(source))


def report_steps(game: Game) -> None:
    memory = bytes_copied_a_second()
    print(f"{memory / 1e9:,.0f} GB written a second when a large array is copied\n")
    print("   tables   actions/s   written GB/s   of a copy")
    for size in SIZES:
        # Seeds in order are quickly made; the stream of each is its hash.
        seeds = np.arange(size, dtype=np.uint64)
        tables = CudaTables(game, size, seeds, dtype=np.int8)
        batch = tables.reset()
        actions = tables.sample_actions()

        def step(tables: CudaTables = tables, actions: object = actions) -> None:
            tables.step(tables.sample_actions(actions))

        taken = repeated(step)
        written = bytes_of(batch) / taken
        print(
            f"{size:>9,} {size / taken:>11,.0f} {written / 1e9:>14,.1f} "
            f"{written / memory:>11.1%}"
        )


# Training ---------------------------------------------------------------------------


class Learner:
    """PPO with every hand open to its critic and returns that are summed to the end."""

    def __init__(self, game: Game) -> None:
        torch.manual_seed(0)
        self.tables = CudaTables(game, TABLES, 0, dtype=np.int8)
        self.batch = self.tables.reset()
        self.size = game.features.size
        self.policy = Network(game.features, HIDDEN, game.num_actions).to(DEVICE)
        self.critic = Network(game.state_features, HIDDEN, 1).to(DEVICE)
        parameters = [*self.policy.parameters(), *self.critic.parameters()]
        self.optimiser = torch.optim.Adam(parameters, LEARNING_RATE)
        shape, states = (PLIES, TABLES), game.state_features.size
        self.states = torch.empty((*shape, states), dtype=torch.int8, device=DEVICE)
        self.masks = torch.empty(
            (*shape, game.num_actions), dtype=torch.int8, device=DEVICE
        )
        self.actions = torch.empty(shape, dtype=torch.int64, device=DEVICE)
        self.agents = torch.empty_like(self.actions)
        self.chosen = torch.empty(shape, device=DEVICE)
        self.rewards = torch.empty((*shape, game.num_agents), device=DEVICE)
        self.ends = torch.empty(shape, dtype=torch.bool, device=DEVICE)

    @torch.no_grad()
    def play(self) -> None:
        """An action a ply at every table, drawn from the policy."""
        batch = self.batch
        mask, agent, rewards, done = (
            torch.as_tensor(array, device=DEVICE)
            for array in (batch.action_mask, batch.agent, batch.rewards, batch.done)
        )
        observation = torch.as_tensor(batch.observation, device=DEVICE)
        for ply in range(PLIES):
            self.tables.state(self.states[ply])
            self.masks[ply] = mask
            self.agents[ply] = agent
            logits = masked(self.policy(observation), mask).log_softmax(1)
            action = (logits - torch.empty_like(logits).exponential_().log()).argmax(1)
            self.actions[ply] = action
            self.chosen[ply] = logits.gather(1, action[:, None])[:, 0]
            self.tables.step(action)
            self.rewards[ply] = rewards
            self.ends[ply] = done

    @torch.no_grad()
    def returns(self) -> Tensor:
        """What each decision's player earned from it to the end of its episode."""
        to_come = torch.zeros_like(self.rewards[0])
        earned = torch.empty_like(self.chosen)
        for ply in reversed(range(PLIES)):
            to_come = self.rewards[ply] + to_come * ~self.ends[ply, :, None]
            earned[ply] = to_come.gather(1, self.agents[ply, :, None])[:, 0]
        return earned

    def learn(self) -> None:
        """Gradient steps on every decision that left a choice."""
        free = self.masks.flatten(0, 1).sum(1) > 1
        states, masks, actions, chosen, earned = (
            rows.flatten(0, 1)[free]
            for rows in (
                *(self.states, self.masks, self.actions, self.chosen),
                self.returns(),
            )
        )
        for _ in range(EPOCHS):
            for rows in torch.randperm(len(states), device=DEVICE).split(MINIBATCH):
                self.improve(
                    *(states[rows], masks[rows], actions[rows]),
                    *(chosen[rows], earned[rows]),
                )

    def improve(
        self,
        states: Tensor,
        masks: Tensor,
        actions: Tensor,
        chosen: Tensor,
        earned: Tensor,
    ) -> None:
        values = self.critic(states)[:, 0]
        advantages = (earned - values).detach()
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        logits = masked(self.policy(states[:, : self.size]), masks).log_softmax(1)
        ratio = (logits.gather(1, actions[:, None])[:, 0] - chosen).exp()
        clipped = ratio.clamp(1 - CLIP, 1 + CLIP)
        gain = torch.minimum(ratio * advantages, clipped * advantages).mean()
        loss = (earned - values).square().mean() - gain
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()


def report_training(game: Game) -> None:
    learner = Learner(game)
    learner.play()
    learner.learn()
    playing, learning = seconds_of(learner.play), seconds_of(learner.learn)
    decisions = TABLES * PLIES
    print(f"\none iteration of PPO, {TABLES:,} tables, {PLIES} actions at each")
    print(f"{decisions / (playing + learning):>12,.0f} actions a second in all")
    print(f"{playing:>12.2f} s to play, {decisions / playing:,.0f} actions a second")
    print(f"{learning:>12.2f} s to learn from it, {EPOCHS} times over")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game", nargs="?", default="whist")
    game = whist_env.game(parser.parse_args().game)
    if not torch.cuda.is_available():
        raise SystemExit("this benchmark needs an NVIDIA GPU, and torch finds none")
    print(f"{game.name} on {torch.cuda.get_device_name()}")
    report_steps(game)
    report_training(game)


if __name__ == "__main__":
    main()
