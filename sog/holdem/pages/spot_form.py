"""The form of a spot: its fields as texts, from a submission or a link."""

import dataclasses
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

import numpy as np

from sog.holdem.game import Holdem
from sog.holdem.ranges import parse_range
from sog.web.interfaces import RequestError, request_errors

_MOST_CHIPS: Final = 1_000_000
_CARDS: Final = re.compile("([2-9TtJjQqKkAa][SsHhDdCc]){3,5}")
_LEAST_PERCENT: Final = 0.01


@dataclasses.dataclass(frozen=True, kw_only=True)
class SpotForm:
    """Unparsed fields; the defaults are an example."""

    board: str = "KsTh7s4d2c"
    pot: str = "100"
    stack: str = "200"
    bets: str = "0.5/1/allin"
    raises: str = "allin"
    caps: str = "none"
    range0: str = "22+,A2s+,K9s+,Q9s+,J9s+,T8s+,97s+,86s+,76s,65s,54s,ATo+,KTo+,QTo+,JTo"
    range1: str = (
        "22-99,A2s-AJs,K8s+,Q9s+,J8s+,T8s+,97s+,87s,76s,65s,A8o-AJo,KTo+,QTo+,JTo,TT+:0.25"
    )
    until: str = "0.3"

    @classmethod
    def read(cls, given: Mapping[str, str]) -> "SpotForm":
        """From a form or a link; missing fields have their defaults."""
        names = (field.name for field in dataclasses.fields(cls))
        return cls(**{name: given[name].strip() for name in names if name in given})

    @property
    def query(self) -> str:
        """The query of a link to this form."""
        return urlencode(dataclasses.asdict(self))

    @property
    def cards(self) -> str:
        """The board without separators."""
        return re.sub(r"[\s,]", "", self.board)

    def game(self) -> Holdem:
        """The game of the spot. Raises RequestError."""
        if not _CARDS.fullmatch(self.cards):
            raise RequestError(
                f"Board: choose three, four or five cards, as KsTh7s, got {self.board[:40]!r}."
            )
        for name, text in (("Pot", self.pot), ("Effective stack", self.stack)):
            if not re.fullmatch("[0-9]{1,7}", text) or not 1 <= int(text) <= _MOST_CHIPS:
                raise RequestError(
                    f"{name}: a whole number of chips from 1 to {_MOST_CHIPS:,}, got {text[:20]!r}."
                )
        bets, raises, caps = (
            re.sub(r"\s", "", text) for text in (self.bets, self.raises, self.caps)
        )
        with request_errors():
            return Holdem(
                board=self.cards,
                pot=int(self.pot),
                stack=self.stack,
                bets=bets or "none",
                raises=raises or "same",
                caps=caps or "none",
            )

    def ranges(self) -> np.ndarray:
        """[player, hand] float64. Raises RequestError."""
        found = []
        for player, text in enumerate((self.range0, self.range1)):
            with request_errors(f"Range of {'IP' if player else 'OOP'}: "):
                found.append(parse_range(text))
        return np.stack(found)

    def percent(self) -> float:
        """The target exploitability in percent of the pot. Raises RequestError."""
        try:
            value = float(self.until)
        except ValueError:
            value = -1.0
        if not _LEAST_PERCENT <= value <= 100:
            raise RequestError(
                f"Target exploitability: a percentage of the pot from {_LEAST_PERCENT} to 100, got "
                f"{self.until[:20]!r}."
            )
        return value
