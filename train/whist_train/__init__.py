"""Self-play training, evaluation at duplicate, and the command line."""
