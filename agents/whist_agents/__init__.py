"""Players of the whist family.

An agent answers views with actions; it is given what its seat may know and nothing from
which the rest could be reached. `load` makes an agent from a spec such as ``"hoyle"``.
"""

from __future__ import annotations

from whist_agents.agent import Agent, AgentError, SingleAgent
from whist_agents.spec import load

__all__ = ["Agent", "AgentError", "SingleAgent", "load"]
