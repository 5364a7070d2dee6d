"""What an agent is."""

from __future__ import annotations

import abc
import contextlib
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from whist_env import Player as Agent
from whist_env import View, Views

__all__ = ["Agent", "AgentError", "SingleAgent", "blamed"]


class AgentError(ValueError):
    """An agent failed: it could not be made, or gave no answer that can be used."""


@contextlib.contextmanager
def blamed(agent: str, when: str) -> Iterator[None]:
    """Say of whatever goes wrong here that it is the agent's failure.

    That a library is not installed is none: its name says what to do.

    Args:
        agent: the spec or the name of the agent.
        when: what was going on, such as "when it was made" or "on board 3".

    Raises:
        AgentError: something was raised, which is its cause; `SystemExit` as well, by
            which an agent would end the process that asks it.
    """
    try:
        yield
    except (AgentError, ModuleNotFoundError):
        raise
    except SystemExit as end:
        raise AgentError(
            f"agent {agent!r} tried to end the evaluation by SystemExit({end.code!r}) "
            f"{when}"
        ) from end
    except Exception as error:
        raise AgentError(
            f"agent {agent!r} failed {when}: {type(error).__name__}: {error}"
        ) from error


class SingleAgent(abc.ABC):
    """An agent that thinks about one view at a time.

    Write `choose`; `act` asks it once for every view of a batch. Draw chance from
    ``view.generator()`` only: then the agent plays the same whatever is played beside
    it.
    """

    @abc.abstractmethod
    def choose(self, view: View) -> int:
        """A legal action for one view."""

    def act(self, views: Views) -> npt.NDArray[np.int64]:
        """A legal action for each view, ``(len(views),)`` int64."""
        return np.array(
            [self.choose(views[index]) for index in range(len(views))], np.int64
        )
