"""The solver: what each card is worth with all hands open."""

from whist_env.solver.solution import (
    Solution,
    SolverLimit,
    principal_variation,
    solve,
    solve_worlds,
)

__all__ = [
    "Solution",
    "SolverLimit",
    "principal_variation",
    "solve",
    "solve_worlds",
]
