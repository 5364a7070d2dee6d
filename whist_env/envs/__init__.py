"""The environments: a native table, many tables, PettingZoo and Gymnasium."""
