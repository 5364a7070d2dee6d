#!/usr/bin/env python3
"""A whist agent in plain Python, without any library: see ../protocol.md.

It leads its highest card, takes a trick with the highest card it may play, and is
otherwise content with the lowest. Run it as an agent:

    whist evaluate "cmd:python docs/clients/high_low.py" random
"""

import json
import sys

RANKS = "23456789TJQKA"


def choose(question):
    """An action for a question: one of the names in question["legal"]."""
    legal = question["legal"]
    trick_is_empty = not any(question["observation"].get("trick", []))
    by_rank = sorted(legal, key=rank)
    return by_rank[-1] if trick_is_empty else by_rank[0]


def rank(action):
    """The rank of a card, 0 to 12; calls come first."""
    if len(action) == 2 and action[0] in "CDHS" and action[1] in RANKS:
        return RANKS.index(action[1])
    return -1


def answer(message):
    """Write one line, at once."""
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer({"ready": True})
    elif message["type"] == "act":
        answer({"move": message["move"], "action": choose(message)})
    elif message["type"] == "quit":
        break
