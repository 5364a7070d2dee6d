"""Agents: specs, the random player, and the adapter from one view to many."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import whist_agents
import whist_env
from whist_agents import AgentError, SingleAgent
from whist_env import Tables, View, Views

GAME = whist_env.game("whist")


def views(count: int, plies: int = 9, seed: int = 0) -> Views:
    tables = Tables(GAME, count, seed, dtype=np.int8)
    batch = tables.reset()
    for _ in range(plies):
        batch = tables.step(tables.sample_actions())
    bits = np.random.default_rng(seed).integers(0, 2**64, count, dtype=np.uint64)
    return Views(GAME, batch.observation, batch.action_mask, bits)


class Highest(SingleAgent):
    """Plays the last legal action, or by chance if asked to."""

    def __init__(self, *, chance: bool = False, depth: int = 1, name: str = "") -> None:
        self.chance, self.depth, self.name = chance, depth, name

    def choose(self, view: View) -> int:
        legal = view.legal_actions()
        if self.chance:
            return int(view.generator().choice(legal))
        return legal[-1]


ready = Highest()
not_an_agent = 3


def test_the_random_agent_is_uniform_over_its_legal_actions() -> None:
    one = views(1, plies=0)
    mask = np.repeat(one.action_mask, 26000, axis=0)
    rows = np.repeat(one.observation, 26000, axis=0)
    bits = np.random.default_rng(1).integers(0, 2**64, 26000, dtype=np.uint64)
    chosen = whist_agents.load("random").act(Views(GAME, rows, mask, bits))
    counts = np.bincount(chosen, minlength=52)
    assert (counts[one.action_mask[0] == 0] == 0).all()
    expected = 26000 / 13
    chi_square = ((counts[one.action_mask[0] == 1] - expected) ** 2 / expected).sum()
    assert chi_square < 32.9  # 12 degrees of freedom, p = 0.001


def test_the_random_agent_draws_from_the_bits_of_the_view_alone() -> None:
    agent = whist_agents.load("random")
    batch = views(200)
    whole = agent.act(batch)
    part = Views(
        GAME, batch.observation[50:70], batch.action_mask[50:70], batch.random[50:70]
    )
    assert (agent.act(part) == whole[50:70]).all()


@pytest.mark.parametrize("chance", [False, True])
def test_a_single_agent_answers_a_batch_as_it_answers_each_view(chance: bool) -> None:
    agent = Highest(chance=chance)
    batch = views(40)
    answers = agent.act(batch)
    assert answers.dtype == np.int64
    assert answers.tolist() == [agent.choose(batch[i]) for i in range(40)]
    assert batch.action_mask[np.arange(40), answers].all()


def test_an_agent_that_scribbles_on_its_view_changes_no_other() -> None:
    class Scribbler(SingleAgent):
        def choose(self, view: View) -> int:
            card = view.legal_actions()[0]
            view.observation[:] = 1
            view.action_mask[:] = 1
            return card

    batch = views(20)
    before = batch.observation.copy(), batch.action_mask.copy()
    Scribbler().act(batch)
    assert (batch.observation == before[0]).all()
    assert (batch.action_mask == before[1]).all()


def test_a_view_shares_no_memory_with_its_batch() -> None:
    batch = views(5)
    view = batch[2]
    assert not np.shares_memory(view.observation, batch.observation)
    assert view.observation.base is None and view.action_mask.base is None


@pytest.mark.parametrize("spec", ["random", "hoyle"])
def test_the_players_of_the_project_play_legal_cards(spec: str) -> None:
    agent = whist_agents.load(spec)
    batch = views(300, plies=21)
    assert batch.action_mask[np.arange(300), agent.act(batch)].all()


# Specs ------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def this_module_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    monkeypatch.setitem(sys.modules, "test_agents", sys.modules[__name__])


def test_a_spec_names_anyones_class_and_its_arguments() -> None:
    agent = whist_agents.load("test_agents:Highest,chance=true,depth=3,name=ten")
    assert isinstance(agent, Highest)
    assert (agent.chance, agent.depth, agent.name) == (True, 3, "ten")
    assert whist_agents.load("test_agents:ready") is ready


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("hoile", "no agent 'hoile' \\(did you mean 'hoyle'\\?\\)"),
        ("", "write 'random', 'greedy', 'hoyle', 'net:PATH', 'pimc'"),
        ("hoyle:3", "takes nothing after the colon"),
        ("random:x", "takes nothing after the colon"),
        ("net:", "names no network"),
        ("nowhere_at_all:Agent", "no module 'nowhere_at_all'"),
        ("test_agents:Missing", "has no attribute 'Missing'"),
        ("test_agents:not_an_agent", "neither an agent nor makes one"),
        ("test_agents:ready,depth=2", "takes no settings"),
        ("test_agents:Highest,depth", "write 'depth' as name=value"),
        ("builtins:dict", "no method act"),
        (".x:y", "'.x' is not the name of a module"),
        (":x", "is not the name of a module"),
        (5, "5 is not a spec"),
    ],
)
def test_a_spec_that_names_no_agent_says_what_would(spec: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        whist_agents.load(spec)


@pytest.mark.parametrize(
    ("spec", "what", "cause"),
    [
        ("faulty_agents:ExitsWhenMade", r"SystemExit\(None\) when", SystemExit),
        ("faulty_agents:RaisesWhenMade", "RuntimeError: no weights", RuntimeError),
        ("json:loads", "TypeError: .* missing 1 required", TypeError),
    ],
)
def test_an_agent_that_cannot_be_made_is_named_with_what_it_raised(
    spec: str, what: str, cause: type[BaseException]
) -> None:
    with pytest.raises(AgentError, match=f"agent '{spec}' .*{what}") as caught:
        whist_agents.load(spec)
    assert isinstance(caught.value.__cause__, cause)


def test_a_module_that_fails_when_it_is_imported_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ends_all.py").write_text("raise SystemExit")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(AgentError, match=r"'ends_all:Agent' .* module was imported"):
        whist_agents.load("ends_all:Agent")


def test_a_network_that_is_not_there_is_named() -> None:
    with pytest.raises(FileNotFoundError, match="runs/none"):
        whist_agents.load("net:runs/none")


def test_a_missing_library_is_named_with_the_extra_that_brings_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in [name for name in sys.modules if name == "whist_agents.net"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"whist-env\[torch\]"):
        whist_agents.load("net:runs/a")
