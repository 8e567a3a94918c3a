"""Sound self-play: games played by search become training data for networks.

Read `settings.py`, `loop.py` (the inline schedule), then its parts: `actor.py` (games in lockstep),
`query_solver.py`, `replay.py`, `learner.py`. `training.py` drives a run; `runs/` stores its
checkpoints (`checkpoint.py`) and metrics in a run folder (`run_folder.py`).
"""

import sog.shadow_check  # noqa: F401 (first of all)

__all__: list[str] = []
