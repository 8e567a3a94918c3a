"""A training run on disk: its configuration, checkpoints and metrics."""
