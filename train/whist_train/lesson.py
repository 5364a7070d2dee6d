"""Lessons before self-play: what is each action worth if all play on by rules of thumb?

The rule-of-thumb player plays at many tables, now and then any card at random. At
some of its decisions legal actions are tried at the table as it is, and the deal is
played out by rules of thumb. What the player earned by each is a fair sample of what
the action is worth to somebody who does not see the hidden cards; the policy is fitted
to very many such samples. To take the best action by it is one step of policy
improvement (Tesauro and Galperin 1996, "On-line Policy Improvement using Monte-Carlo
Search"), with the means over the hidden cards learnt once and not drawn anew for each
decision.

Where all that was tried brought the same, nothing is to be learnt: such decisions, more
than half of all in Whist, are left out. What is learnt is then what actions are worth
where the choice mattered. Where all legal actions are tried, every difference between
two of them is divided by the chance that it does, the same for both, and the best stays
the best; where only some are (`TRIED`), the chance depends a little on which, but the
sign of what an action is worth above the advised one, always tried, does not.

Samples are noisy, and an action that looks a little better than the advised one often
is not. So a policy that takes advice departs from it only for an action that looks
better by a margin. Every lesson is scored before it is learnt, as an exam on positions
never seen: the margin that would have gained most is taken, and what it gains a
decision is the figure to watch.

A sample that is repeated soon is learnt by heart, noise and all. So for the first part
of the time every lesson is learnt once, as it comes; only when there are very many of
them are they revised, all in random order. From then on the policy itself plays at half
the seats: where its own bids lead, the rule-of-thumb player never was (Ross and Bagnell
2014, "Reinforcement and Imitation Learning via Interactive No-Regret Learning").
"""

from __future__ import annotations

import copy
import dataclasses
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from whist_agents.hoyle import HoyleAgent
from whist_agents.net import FORBIDDEN, NetAgent, PolicyNetwork, are_calls, masked
from whist_agents.search import compiled
from whist_agents.search.loops import HOYLE
from whist_agents.sight import BY_PLACE, Sight
from whist_env import Game, Player, Tables, Views
from whist_train import parallel
from whist_train.descent import descend, set_learning_rate
from whist_train.heat import heated

_Array = npt.NDArray[Any]

TABLES: Final = 1024
LABELS: Final = 32_768
"""Decisions in a lesson, such as mattered."""
SHARES: Final = (0.1, 0.3)
"""How often others than the card chosen are tried, at least and at most. With a call
they always are, as much depends on it; between these bounds as many cards are tried as
calls."""
PLIES: Final = 200
"""How long a game is watched to see how many of its decisions are calls."""
RANDOM: Final = 0.1
"""How often any card is played, so that mistakes are seen as well. Not so with calls: a
mad bid may cost hundreds of times more than any card."""
TRIED: Final = 8
"""The most actions that are tried; more decisions teach more than more actions."""

KEPT: Final = 512
"""The last lessons of all processes, which are revised; more are forgotten."""
REVISION: Final = 0.5
"""The part of the lessons before any are revised, and before the policy plays."""
REVISED: Final = 8
"""How many lessons are revised with each that is new, from then on."""
MINIBATCH: Final = 2048
LEARNING_RATE: Final = 3e-3
GRADIENT_NORM: Final = 1.0
WEIGHT_DECAY: Final = 0.1
BEHIND: Final = 0.5
"""What looks so much worse than the best action, in units of value, counts half."""
DROPOUT: Final = 0.1
"""The part of the pupil's hidden units that is left out of each step."""
AVERAGE: Final = 0.998
"""What the mean of the steps so far counts for when one is added."""

KINDS: Final = ("card", "call")
"""The kinds of decisions, which differ in how much depends on them."""
MARGINS: Final = (0.0, 0.0125, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
"""By how much an action must look better than the advised one, in units of value."""
EXAMS: Final = 5
"""About the last so many exams decide the margin ..."""
EXAMS_PART: Final = 0.2
"""... or this part of all so far, if that is more."""
EVERY: Final = 4
"""One in so many decisions of the newest lesson tells the heat of the policy."""


@dataclasses.dataclass
class Labels:
    """Decisions that mattered and what each action brought, as the network sees them.

    Attributes:
        rows: ``(len, sight.features.size)`` int8.
        masks: which actions are legal, ``(len, num_actions)`` int8.
        tried: which of them have been tried, ``(len, num_actions)`` int8.
        values: what each of those earned in units of value, by canonical action;
            ``(len, num_actions)`` float32.
        thumbs: the canonical actions of the rule-of-thumb player, ``(len,)`` int64.
        actions: what was done at all tables, ``(plies, TABLES)`` uint8.
        mattered: for each decision at which actions were tried, in order, whether it is
            among these; uint8.
    """

    rows: npt.NDArray[np.int8]
    masks: npt.NDArray[np.int8]
    tried: npt.NDArray[np.int8]
    values: npt.NDArray[np.float32]
    thumbs: npt.NDArray[np.int64]
    actions: npt.NDArray[np.uint8]
    mattered: npt.NDArray[np.uint8]

    @property
    def values_found(self) -> npt.NDArray[np.float16]:
        """The values of all actions that were tried, one decision after the other."""
        found: _Array = self.values[self.tried == 1]
        return found.astype(np.float16)


@dataclasses.dataclass
class Note:
    """What is needed to make a lesson again without trying anything.

    Attributes:
        begun: the state of the labeller before it.
        values: what `Labels.values_found` gave.
        actions: as in `Labels`.
        mattered: as in `Labels`.
    """

    begun: bytes
    values: npt.NDArray[np.float16]
    actions: npt.NDArray[np.uint8]
    mattered: npt.NDArray[np.uint8]


class Labeller:
    """Plays as it is told to and tries what else could have been done.

    Attributes:
        number: how many lessons have been made.
    """

    def __init__(self, seen: Sight, scale: float, seed: int) -> None:
        """A labeller before its first lesson.

        Args:
            seen: what the network sees.
            scale: the reward that counts as 1.
            seed: of the deals, of the random actions and of what is labelled.
        """
        game = seen.game
        self.number = 0
        self._sight = seen
        self._unit = game.rules.unit * scale
        self._seed = seed
        self._hoyle = HoyleAgent()
        self._tables = Tables(game, TABLES, seed, dtype=np.int8)
        self._tables.reset()
        self._share = _share_of_cards(game, seed)
        self._threads = ThreadPoolExecutor(torch.get_num_threads())

    def lesson(
        self, player: Player | None = None, known: Note | None = None
    ) -> tuple[Labels, int]:
        """The next lesson, and how many deals were played to the end for it.

        Args:
            player: who plays at half the seats; the rule-of-thumb player plays at the
                others, and at these too if nobody is named.
            known: what was noted of it, if it has been made before; then nothing is
                tried again, and nobody asked.
        """
        chance = np.random.default_rng((self._seed, self.number))
        parts: list[tuple[_Array, ...]] = []
        played: list[_Array] = []
        mattered: list[_Array] = []
        made = asked = deals = 0
        batch = self._tables.look()
        while made < LABELS:
            bits = chance.integers(0, 2**64, TABLES, dtype=np.uint64)
            views = Views(self._sight.game, batch.observation, batch.action_mask, bits)
            thumbs = self._hoyle.act(views)
            calls = are_calls(batch.action_mask)
            chosen = calls | (chance.random(TABLES) < self._share)
            at = np.flatnonzero(chosen & (batch.action_mask.sum(1) > 1))
            tried = _some(batch.action_mask[at], thumbs[at], chance)
            if known is None:
                values = self._values(at, tried)
                matters = _differ(values, tried)
            else:
                values = np.zeros(tried.shape, np.int64)
                matters = known.mattered[asked : asked + len(at)] == 1
            # Those after the last that there is room for are as if never asked.
            rows = np.flatnonzero(matters)[: LABELS - made]
            made += len(rows)
            if made == LABELS:
                matters = matters[: rows[-1] + 1]
            asked += len(matters)
            mattered.append(matters.astype(np.uint8))
            at, tried, values = at[rows], tried[rows], values[rows]
            observation, mask = batch.observation[at], batch.action_mask[at]
            parts.append(self._seen(observation, mask, tried, values, thumbs[at]))
            actions = self._actions(batch.agent, views, thumbs, chance, player)
            if known is not None:
                actions = known.actions[len(played)]
            played.append(actions.astype(np.uint8))
            batch = self._tables.step(actions)
            deals += int(batch.done.sum())
        self.number += 1
        whole = [np.concatenate(part) for part in zip(*parts, strict=True)]
        labels = Labels(*[*whole, np.stack(played), np.concatenate(mattered)])
        if known is not None:
            labels.values[labels.tried == 1] = known.values
        return labels, deals

    def _actions(
        self,
        agents: _Array,
        views: Views,
        thumbs: _Array,
        chance: np.random.Generator,
        player: Player | None,
    ) -> _Array:
        """What is done: what is advised or the player does, now and then any card."""
        wanders = chance.random(TABLES) < RANDOM
        wanders &= ~are_calls(views.action_mask)
        actions = np.where(wanders, self._tables.sample_actions(), thumbs)
        if player is not None:
            asked = np.flatnonzero(_in_its_seat(agents) & ~wanders)
            observation, mask = views.observation[asked], views.action_mask[asked]
            some = Views(views.game, observation, mask, views.random[asked])
            actions[asked] = player.act(some)
        return actions

    def _seen(
        self,
        observation: _Array,
        mask: _Array,
        tried: _Array,
        values: _Array,
        thumbs: _Array,
    ) -> tuple[_Array, ...]:
        """What `Labels` holds of some decisions."""
        seen = self._sight
        orders = seen.orders(observation)
        return (
            seen.observation(observation, mask, orders),
            seen.mask(mask, orders),
            seen.mask(tried, orders),
            seen.by_action((values / self._unit).astype(np.float32), orders),
            seen.canonical_action(thumbs, orders),
        )

    def _values(self, at: _Array, tried: _Array) -> npt.NDArray[np.int64]:
        """What actions earn at some of the tables, in units of the record."""
        game = self._sight.game
        records = self._tables.records[at]
        earned = np.zeros((len(at), game.num_actions), np.int64)
        no_chance = np.uint64(0)
        value_all = compiled.value_all(game.rules)

        def value(rows: _Array) -> None:
            desk = compiled.Desk(game)
            here = np.zeros((len(rows), game.num_actions), np.int64)
            part = records[rows].view(np.uint8).reshape(-1)
            value_all(part, HOYLE, no_chance, tried[rows], *desk.room, here)
            earned[rows] = here

        parts = np.array_split(np.arange(len(at)), torch.get_num_threads())
        list(self._threads.map(value, parts))
        return earned

    def to_bytes(self) -> bytes:
        """What `restore` needs to make the same lessons from here on."""
        return self._tables.to_bytes()

    def restore(self, number: int, saved: bytes) -> None:
        """Go back to where a number of lessons had been made."""
        self.number = number
        self._tables.restore(saved)


class Lessons:
    """Fits a policy to one lesson after the other.

    A pupil takes the gradient steps, and the policy is the mean of what the pupil was
    lately (Polyak and Juditsky 1992): samples are noisy, and so is every single step.
    """

    def __init__(
        self,
        policy: PolicyNetwork,
        *,
        scale: float,
        seed: int,
        precision: torch.autocast,
    ) -> None:
        """Lessons before the first.

        Args:
            policy: the network to teach.
            scale: the reward that counts as 1.
            seed: of all chance.
            precision: the context in which networks compute.
        """
        self._policy = policy
        self._greedy = NetAgent(policy)
        self._device = policy.scale.device
        self._precision = precision
        self._pupil = copy.deepcopy(policy)
        self._optimiser = torch.optim.AdamW(
            self._pupil.parameters(), eps=1e-5, weight_decay=WEIGHT_DECAY, fused=True
        )
        self._steps = 0
        self._seed = seed
        self._labeller = Labeller(policy.sight, scale, seed)
        self._order = torch.Generator().manual_seed(seed)
        kept = max(1, KEPT // parallel.processes())
        self._notes: deque[Note] = deque(maxlen=kept)
        self._shelf = _Shelf(policy.sight, kept)
        self._newest: Labels | None = None
        self._margins = MARGINS if policy.sight.advised else MARGINS[:1]
        self._gains = np.zeros((len(KINDS), len(self._margins)))

    def teach(self, part: float) -> dict[str, float]:
        """Hold an exam on the next lesson, then learn it with those before.

        Args:
            part: the part of the lessons that is behind, 0 to 1.

        Returns:
            Figures by name: ``gain`` is what the policy earns more than the
            rule-of-thumb player by departing from it in a single decision, in units of
            value, with ``gain_error``, its standard error.

        Raises:
            FloatingPointError: the loss is no longer a finite number.
        """
        begun = self._labeller.to_bytes()
        player = self._greedy if part >= REVISION else None
        with self._precision:
            fresh, deals = self._labeller.lesson(player)
        figures = self._exam(fresh)
        self._keep(begun, fresh)
        set_learning_rate(self._optimiser, LEARNING_RATE * (1 - 0.97 * part))
        chosen = self._shelf.draw(REVISED if part >= REVISION else 0, self._order)
        with torch.random.fork_rng():
            # What is left out of a step depends on the number of the lesson alone.
            torch.manual_seed(self._seed + self._labeller.number)
            losses = [self._step(at) for at in torch.split(chosen, MINIBATCH)]
        figures |= parallel.mean({"lesson_loss": sum(losses) / len(losses)})
        if not np.isfinite(figures["lesson_loss"]):
            raise FloatingPointError(f"training has diverged: {figures}")
        figures |= parallel.total({"decisions": float(len(fresh.mattered))})
        return figures | {"deals": float(deals)}

    def _keep(self, begun: bytes, labels: Labels) -> None:
        self._newest = labels
        found, deeds = labels.values_found, labels.actions
        self._notes.append(Note(begun, found, deeds, labels.mattered))
        self._shelf.put(self._labeller.number - 1, labels)

    def _exam(self, fresh: Labels) -> dict[str, float]:
        """What each margin gains on decisions never seen; takes the best on average.

        Cards and calls have a margin each.
        """
        logits = self._logits(fresh)
        at = np.arange(len(logits))
        thumbs = fresh.values[at, fresh.thumbs]
        weights = _chance_against(fresh)
        gains = np.empty((len(self._margins), len(at)), np.float32)
        for number, margin in enumerate(self._margins):
            preferred = logits.copy()
            preferred[at, fresh.thumbs] += margin
            chosen = preferred.argmax(1)
            gains[number] = (fresh.values[at, chosen] - thumbs) * weights
            gains[number] *= fresh.tried[at, chosen]
        calls = are_calls(fresh.masks)
        gained = np.zeros(len(at), np.float32)
        figures = {}
        for kind, rows in enumerate((~calls, calls)):
            best = self._best_margin(kind, gains[:, rows])
            gained[rows] = gains[best, rows]
            if rows.any():
                figures[f"{KINDS[kind]}_margin"] = self._margins[best]
        return _mean_and_error(gained, len(fresh.mattered)) | figures

    def _best_margin(self, kind: int, gains: _Array) -> int:
        """The number of the margin that has gained most in the last exams.

        Args:
            kind: of decisions: cards or calls.
            gains: what each margin gains at each decision of the kind.
        """
        sums = {str(number): float(gain.sum()) for number, gain in enumerate(gains)}
        *totals, decisions = parallel.total(sums | {"": gains.shape[1]}).values()
        best = len(gains) - 1
        # Whoever has learnt nothing yet had better do as it is told.
        if self._steps:
            means = np.array(totals) / max(1, decisions)
            exams = max(EXAMS, EXAMS_PART * self._labeller.number)
            self._gains[kind] = (1 - 1 / exams) * self._gains[kind] + means
            best = int(self._gains[kind].argmax())
        with torch.no_grad():
            self._policy.trust[kind] = self._margins[best]
        return best

    def _logits(self, labels: Labels) -> _Array:
        """What the policy makes of decisions, without trust in the advice."""
        with torch.inference_mode(), self._precision:
            parts = [
                masked(
                    self._policy.values(self._tensor(labels.rows[at])),
                    self._tensor(labels.masks[at]),
                )
                for at in np.array_split(np.arange(len(labels.rows)), 16)
            ]
        logits: _Array = torch.cat(parts).cpu().numpy()
        return logits

    def _step(self, at: Tensor) -> float:
        parts = self._shelf.labels(at)
        rows, tried, values = (part.to(self._device) for part in parts)
        with self._precision:
            outputs = self._pupil.values(rows, DROPOUT)
        weights = _weights(outputs.detach(), tried)
        wrong = above_mean(outputs, weights) - above_mean(values, weights)
        loss = (weights * wrong.square()).sum() / weights.sum()
        descend(loss, self._optimiser, [self._pupil], GRADIENT_NORM)
        self._take_the_mean()
        return loss.item()

    def _take_the_mean(self) -> None:
        """Move the policy towards the pupil; at first faster."""
        self._steps += 1
        part = max(1 - AVERAGE, 1 / self._steps)
        with torch.no_grad():
            for mean, now in zip(
                self._policy.layers.parameters(),
                self._pupil.layers.parameters(),
                strict=True,
            ):
                mean.lerp_(now, part)

    def player(self) -> PolicyNetwork:
        """The policy as it is now, its values turned into chances.

        Several processes call it together.
        """
        if self._newest is None:
            return self._policy
        some = slice(None, None, EVERY)
        return heated(self._policy, self._newest.rows[some], self._newest.masks[some])

    def end(self) -> None:
        """Turn values into logits that explore as much as self-play begins with."""
        self._policy.load_state_dict(self.player().state_dict())

    def _tensor(self, array: _Array) -> Tensor:
        return torch.from_numpy(array).to(self._device)

    def state_dict(self) -> dict[str, Any]:
        """Everything that `load_state_dict` needs to go on exactly."""
        return {
            "pupil": self._pupil.state_dict(),
            "steps": self._steps,
            "optimiser": self._optimiser.state_dict(),
            "order": self._order.get_state(),
            "gains": torch.from_numpy(self._gains.copy()),
            "number": self._labeller.number,
            # All lessons that are kept can be made from where the first one began.
            "begun": [_as_tensor(note.begun) for note in list(self._notes)[:1]],
            "values": [torch.from_numpy(note.values) for note in self._notes],
            "actions": [torch.from_numpy(note.actions) for note in self._notes],
            "mattered": [torch.from_numpy(note.mattered) for note in self._notes],
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from where `state_dict` was taken; puts the lessons back in place."""
        self._pupil.load_state_dict(state["pupil"])
        self._steps = state["steps"]
        self._optimiser.load_state_dict(state["optimiser"])
        self._order.set_state(state["order"].cpu())
        self._gains = state["gains"].cpu().numpy()
        self._notes.clear()
        for begun in state["begun"]:
            first = state["number"] - len(state["values"])
            self._labeller.restore(first, begun.cpu().numpy().tobytes())
        noted = state["values"], state["actions"], state["mattered"]
        for found in zip(*noted, strict=True):
            parts = (part.cpu().numpy() for part in found)
            note = Note(self._labeller.to_bytes(), *parts)
            labels, _ = self._labeller.lesson(known=note)
            self._keep(note.begun, labels)


class _Shelf:
    """The lessons that are kept, in little room.

    Most features are 0 or 1: they are kept as bits, and so is what was tried. What the
    other features show again, by place, is left out.

    Attributes:
        filled: how many decisions there are.
        newest: where the lesson that was put there last begins.
    """

    def __init__(self, seen: Sight, kept: int) -> None:
        """An empty shelf.

        Args:
            seen: what the network sees.
            kept: how many lessons there is room for.
        """
        features, actions = seen.features, seen.game.num_actions
        self._sight = seen
        self._kept = kept
        shown = np.ones(features.size, np.bool_)
        for name in BY_PLACE:
            shown[features[name]] = False
        are_bits = shown & (features.low >= 0) & (features.high <= 1)
        self._bits = np.flatnonzero(are_bits)
        self._others = np.flatnonzero(shown & ~are_bits)
        self._actions = actions
        size = kept * LABELS
        packed = -(-(len(self._bits) + actions) // 8)
        # Of what is not used yet the system gives no memory.
        self._packed = np.empty((size, packed), np.uint8)
        self._numbers = np.empty((size, len(self._others)), np.int8)
        # Those of what was tried, one after the other.
        self._values = np.empty((size, TRIED), np.float16)
        self.filled = self.newest = 0

    def put(self, number: int, labels: Labels) -> None:
        """Replace the oldest lesson by that of a number."""
        self.newest = number % self._kept * LABELS
        place = slice(self.newest, self.newest + LABELS)
        bits = np.concatenate([labels.rows[:, self._bits], labels.tried], 1)
        self._packed[place] = np.packbits(bits, 1)
        self._numbers[place] = labels.rows[:, self._others]
        at, actions, order = _those_tried(labels.tried)
        self._values[place][at, order] = labels.values[at, actions]
        self.filled = min((number + 1) * LABELS, self._kept * LABELS)

    def draw(self, revised: int, order: torch.Generator) -> Tensor:
        """The newest lesson with others as large, all in random order.

        Args:
            revised: how many lessons' worth of decisions are drawn besides.
            order: the chance of it.

        Returns:
            Places on the shelf.
        """
        again = torch.randint(self.filled, (revised * LABELS,), generator=order)
        chosen = torch.cat([torch.arange(LABELS) + self.newest, again])
        return chosen[torch.randperm(len(chosen), generator=order)]

    def labels(self, at: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Rows, what was tried, and values, at some places."""
        places = at.numpy()
        bits = np.unpackbits(self._packed[places], 1).view(np.int8)
        rows = np.empty((len(places), self._sight.features.size), np.int8)
        rows[:, self._bits] = bits[:, : len(self._bits)]
        rows[:, self._others] = self._numbers[places]
        self._sight.show_places(rows)
        tried = np.ascontiguousarray(bits[:, len(self._bits) :][:, : self._actions])
        values = np.zeros(tried.shape, np.float32)
        which, actions, order = _those_tried(tried)
        values[which, actions] = self._values[places[which], order]
        return torch.from_numpy(rows), torch.from_numpy(tried), torch.from_numpy(values)


def _share_of_cards(game: Game, seed: int) -> float:
    """How often other cards than the one chosen are tried."""
    tables = Tables(game, TABLES, seed, dtype=np.int8)
    hoyle = HoyleAgent()
    batch = tables.reset()
    calls = cards = 0
    for _ in range(PLIES):
        free, called = batch.action_mask.sum(1) > 1, are_calls(batch.action_mask)
        calls += int((free & called).sum())
        cards += int((free & ~called).sum())
        bits = np.zeros(TABLES, np.uint64)
        views = Views(game, batch.observation, batch.action_mask, bits)
        batch = tables.step(hoyle.act(views))
    least, most = SHARES
    return min(max(calls / cards, least), most) if calls else most


def _in_its_seat(agents: _Array) -> npt.NDArray[np.bool_]:
    """Whether the policy has the seat of the agent to act; it has half of all seats.

    Over the tables every choice of seats is as frequent as any other.
    """
    return np.asarray(np.arange(len(agents)) >> agents & 1 == 1)


def _some(masks: _Array, thumbs: _Array, chance: np.random.Generator) -> _Array:
    """The advised actions and others, at most `TRIED` in all, by action."""
    lots = chance.random(masks.shape, np.float32)
    rows = np.arange(len(lots))
    lots[rows, thumbs] = 2
    lots[masks == 0] = -1
    # Of equal lots, which there are once in a million decisions, one is taken as well.
    highest = np.argsort(-lots, 1)[:, :TRIED]
    tried = np.zeros(masks.shape, np.int8)
    tried[rows[:, None], highest] = 1
    return np.asarray(tried * masks)


def _differ(values: _Array, tried: _Array) -> npt.NDArray[np.bool_]:
    """At which decisions not all that was tried brought the same."""
    most = np.where(tried == 1, values, np.iinfo(np.int64).min).max(1)
    least = np.where(tried == 1, values, np.iinfo(np.int64).max).min(1)
    return np.asarray(most > least)


def _those_tried(tried: _Array) -> tuple[_Array, _Array, _Array]:
    """The row, the action, and the place in the row, of everything that was tried."""
    at, actions = np.nonzero(tried)
    return at, actions, np.cumsum(tried, 1)[at, actions] - 1


def _mean_and_error(gained: _Array, decisions: int) -> dict[str, float]:
    """The mean gain over all processes, and its standard error.

    Args:
        gained: what was gained at decisions that mattered.
        decisions: how many there were with those that did not.
    """
    figures = {"sum": gained.sum(dtype=np.float64), "of": float(decisions)}
    figures["squares"] = np.square(gained, dtype=np.float64).sum()
    totals = parallel.total(figures)
    mean = totals["sum"] / totals["of"]
    variance = max(0.0, totals["squares"] / totals["of"] - mean**2)
    return {"gain": mean, "gain_error": float((variance / totals["of"]) ** 0.5)}


def _chance_against(labels: Labels) -> npt.NDArray[np.float32]:
    """How many actions beside the advised are legal for each that was tried."""
    legal, tried = labels.masks.sum(1), labels.tried.sum(1)
    return np.asarray((legal - 1) / (tried - 1), np.float32)


def above_mean(values: Tensor, weights: Tensor) -> Tensor:
    """Values less their mean by weights; 0 where the weight is."""
    mean = (values * weights).sum(1, keepdim=True) / weights.sum(1, keepdim=True)
    return (values - mean) * (weights > 0)


def _weights(outputs: Tensor, tried: Tensor) -> Tensor:
    """What each action counts in the loss; what was not tried counts nothing.

    A bid that the hand is far too weak for may cost hundreds of times more than a card.
    That it is bad is soon known, and how bad need not be.
    """
    outputs = outputs.masked_fill(tried == 0, FORBIDDEN)
    behind = outputs.max(1, keepdim=True).values - outputs
    return tried / (1 + (behind / BEHIND) ** 2)


def _as_tensor(saved: bytes) -> Tensor:
    return torch.frombuffer(bytearray(saved), dtype=torch.uint8)
