"""Gradient steps, as every algorithm takes them, in one process or in several."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from whist_train import parallel


def check_count(name: str, number: object) -> None:
    """Refuse what is no whole number of things.

    Raises:
        ValueError: it is not a whole number from 1.
    """
    if not isinstance(number, int) or number < 1:
        raise ValueError(f"{name}={number!r} must be at least 1, and a whole number")


def improve(
    step: Callable[..., dict[str, float]],
    data: Sequence[Tensor],
    *,
    epochs: int,
    minibatch: int,
    order: torch.Generator,
) -> dict[str, float]:
    """Take gradient steps on all decisions in random order.

    Args:
        step: takes one gradient step on the rows it is given; returns its figures.
        data: tensors of one row for each decision.
        epochs: passes over the decisions.
        minibatch: decisions in a gradient step.
        order: where the order of the decisions is drawn from.

    Returns:
        The means of the figures of all steps, and the number of ``decisions``; over
        all processes.

    Raises:
        FloatingPointError: the figures are no longer finite numbers.
        ValueError: there is no decision to learn from.
    """
    size, device = len(data[0]), data[0].device
    # All processes take as many steps as that with the fewest decisions has.
    steps = parallel.least(math.ceil(size / minibatch))
    if not steps:
        raise ValueError(
            "an iteration had no decision with a choice; take more tables, or more "
            "plies of each"
        )
    sums: dict[str, float] = {}
    for _ in range(epochs):
        shuffled = torch.randperm(size, generator=order).to(device)
        for rows in torch.split(shuffled, minibatch)[:steps]:
            for name, value in step(*(part[rows] for part in data)).items():
                sums[name] = sums.get(name, 0.0) + value
    means = {name: value / (epochs * steps) for name, value in sums.items()}
    means = parallel.mean(means)
    if not all(map(math.isfinite, means.values())):
        raise FloatingPointError(f"training has diverged: {means}")
    return means | parallel.total({"decisions": float(size)})


def descend(
    loss: Tensor,
    optimiser: torch.optim.Optimizer,
    networks: Sequence[nn.Module],
    gradient_norm: float,
) -> None:
    """Take a step down the gradient, which is the mean over all processes.

    Args:
        loss: the loss of this process.
        optimiser: of all parameters of the networks.
        networks: what is improved.
        gradient_norm: the largest norm of the gradient of each network.
    """
    optimiser.zero_grad()
    torch.autograd.backward(loss)
    parallel.average_gradients(p for n in networks for p in n.parameters())
    for network in networks:
        nn.utils.clip_grad_norm_(network.parameters(), gradient_norm)
    optimiser.step()


def set_learning_rate(optimiser: torch.optim.Optimizer, rate: float) -> None:
    """The learning rate of the steps to come."""
    for group in optimiser.param_groups:
        group["lr"] = rate
