"""Worlds: complete deals that agree with all that one agent knows."""

from whist_env.worlds.worlds import Worlds, check

__all__ = ["Worlds", "check"]
