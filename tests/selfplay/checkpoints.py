"""What tests save."""

import numpy as np


def value(number: int) -> dict[str, np.ndarray]:
    return {"x": np.full(1000, number, np.int32)}
