"""Self-play training, evaluation and the command line."""

import os

# PyTorch's threads wait for one another many times in a step of training. By default
# they spin while they wait, and where another process wants the processor that makes
# training some twenty times slower. This has to be said before PyTorch is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
