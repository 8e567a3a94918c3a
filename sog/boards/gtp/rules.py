"""Rules of Go as KataGo names and tells them: kata-set-rules and kata-get-rules.

https://lightvector.github.io/KataGo/rules.html
"""

import json
from collections.abc import Callable, Sequence
from typing import Final

from sog.boards.gtp.session import Table

_KO: Final = {"positional": "POSITIONAL", "simple": "SIMPLE"}
"""By the parameter `superko` of our games."""
_SUPERKO: Final = {
    **dict.fromkeys(("tromp-taylor", "chinese-ogs", "chinese-kgs"), "positional"),
    "chinese": "simple",
}
"""By the names of rules that are ours but for suicide, which we never allow, and a compensation for
handicap stones, which White never gets."""


def rules_commands(table: Table) -> dict[str, Callable[[Sequence[str]], str]]:
    """Those of KataGo, for a game with a choice of ko; else none."""
    if not hasattr(table.game, "superko"):
        return {}

    def choose(words: Sequence[str]) -> str:
        name = words[0].lower()
        if name not in _SUPERKO:
            raise ValueError(f"unsupported rules: they must be one of {', '.join(_SUPERKO)}")
        table.change(table.variant({"superko": _SUPERKO[name]}))
        return ""

    def tell(words: Sequence[str]) -> str:
        rules = {
            "ko": _KO[table.game.superko],  # type: ignore[attr-defined]
            "scoring": "AREA",
            "tax": "NONE",
            "suicide": False,
            "hasButton": False,
            "whiteHandicapBonus": "0",
            "friendlyPassOk": False,
        }
        return json.dumps(rules)

    return {"kata-set-rules": choose, "kata-get-rules": tell}
