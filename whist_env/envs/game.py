"""A game with its options: what tables are made from."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from whist_env.engine import loops
from whist_env.engine.compile import bind
from whist_env.engine.features import FeatureTable
from whist_env.engine.options import Options
from whist_env.engine.record import load
from whist_env.engine.rules import Rules
from whist_env.envs.seeding import seed_word
from whist_env.games import rules_of

if TYPE_CHECKING:
    from whist_env.envs.table import Table

_LOOPS: tuple[Callable[..., Any], ...] = (
    loops.start_all,
    loops.apply_one,
    loops.apply_and_observe_one,
    loops.forfeit_one,
    loops.list_one,
    loops.mask_one,
    loops.observe_one,
    loops.see_one,
    loops.state_one,
    loops.first_illegal,
    loops.step_all,
    loops.see_all,
    loops.state_all,
    loops.sample_all,
    loops.play_out,
)


class IllegalAction(ValueError):
    """An action that the rules forbid. Nothing was changed."""


@functools.cache
def compiled_loops(rules: Rules) -> SimpleNamespace:
    """The loops of a game by name; each is compiled, or loaded, when first called."""
    names, form = bound_names(rules), form_name(rules)
    return SimpleNamespace(
        **{loop.__name__: bind(loop, rules.name, form, names) for loop in _LOOPS}
    )


def form_name(rules: Rules) -> str:
    """What tells the rules for each number of players apart."""
    return f"{rules.name}_{rules.agents}"


def bound_names(rules: Rules) -> dict[str, Any]:
    """The rules and constants of a game by the names that loops use."""
    return {
        "RECORD": rules.record,
        "ACTIONS": len(rules.action_names),
        "OBSERVATION": rules.features.size,
        "STATE": rules.state_features.size,
        "UNIT": rules.unit,
        "start": rules.start,
        "legal": rules.legal,
        "apply": rules.apply,
        "forfeit": rules.forfeit,
        "observe": rules.observe,
        "state": rules.state,
    }


class Game:
    """A game of the family with its options.

    Attributes:
        rules: the rules.
        options: the options, a frozen dataclass.
        name: the name of the game.
        num_agents: how many agents decide.
        num_actions: how many actions there are; 0 to 51 are the cards.
        action_names: the name of each action.
        features: the parts of an observation; ``features["voids"]`` is a slice.
        state_features: the parts of a state.
        positions: the parts of a position that an episode can begin from.
        loops: the compiled loops over tables of this game.
    """

    def __init__(self, rules: Rules, options: Options) -> None:
        self.rules = rules
        self.options = options
        self.name = rules.name
        self.num_agents = rules.agents
        self.num_actions = len(rules.action_names)
        self.action_names = rules.action_names
        self.features: FeatureTable = rules.features
        self.state_features: FeatureTable = rules.state_features
        self.positions = tuple(inspect.signature(rules.set_up).parameters)[1:]
        self.loops = compiled_loops(rules)

    def new_table(self, seed: SupportsIndex | None = None, **position: Any) -> Table:
        """A table at the start of an episode.

        Args:
            seed: the seed of the table's random stream; ``None`` draws one.
            **position: a position to begin from, as the game's ``set_up`` takes it
                (for Whist: deal, turned, dealer, scores, games).

        Raises:
            TypeError: there is no such part of a position.
            ValueError: an impossible value.
        """
        from whist_env.envs.table import Table

        table = Table(self, self.new_records(1).view(np.uint8))
        table.reset(seed=seed_word(seed), **position)
        return table

    def from_bytes(self, data: bytes) -> Table:
        """The table that `Table.to_bytes` saved.

        Raises:
            ValueError: the bytes are not a table of this game.
        """
        from whist_env.envs.table import Table

        try:
            records = load(self.rules.record, 1, data)
        except ValueError as error:
            raise ValueError(
                f"the bytes are not a saved table of {self.name}: {error}"
            ) from None
        options = self.rules.options.from_integers(records[0].options)
        game = self if options == self.options else Game(self.rules, options)
        return Table(game, records.view(np.uint8))

    def new_records(self, count: int) -> np.ndarray[Any, Any]:
        """Records with these options and nothing else set."""
        records = np.zeros(count, self.rules.record)
        records["options"] = self.options.as_integers()
        return records

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild_game, (self.name, self.options)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self.rules is other.rules and self.options == other.options

    def __hash__(self) -> int:
        return hash((self.name, self.options))

    def __repr__(self) -> str:
        changed = [
            f", {name}={value!r}"
            for name, value in vars(self.options).items()
            if value != getattr(type(self.options), name)
        ]
        return f"whist_env.game({self.name!r}{''.join(changed)})"


def game(name: str, **options: Any) -> Game:
    """A game of the family by its name, with its options as keywords.

    Raises:
        ValueError: there is no such game, or an option does not take the value.
        TypeError: there is no such option.
    """
    rules = rules_of(name, options.get("players"))
    return Game(rules, rules.options.from_names(**options))


def _rebuild_game(name: str, options: Options) -> Game:
    return Game(rules_of(name, getattr(options, "players", None)), options)
