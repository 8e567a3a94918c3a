"""Every history of a small OpenSpiel game, and each player's information at it.

OpenSpiel defines a player's information only at own moves; elsewhere its strings may be coarse,
missing, or the same before and after a chance event. So a player's *information* here is:

    own move          the infostate string, exactly: this is the game's own information set;
    another's move    the infostate string and the last own move;
    chance            the same, and the information at the previous history;
    the end           the information at the previous history, and the move that ended the game;
                      moves that the player's strings do not distinguish count as one.

So what is revealed at the end, where it no longer matters, splits no public state.
More detail where a player does not move cannot change the game: public states are unions of
information sets in any case (see `public_states.py`), it only makes them smaller. If everything is
public (perfect information, moves in turn), a player's information is the history itself.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from sog.games.core import CHANCE, TERMINAL
from sog.openspiel.bounds import CHARACTERS_PER_HISTORY, too_large
from sog.openspiel.loading import is_public, one_line, possible_moves, refusal

NO_HISTORY: Final = -1
NO_INFOSET: Final = -1
_MY_MOVE: Final = -1  # in place of the last own move, which the string determines
_ENDED: Final = -2  # and below: in place of it at the end, by the final move
_NO_MATTER: Final = -1  # in place of the previous information
_HISTORIES_PER_REPORT: Final = 1000


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Histories:
    """All histories in depth-first order: parents precede children, a subtree is a slice."""

    parent: np.ndarray
    """[history] int32, NO_HISTORY at the first."""
    end: np.ndarray
    """[history] int32: the subtree of history h is h, ..., end[h] - 1."""
    action: np.ndarray
    """[history] int64: OpenSpiel's number of the move or chance event that led here."""
    kind: np.ndarray
    """[history] int32: PLAYER_0, PLAYER_1, CHANCE or TERMINAL."""
    chance: np.ndarray
    """[history] float64: the product of the probabilities of its chance events."""
    utility: np.ndarray
    """[history] float64: utility to player 0 at a terminal history, else 0."""
    info: np.ndarray
    """[2, history] int32: a number for each player's information; the players share no number.

    A player's numbers are in the order of his infostate strings.
    """

    @property
    def infoset(self) -> np.ndarray:
        """[history] int32: the information of the player to move, else NO_INFOSET."""
        return np.select([self.kind == 0, self.kind == 1], [self.info[0], self.info[1]], NO_INFOSET)

    def moves_to(self, history: int) -> list[int]:
        """OpenSpiel's numbers of all moves and chance events up to a history."""
        moves: list[int] = []
        while history > 0:
            moves.append(int(self.action[history]))
            history = int(self.parent[history])
        return moves[::-1]


def information_string(state: Any, player: int) -> str:
    """The information state string at a player's move; the history if the game is public and
    OpenSpiel has no such strings."""
    if state.get_game().get_type().provides_information_state_string:
        return str(state.information_state_string(player))
    return str(state.history_str())


def enumerate_histories(
    text: str,
    game: Any,
    max_histories: int,
    progress: Callable[[int], None] | None = None,
) -> Histories:
    """All histories of `game`; `text` names it in errors; progress: called with their number.

    Raises ValueError if there are more than `max_histories`, or if information sets are not sound:
    without perfect recall, or with different legal actions at two histories of one.
    """
    walk = _Walk(text, game, max_histories)
    rows: list[tuple[int, int, int, float, float, int, int]] = []
    # Each entry: previous state, parent, action, chance, each player's previous information and
    # last own move. States are made when visited, so that only those of one path are in memory.
    stack: list[tuple[Any, int, int, float, tuple[int, int], tuple[int, int]]]
    stack = [(None, NO_HISTORY, 0, 1.0, (-1, -1), (0, 0))]
    while stack:
        above, parent, action, chance, before, last_move = stack.pop()
        state = game.new_initial_state() if above is None else above.child(action)
        history = len(rows)
        if history == max_histories:
            raise refusal(text, too_large(f"{max_histories:,} histories", max_histories))
        if progress is not None and history and history % _HISTORIES_PER_REPORT == 0:
            progress(history)
        kind = _kind(state)
        info = walk.information(state, history, kind, action, before, last_move)
        utility = walk.utility(state) if kind == TERMINAL else 0.0
        rows.append((parent, action, kind, chance, utility, *info))
        if kind == CHANCE:
            probabilities = dict(state.chance_outcomes())
            for event in reversed(possible_moves(state)):
                reached = chance * probabilities[event]
                stack.append((state, history, event, reached, info, last_move))
        elif kind != TERMINAL:
            for move in reversed(possible_moves(state)):
                moved = walk.own_move(info[kind], move)
                moves = (moved, last_move[1]) if kind == 0 else (last_move[0], moved)
                stack.append((state, history, move, chance, info, moves))
    return _as_arrays(rows, walk)


class _Walk:
    """Numbers and checks the players' information along a walk over all histories."""

    def __init__(self, text: str, game: Any, max_histories: int) -> None:
        self._text = text
        self._max_histories = max_histories
        self._is_public = is_public(game)
        self._infos: dict[tuple[int, int, str | None, int], int] = {}
        self._strings: list[str | None] = []  # by information
        self._ends: dict[tuple[int, int, str | None, int], int] = {}
        self._alike: list[tuple[int, int]] = []  # pairs that count as one
        self._moves: dict[tuple[int, int], int] = {}
        self._infosets: dict[int, tuple[int, list[int]]] = {}
        self._has_strings = [True] * (TERMINAL + 1)
        self._num_characters = 0

    def own_move(self, infoset: int, action: int) -> int:
        """A number for an action at an information set, from 1; 0 stands for no move yet."""
        return self._moves.setdefault((infoset, action), len(self._moves) + 1)

    def ranks(self) -> np.ndarray:
        """[information]: its rank among a player's, in an order natural to people.

        By length first, then by letter: card 2 comes before card 10. Equal ones share a rank.
        """
        keys = [(player, len(text or ""), text or "") for player, _, text, _ in self._infos]
        ranks = np.empty(len(keys), np.int64)
        ranks[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
        size, pairs = len(keys), np.array(self._alike, np.int64).reshape(-1, 2)
        graph = coo_matrix((np.ones(len(pairs), np.int8), tuple(pairs.T)), shape=(size, size))
        same = connected_components(graph, directed=False)[1]
        first = np.unique(same, return_index=True)[1]
        return np.asarray(ranks[first[same]])

    def utility(self, state: Any) -> float:
        """Utility to player 0 at the end of the game."""
        mine, theirs = state.returns()
        if abs(mine + theirs) > 1e-9 * max(1.0, abs(mine)):
            raise refusal(self._text, f"must be zero-sum, but an end pays {mine:g} and {theirs:g}")
        return float(mine)

    def information(
        self,
        state: Any,
        history: int,
        kind: int,
        action: int,
        before: tuple[int, int],
        last: tuple[int, int],
    ) -> tuple[int, int]:
        """Both players' information at a history that `action` led to; before: at its parent;
        last: last own moves.

        Terminal histories may share a public state, and a player need only know what determines its
        reach: its earlier information and moves.
        """
        pairs = zip(before, last, strict=True)
        if kind == TERMINAL:
            found = [self._end_of(state, p, *pair, action) for p, pair in enumerate(pairs)]
        elif self._is_public:
            found = [self._number(player, _MY_MOVE, None, history) for player in (0, 1)]
        else:
            found = [self._information_of(state, p, kind, *pair) for p, pair in enumerate(pairs)]
        return found[0], found[1]

    def _end_of(self, state: Any, player: int, before: int, last_move: int, action: int) -> int:
        known = self._strings[before] if before >= 0 else None
        number = self._number(player, _ENDED - action, known, before)
        if not self._is_public:
            end = player, last_move, self._string(state, player, TERMINAL), before
            same = self._ends.setdefault(end, number)
            if same != number:
                self._alike.append((same, number))
        return number

    def _information_of(
        self, state: Any, player: int, kind: int, before: int, last_move: int
    ) -> int:
        string = self._string(state, player, kind)
        if kind == player:
            infoset = self._number(player, _MY_MOVE, string)
            self._check_infoset(infoset, player, string, last_move, state.legal_actions())
            return infoset
        if kind == CHANCE or string is None:
            return self._number(player, last_move, string, before)
        return self._number(player, last_move, string)

    def _number(
        self, player: int, last_move: int, string: str | None, before: int = _NO_MATTER
    ) -> int:
        number = self._infos.setdefault((player, last_move, string, before), len(self._infos))
        if number == len(self._strings):
            self._strings.append(string)
        return number

    def _string(self, state: Any, player: int, kind: int) -> str | None:
        """The infostate string; None off a player's move if OpenSpiel has none there."""
        if kind != player and not self._has_strings[kind]:
            return None
        try:
            string = str(state.information_state_string(player))
        except Exception as error:  # pyspiel raises several types, among them RuntimeError
            if kind == player:
                raise refusal(self._text, f"no infostate string: {one_line(error)}") from None
            self._has_strings[kind] = False
            return None
        self._num_characters += len(string)
        if self._num_characters > (most := CHARACTERS_PER_HISTORY * self._max_histories):
            what = f"{most:,} characters in its infostate strings"
            raise refusal(self._text, too_large(what, self._max_histories))
        return string

    def _check_infoset(
        self, infoset: int, player: int, string: str | None, last_move: int, legal: list[int]
    ) -> None:
        """Last own moves agree at all histories of an infoset; by induction, so do earlier ones."""
        known_move, known_legal = self._infosets.setdefault(infoset, (last_move, legal))
        if known_move != last_move:
            reason = "no perfect recall: different own moves lead to its information state"
        elif known_legal != legal:
            reason = "different legal actions at histories of its information state"
        else:
            return
        shown = one_line(string, limit=120)
        raise refusal(self._text, f"player {player} has {reason} {shown!r}")


def _kind(state: Any) -> int:
    if state.is_terminal():
        return TERMINAL
    return CHANCE if state.is_chance_node() else int(state.current_player())


def _as_arrays(rows: list[tuple[int, int, int, float, float, int, int]], walk: _Walk) -> Histories:
    parent, action, kind, chance, utility, *info = zip(*rows, strict=True)
    size = [1] * len(rows)
    for history in range(len(rows) - 1, 0, -1):
        size[parent[history]] += size[history]
    return Histories(
        parent=np.array(parent, np.int32),
        end=np.arange(len(rows), dtype=np.int32) + np.array(size, np.int32),
        action=np.array(action, np.int64),
        kind=np.array(kind, np.int32),
        chance=np.array(chance, np.float64),
        utility=np.array(utility, np.float64),
        info=walk.ranks()[np.array(info)].astype(np.int32),
    )
