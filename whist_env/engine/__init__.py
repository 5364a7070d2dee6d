"""The engine: records, tricks, random streams and compiled loops over many tables."""
