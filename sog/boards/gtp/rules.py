"""Rules of Go as KataGo names them: kata-set-rules and kata-get-rules.

https://lightvector.github.io/KataGo/rules.html
"""

import json
from collections.abc import Callable, Sequence
from typing import Final

from sog.boards.gtp.session import GtpSession

_KO: Final = {"positional": "POSITIONAL", "simple": "SIMPLE"}
"""By the parameter `superko` of our games."""
_SUPERKO: Final = {
    **dict.fromkeys(("tromp-taylor", "chinese-ogs", "chinese-kgs"), "positional"),
    "chinese": "simple",
}
"""By KataGo's name of rules that equal ours, except that suicide is never legal and that White gets
no compensation for handicap stones."""


def rules_commands(session: GtpSession) -> dict[str, Callable[[Sequence[str]], str]]:
    """KataGo's commands, for a game with a choice of ko rules; else none."""
    if not hasattr(session.game, "superko"):
        return {}

    def choose(words: Sequence[str]) -> str:
        name = words[0].lower()
        if name not in _SUPERKO:
            raise ValueError(f"unsupported rules: they must be one of {', '.join(_SUPERKO)}")
        session.change(session.variant({"superko": _SUPERKO[name]}))
        return ""

    def describe(words: Sequence[str]) -> str:
        rules = {
            "ko": _KO[session.game.superko],  # type: ignore[attr-defined]
            "scoring": "AREA",
            "tax": "NONE",
            "suicide": False,
            "hasButton": False,
            "whiteHandicapBonus": "0",
            "friendlyPassOk": False,
        }
        return json.dumps(rules)

    return {"kata-set-rules": choose, "kata-get-rules": describe}
