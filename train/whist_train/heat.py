"""Values turned into chances.

A network that was fitted to what actions are worth plays the best of them as it is. As
a policy that draws actions with the chances of its outputs it would play nearly at
random, as two actions seldom differ by more than some hundredths of what a deal brings.
Divided by a heat, its outputs give the better action the better chance.
"""

from __future__ import annotations

import copy
from typing import Any, Final

import numpy.typing as npt
import torch
from torch import Tensor, nn

from whist_agents.net import PolicyNetwork, are_calls, masked
from whist_env.cards import CARDS
from whist_train import parallel

ENTROPY: Final = (0.25, 0.1)
"""The mean entropy of cards and of calls, in nats, with which a policy explores."""


def heated(
    policy: PolicyNetwork, rows: npt.NDArray[Any], masks: npt.NDArray[Any]
) -> PolicyNetwork:
    """A copy of a network whose mean entropy is `ENTROPY`, and which prefers the same.

    Several processes call it together, each with decisions of its own, and are given
    the same.

    Args:
        policy: the network.
        rows: decisions as it sees them, ``(len, sight.features.size)`` int8.
        masks: which actions are legal, ``(len, num_actions)`` int8.
    """
    policy = copy.deepcopy(policy)
    device = policy.scale.device
    with torch.inference_mode():
        outputs = policy(torch.from_numpy(rows).to(device))
        logits = masked(outputs, torch.from_numpy(masks).to(device))
    calls = torch.from_numpy(are_calls(masks)).to(device)
    last = policy.layers[-1]
    assert isinstance(last, nn.Linear)
    places = torch.arange(last.out_features, device=device)
    gives_calls = (places >= CARDS) & (places < last.out_features - CARDS)
    for kind, those in enumerate((~calls, calls)):
        heat = _heat_of_all(logits[those], ENTROPY[kind])
        if heat is None:
            continue
        given = gives_calls if kind else ~gives_calls
        with torch.no_grad():
            last.weight[given] /= heat
            last.bias[given] /= heat
            policy.trust[kind] /= heat
    return policy


def _heat_of_all(logits: Tensor, entropy: float) -> float | None:
    """The mean heat over all processes that have such decisions; None if none has."""
    heat = heat_for(logits, entropy) if len(logits) else 0.0
    sums = parallel.total({"heat": heat, "processes": float(len(logits) > 0)})
    return sums["heat"] / sums["processes"] if sums["processes"] else None


def heat_for(logits: Tensor, entropy: float) -> float:
    """By what to divide logits so that their mean entropy is this, in nats."""
    low, high = -12.0, 12.0
    for _ in range(30):
        middle = (low + high) / 2
        spread = (logits / 2.0**middle).log_softmax(1)
        found = -(spread.exp() * spread).sum(1).mean().item()
        low, high = (middle, high) if found < entropy else (low, middle)
    return float(2.0**low)
