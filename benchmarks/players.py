"""The rule-of-thumb player against random play, in every game of the family.

    python benchmarks/players.py [--deals 2000] [--seed 5]

Each line is what ``whist evaluate hoyle random --game NAME --deals N --seed S`` gives
for points: deals at duplicate, every seat held by both, in the game's own unit, what
the seats of hoyle make more than the middle between the two, with the 95% interval.
The table is the one in docs/players.md.
"""

from __future__ import annotations

import argparse

import whist_env
from whist_env.games import forms_of
from whist_train.evaluate import evaluate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--deals", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=5)
    given = parser.parse_args()
    print("| game | players | points a deal | 95% interval |")
    print("| --- | --- | --- | --- |")
    for game in whist_env.games():
        forms = forms_of(game)
        for form in forms:
            options = {"players": form.agents} if len(forms) > 1 else {}
            judged = evaluate(
                "hoyle",
                "random",
                game=game,
                deals=given.deals,
                seed=given.seed,
                **options,
            )
            points = judged.estimates["points"]
            print(
                f"| {game} | {form.agents} | {points.mean:+.3f} | "
                f"{points.low:+.3f} to {points.high:+.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
