"""Agents that search: they imagine the hidden cards and look ahead.

All of them are given one world that agrees with what their seat knows
(`whist_env.envs.view`), draw others from it, and choose what is best over them:

* `PimcAgent` solves each world with all hands open;
* `IsmctsAgent` grows one tree over all worlds;
* `RolloutAgent` plays each world out by a policy.

`OracleAgent` looks at the true hands. It is no player, and a measure of what hidden
cards are worth.
"""

from whist_agents.search.ismcts import IsmctsAgent
from whist_agents.search.oracle import OracleAgent
from whist_agents.search.pimc import PimcAgent
from whist_agents.search.rollout import RolloutAgent

__all__ = ["IsmctsAgent", "OracleAgent", "PimcAgent", "RolloutAgent"]
