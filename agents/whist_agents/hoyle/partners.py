"""The play of two against two, partners opposite, by the maxims of Whist."""

from __future__ import annotations

from whist_agents.hoyle.discarding import ruff_or_discard
from whist_agents.hoyle.following import fourth_hand, second_hand, third_hand
from whist_agents.hoyle.leading import lead
from whist_agents.hoyle.mind import Mind
from whist_agents.hoyle.questions import can_follow
from whist_env.engine.compile import rule

_LEADING, _SECOND, _THIRD = range(3)


@rule
def play_with_partner(mind: Mind) -> int:
    """The card to play for the seat and the partner opposite.

    The mind must have recalled the tricks that are over
    (`whist_agents.hoyle.history.recall`).
    """
    if mind.position == _LEADING:
        return lead(mind)
    if not can_follow(mind):
        return ruff_or_discard(mind)
    if mind.position == _SECOND:
        return second_hand(mind)
    if mind.position == _THIRD:
        return third_hand(mind)
    return fourth_hand(mind)
