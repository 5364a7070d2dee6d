"""The solver: what each card is worth with all hands open, and what it has cost."""

from whist_env.solver.account import (
    Account,
    AccountSum,
    Play,
    Tally,
    account,
    sum_accounts,
)
from whist_env.solver.solution import (
    Solution,
    SolverLimit,
    principal_variation,
    solve,
    solve_worlds,
)

__all__ = [
    "Account",
    "AccountSum",
    "Play",
    "Solution",
    "SolverLimit",
    "Tally",
    "account",
    "principal_variation",
    "solve",
    "solve_worlds",
    "sum_accounts",
]
