"""Agents by name: the specs that commands, files and functions take.

A spec is a name, and after a colon what that kind of agent needs::

    random                     uniformly random play
    greedy                     takes what tricks it can, and looks no further
    hoyle                      the rule-of-thumb player
    pimc:samples=20            solves worlds with all hands open
    pimc:samples=20,net=net    ... and asks a network, of the past and of the cards
    ismcts:iterations=1000     information set Monte Carlo tree search
    rollout:worlds=16          plays worlds out, by rules of thumb or by a network:
    rollout:net=runs/a         ... these and their settings in `whist_agents.search`
    net                        the trained networks that come with the package
    net:runs/a                 a trained network: a run, a checkpoint or a file
    cmd:./my_agent             another program, spoken to as docs/protocol.md says
    package.module:Attribute   anyone's own: an agent, or what makes one when called
    package.module:Attribute,depth=3,fast=true     ... called with these arguments
    oracle                     sees all hands: refused where a fair agent is asked for
"""

from __future__ import annotations

import difflib
import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from whist_agents.agent import Agent, blamed
from whist_agents.greedy_agent import GreedyAgent
from whist_agents.random_agent import RandomAgent
from whist_env.envs.view import Oracle

_Made = TypeVar("_Made")

ORACLE: Final = "oracle"
"""The spec of what sees all hands."""


def load(spec: str) -> Agent:
    """The agent that a spec names.

    Raises:
        AgentError: what the spec names fails when the agent is made.
        ValueError: there is no such agent, or the spec cannot be read.
        FileNotFoundError: there is no network at the path.
        ImportError: a library that the agent needs is not installed.
    """
    if not isinstance(spec, str):
        raise ValueError(f"{spec!r} is not a spec: write the name of an agent")
    name, colon, rest = spec.partition(":")
    if name == ORACLE:
        raise ValueError(
            f"{spec!r} sees all hands and is no fair agent; evaluations take it where "
            "oracles are allowed"
        )
    if name in _KINDS:
        return _KINDS[name](rest, spec)
    if colon and rest:
        return _load_attribute(name, rest, spec)
    near = difflib.get_close_matches(name, _KINDS, 1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise ValueError(f"there is no agent {spec!r}{hint}; {_KNOWN}")


def load_oracle(spec: str) -> Oracle:
    """What a spec names that sees all hands.

    Raises:
        ValueError: it names nothing of the kind.
    """
    name, _, rest = spec.partition(":")
    if name != ORACLE:
        raise ValueError(f"{spec!r} names nothing that sees all hands; {ORACLE!r} does")
    from whist_agents.search import OracleAgent

    _takes_nothing(rest, spec)
    return OracleAgent()


class Loader(Generic[_Made]):
    """Makes agents so that none remembers what it has seen in another room.

    The agents of this package keep nothing from one decision to the next, and each is
    made once. What else a spec names is made afresh whenever it is asked for.

    Args:
        make: what makes the agent that a spec names, such as `load`.
    """

    def __init__(self, make: Callable[[str], _Made]) -> None:
        self._make = make
        self._made: dict[str, _Made] = {}

    def __call__(self, spec: str) -> _Made:
        """The agent that a spec names."""
        if spec.partition(":")[0] not in _KEEP_NOTHING:
            return self._make(spec)
        if spec not in self._made:
            self._made[spec] = self._make(spec)
        return self._made[spec]


def refuse_two_ways(agent: object, name: str) -> None:
    """Refuse what could be asked in two ways: by its view, and with all hands open.

    Raises:
        ValueError: it has both methods.
    """
    if hasattr(agent, "act") and hasattr(agent, "act_on"):
        raise ValueError(
            f"{name} has both act(views) and act_on(tables): an agent plays by what "
            "its seat sees, or it sees all hands; leave out one of the two"
        )


def settled(spec: str) -> str:
    """The spec of the same agent for good: a run stands for its newest checkpoint now.

    Raises:
        ValueError: as `load`.
        FileNotFoundError: there is no network at the path.
    """
    return with_networks(spec, _file)


def with_networks(spec: str, place: Callable[[str], Path]) -> str:
    """The same spec, where every network that it names by a path has another one.

    Args:
        spec: the spec.
        place: gives the new path for the old one.
    """
    name, _, rest = spec.partition(":")
    if name == "net" and rest:
        return f"net:{place(rest)}"
    if name in ("pimc", "rollout") and rest:
        settings = [
            f"net={place(setting.removeprefix('net='))}"
            if setting.startswith("net=") and setting != "net=net"
            else setting
            for setting in rest.split(",")
        ]
        return ":".join([name, ",".join(settings)])
    return spec


def _file(path: str) -> Path:
    from whist_agents.net import policy_file

    return policy_file(Path(path))


def _load_random(rest: str, spec: str) -> Agent:
    _takes_nothing(rest, spec)
    return RandomAgent()


def _load_greedy(rest: str, spec: str) -> Agent:
    _takes_nothing(rest, spec)
    return GreedyAgent()


def _load_hoyle(rest: str, spec: str) -> Agent:
    # Compiled code is loaded only for those who ask for it.
    from whist_agents.hoyle import HoyleAgent

    _takes_nothing(rest, spec)
    return HoyleAgent()


def _load_net(rest: str, spec: str) -> Agent:
    if spec.endswith(":"):
        raise ValueError(
            f"{spec!r} names no network after the colon; write the path of a run, a "
            "checkpoint or a file there, or 'net' alone for those of the package"
        )
    try:
        from whist_agents.net import HouseAgent, load_net
    except ModuleNotFoundError as error:
        raise ImportError(
            f"{spec!r} needs {error.name}: pip install 'whist-env[torch]'"
        ) from None
    return load_net(rest) if rest else HouseAgent()


def _load_pimc(rest: str, spec: str) -> Agent:
    from whist_agents.search import PimcAgent

    return _made(PimcAgent, rest, spec)


def _load_ismcts(rest: str, spec: str) -> Agent:
    from whist_agents.search import IsmctsAgent

    return _made(IsmctsAgent, rest, spec)


def _load_rollout(rest: str, spec: str) -> Agent:
    from whist_agents.search import RolloutAgent

    return _made(RolloutAgent, rest, spec)


def _load_program(rest: str, _: str) -> Agent:
    from whist_agents.program import ProgramAgent

    return ProgramAgent(rest)


def _made(kind: Callable[..., Agent], rest: str, spec: str) -> Agent:
    """An agent made with the settings of its spec.

    Raises:
        ValueError: there is no such setting, or it does not take the value.
    """
    settings = _arguments(rest.split(","), spec) if rest else {}
    known = list(inspect.signature(kind).parameters)
    unknown = [name for name in settings if name not in known]
    if unknown:
        raise ValueError(
            f"{spec!r}: there is no setting {unknown[0]!r}; it takes "
            + ", ".join(known)
        )
    try:
        return kind(**settings)
    except ValueError as error:
        raise ValueError(f"{spec!r}: {error}") from None


_KINDS: Final[dict[str, Callable[[str, str], Agent]]] = {
    "random": _load_random,
    "greedy": _load_greedy,
    "hoyle": _load_hoyle,
    "net": _load_net,
    "pimc": _load_pimc,
    "ismcts": _load_ismcts,
    "rollout": _load_rollout,
    "cmd": _load_program,
}
_KEEP_NOTHING: Final = {ORACLE, *_KINDS} - {"cmd"}
"""The kinds of agents that keep nothing from one decision to the next."""

_KNOWN: Final = (
    "write 'random', 'greedy', 'hoyle', 'net:PATH', 'pimc', 'ismcts', 'rollout', "
    "'cmd:COMMAND' or 'module:attribute'"
)


def _takes_nothing(rest: str, spec: str) -> None:
    if rest:
        raise ValueError(f"{spec!r}: this agent takes nothing after the colon")


def _load_attribute(module_name: str, rest: str, spec: str) -> Agent:
    attribute, *settings = rest.split(",")
    if not all(part.isidentifier() for part in module_name.split(".")):
        raise ValueError(
            f"{spec!r}: {module_name!r} is not the name of a module; write "
            "'package.module:attribute'"
        )
    try:
        with blamed(spec, "when its module was imported"):
            module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not module_name.startswith(error.name):
            raise
        raise ValueError(
            f"{spec!r}: there is no module {module_name!r} on the path, and no agent "
            f"of that name; {_KNOWN}"
        ) from None
    found = getattr(module, attribute, None)
    if found is None:
        raise ValueError(f"{spec!r}: {module_name} has no attribute {attribute!r}")
    agent = found
    if isinstance(found, type) or not hasattr(found, "act"):
        if not callable(found):
            raise ValueError(f"{spec!r} is neither an agent nor makes one")
        arguments = _arguments(settings, spec)
        with blamed(spec, "when it was made"):
            agent = found(**arguments)
    elif settings:
        raise ValueError(f"{spec!r}: an agent that is made already takes no settings")
    if not callable(getattr(agent, "act", None)):
        raise ValueError(
            f"{spec!r} made {agent!r}, which has no method act(views) -> actions"
        )
    refuse_two_ways(agent, repr(spec))
    made: Agent = agent
    return made


def _arguments(settings: list[str], spec: str) -> dict[str, Any]:
    arguments = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.isidentifier():
            raise ValueError(f"{spec!r}: write {setting!r} as name=value")
        arguments[name] = _value(value)
    return arguments


def _value(text: str) -> bool | int | float | str:
    words = {"true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
