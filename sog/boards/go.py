"""Go on square boards: area scoring, no suicide, superko.

The rules are those of computer Go servers: Tromp and Taylor's (https://tromp.github.io/go.html),
except that suicide is illegal.
"""

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.boards import go_drawing, go_notation, go_rules, go_setup, go_sgf
from sog.boards.go_rules import BITS, EMPTY, NUM_SHOWN, GoState, color_of, last_stone, to_move
from sog.boards.stones import symmetries
from sog.boards.views import GoView
from sog.games.core import PLAYER_0, TERMINAL, param
from sog.games.encoding import Moves, Planes
from sog.games.notation import split_events
from sog.games.perfect_information import PerfectInformationGame
from sog.games.shown import Seen

_MOVES_PER_POINT: Final = 2
_MOST_SEARCHED: Final = 96  # all of 9 x 9


@dataclasses.dataclass(frozen=True, kw_only=True)
class Go(PerfectInformationGame[GoState]):
    """Go; an action is a point, row by row from the top left, or, last, the pass.

    Player 0 is Black. Two passes in a row end the game, and so does move `move_limit`; all stones
    are then alive. With superko=positional a move may not repeat any of the last 32 positions (a
    pass makes none); longer cycles end at the move limit. Positions are compared by hashes of 32
    bits, so one in 10**8 moves is wrongly illegal. With superko=simple a move may not restore the
    position before the opponent's last move. With end_from=n passes end no game before move n,
    which keeps untrained agents from ending games at once.
    """

    name = "go"
    summary = "Go on any square board from 2x2 to 19x19, area scoring, positional superko"
    rules = """\
Black and White take turns to put a stone on an empty point, or pass. Stones of a color connected
along the lines form a chain, which is captured when no empty point (liberty) is next to it. A
stone must have a liberty after captures, and no move may repeat an earlier position. After two
passes in a row each player has a point for every own stone and for every empty point that reaches
only own stones; White also gets the komi. So dead stones must be captured before you pass.
Points are named like D4, without an I; A1 is at the bottom left."""

    size: int = param(9, "lines of the board, each way", minimum=2, maximum=19)
    komi: float = param(
        7.0, "points added to White's score", minimum=-go_sgf.MOST_KOMI, maximum=go_sgf.MOST_KOMI
    )
    superko: str = param(
        "positional",
        "positional: no position repeats; simple: not the one before the opponent's move",
        choices=("positional", "simple"),
    )
    move_limit: int = param(
        0, "moves after which a game ends, 0 for twice the points", minimum=0, maximum=10_000
    )
    end_from: int = param(
        0, "moves before two passes can end a game, for training", minimum=0, maximum=10_000
    )
    payoff: str = param(
        "wl", "wl: 1 for a win, 0 for a draw; diff: difference in points", choices=("wl", "diff")
    )

    @property
    def num_points(self) -> int:
        """N."""
        return self.size**2

    @property
    def pass_action(self) -> int:
        """The last action."""
        return self.num_points

    @property
    def num_actions(self) -> int:
        return self.num_points + 1

    @property
    def num_searched_actions(self) -> int:
        return min(self.num_actions, _MOST_SEARCHED)

    @property
    def max_depth(self) -> int:
        return self.move_limit or _MOVES_PER_POINT * self.num_points

    @property
    def max_utility(self) -> float:
        return self.num_points + abs(self.komi) if self.payoff == "diff" else 1.0

    @property
    def num_remembered(self) -> int:
        """W: earlier positions that a move may not repeat."""
        return 1 if self.superko == "simple" else min(self.max_depth, go_rules.MOST_REMEMBERED)

    def root(self) -> GoState:
        dtype = jnp.uint8 if self.num_points <= 256 else jnp.uint16
        return GoState(
            shown=jnp.zeros(self.num_points, jnp.uint16),
            chain=jnp.arange(self.num_points, dtype=dtype),
            earlier=jnp.zeros(self.num_remembered, jnp.uint32),
            num_moves=jnp.int16(0),
            num_passes=jnp.int8(0),
            captured=jnp.zeros(2, jnp.int16),
            symmetry=jnp.int8(0),
        )

    def actor(self, state: GoState) -> Array:
        have_passed = (state.num_passes >= 2) & (state.num_moves >= self.end_from)
        is_over = have_passed | (state.num_moves >= self.max_depth)
        return jnp.where(is_over, TERMINAL, to_move(state)).astype(jnp.int32)

    def legal_outcomes(self, state: GoState) -> Array:
        color, player, keys = color_of(state), to_move(state), go_rules.keys_of(state, self.size)
        only = go_rules.only_liberty(color, state.chain, self.size)
        is_free = go_rules.free_points(color, only, player, self.size)
        after = go_rules.hashes_after(color, only, player, keys)
        is_new = (after[:, None] != state.earlier[None, :]).all(axis=1)
        may_pass = jnp.bool_(True)
        return jnp.append(is_free & is_new, may_pass) & (self.actor(state) != TERMINAL)

    def apply(self, state: GoState, outcome: Array) -> GoState:
        color, player, keys = color_of(state), to_move(state), go_rules.keys_of(state, self.size)
        is_pass = outcome == self.pass_action
        point = jnp.minimum(outcome, self.num_points - 1).astype(jnp.int32)
        after, chain, captured = go_rules.put_stone(color, state.chain, point, player, self.size)
        after = jnp.where(is_pass, color, after)
        remembered = jnp.concatenate([go_rules.hash_of(color, keys)[None], state.earlier[:-1]])
        forgets = is_pass & (self.superko != "simple")
        taken = jnp.where(is_pass, 0, captured.sum(dtype=jnp.int16))
        return GoState(
            shown=(state.shown << BITS) | after,
            chain=jnp.where(is_pass, state.chain, chain),
            earlier=jnp.where(forgets, state.earlier, remembered),
            num_moves=state.num_moves + jnp.int16(1),
            num_passes=jnp.where(is_pass, jnp.minimum(state.num_passes + 1, 2), 0).astype(jnp.int8),
            captured=state.captured + jnp.where(jnp.arange(2) == player, taken, 0),
            symmetry=state.symmetry,
        )

    def score(self, state: GoState) -> Array:
        """float32: Black's points minus White's, komi included, if all stones are alive."""
        black, white = go_rules.area(color_of(state), self.size).sum(axis=1, dtype=jnp.int32)
        lead: Array = (black - white).astype(jnp.float32) - jnp.float32(self.komi)
        return lead

    def result(self, state: GoState) -> Array:
        score = self.score(state)
        return score if self.payoff == "diff" else jnp.sign(score)

    def random_symmetry(self, key: Array, state: GoState) -> tuple[GoState, Array, Array]:
        """Rotates or reflects the board."""
        which = jax.random.randint(key, (), 0, go_rules.NUM_SYMMETRIES)
        points = jnp.asarray(symmetries(self.size))[which]
        became = jnp.argsort(points)  # from a point of the given board to the twin's
        twin = dataclasses.replace(
            state,
            shown=state.shown[points],
            chain=became[state.chain[points].astype(jnp.int32)].astype(state.chain.dtype),
            symmetry=jnp.asarray(go_rules.compositions())[state.symmetry, which],
        )
        actions = jnp.append(points, jnp.int32(self.pass_action))
        return twin, jnp.zeros((2, 1), jnp.int32), actions

    def parse(self, text: str) -> tuple[int, ...]:
        """Also reads points and passes, "D4 pass C3", or an SGF game."""
        record = self._record(text)
        record.check_begins_as_usual()
        self.play(record.actions)
        return record.actions

    def _record(self, text: str) -> go_sgf.SgfRecord:
        if go_sgf.is_sgf(text):
            return go_sgf.read_record(text, self.size)
        points = go_notation.read_actions(split_events(text), self.size)
        return go_sgf.SgfRecord(actions=super().parse(text) if points is None else tuple(points))

    def read_position(self, text: str) -> tuple[GoState, tuple[int, ...]]:
        """Also reads an SGF game that begins with setup stones, such as a handicap.

        Players may resume a game after two passes or play past our move limit; the start of such a
        game has a negative move count, so that neither ends the game before its last resumption.
        """
        record = self._record(text)
        start = self._begun_earlier(self.set_up(record.stones, record.first), record.actions)
        self.play(record.actions, start)
        return start, record.actions

    def _begun_earlier(self, start: GoState, actions: Sequence[int]) -> GoState:
        """A start with a move count low enough that no end comes before the last move."""
        num_passes, earlier = 0, 0
        for number, action in enumerate(actions, start=int(start.num_moves)):
            is_over = (num_passes >= 2 and number >= self.end_from) or number >= self.max_depth
            if is_over:
                earlier = number + 1 + (number + 1) % 2  # the same player moves first
            num_passes = num_passes + 1 if action == self.pass_action else 0
        return dataclasses.replace(start, num_moves=start.num_moves - jnp.int16(earlier))

    def rules_in(self, text: str) -> Mapping[str, int | float]:
        """The size and komi given in an SGF game."""
        return go_sgf.read_rules(text) if go_sgf.is_sgf(text) else {}

    def set_up(self, stones: Mapping[int, int], first: int) -> GoState:
        """A board before any move. stones: owners by point. first: the player to move.

        Raises ValueError for stones without a liberty.
        """
        shown, chain = go_setup.board_of(stones, self.size)
        root = self.root()
        return dataclasses.replace(
            root,
            shown=jnp.asarray(shown),
            chain=jnp.asarray(chain, root.chain.dtype),
            num_moves=jnp.int16(first),  # its parity says whose turn it is
        )

    def with_turn(self, state: GoState, player: int) -> GoState:
        """The same board with the given player to move, see `SetUpGame`.

        A change of turn acts like a pass that counts neither toward two passes nor toward the move
        limit. A finished game is resumed with both counts at 0.
        """
        is_over, moves = bool(self.actor(state) == TERMINAL), int(state.num_moves)
        if int(to_move(state)) != player:
            state = _look(self, state, jnp.int32(self.pass_action))[1]
            moves = moves - 1 if moves else 1
        elif not is_over:
            return state
        return dataclasses.replace(
            state, num_moves=jnp.int16(player if is_over else moves), num_passes=jnp.int8(0)
        )

    @property
    def most_handicap(self) -> int:
        """The largest handicap with fixed points."""
        return go_setup.most_handicap(self.size)

    def handicap(self, number: int) -> tuple[int, ...]:
        """The fixed points of Black's handicap; ValueError for a number without any."""
        return go_setup.handicap_points(number, self.size)

    def stones_of(self, state: GoState) -> dict[int, int]:
        """The owner of each stone, by point."""
        color = color_of(state).tolist()
        return {point: one - 1 for point, one in enumerate(color) if one != EMPTY}

    def start(self, text: str) -> GoState:
        start, actions = self.read_position(text)
        return self.play(actions, start)

    def play(self, actions: Sequence[int], start: GoState | None = None) -> GoState:
        """The state after moves from the root or from `start`. Raises ValueError for an illegal
        one."""
        state = self.root() if start is None else start
        for number, action in enumerate(actions, start=1):
            legal, after = _look(self, state, jnp.int32(action))
            if not legal[action]:
                move = f"move {number}, {self.vertex_of_action(action)},"
                raise ValueError(f"{move} {self._why_not(state, action)}.")
            state = after
        return state

    def _why_not(self, state: GoState, action: int) -> str:
        """Why a move is illegal."""
        if self.actor(state) == TERMINAL:
            return "comes after the end of the game"
        color = color_of(state)
        if color[action] != go_rules.EMPTY:
            return "is on an occupied point"
        only = go_rules.only_liberty(color, state.chain, self.size)
        if not go_rules.free_points(color, only, to_move(state), self.size)[action]:
            return "would leave its own stones without a liberty"
        return "would repeat an earlier position"

    def vertex_of_action(self, action: int) -> str:
        """A point as "D4", or "pass"."""
        return go_notation.vertex(action, self.size)

    def action_of_vertex(self, text: str) -> int:
        """The action of a vertex in either case. Raises ValueError for any other text."""
        return go_notation.read_vertex(text, self.size)

    def sgf(
        self,
        actions: Sequence[int],
        *,
        names: tuple[str, str] = ("", ""),
        result: str = "",
        start: GoState | None = None,
    ) -> str:
        """A game from the root, or from a setup position, as SGF.

        names: of Black and of White. result: such as "W+R", if it does not follow from the board.
        start: the position, see `set_up`; None for the root. Raises ValueError for an illegal move.
        """
        begins = self.root() if start is None else start
        state = self.play(actions, begins)
        if not result and self.actor(state) == TERMINAL:
            score = float(self.score(state))
            result = f"{'B' if score > 0 else 'W'}+{abs(score):g}" if score else "0"
        return go_sgf.write_sgf(
            actions,
            size=self.size,
            komi=self.komi,
            result=result or "?",
            names=names,
            stones=self.stones_of(begins),
            first=int(to_move(begins)),
        )

    @property
    def encoding(self) -> Planes:
        return Planes(
            channels=2 * NUM_SHOWN + 1,
            rows=self.size,
            columns=self.size,
            moves=Moves(planes=1, others=1),
        )

    def observe(self, state: GoState) -> Array:
        """Planes [17, row, column], flattened: own stones in the last eight positions, the other's,
        and 1 if Black is to move (Table S1)."""
        player = to_move(state)
        shifts = jnp.arange(0, BITS * NUM_SHOWN, BITS, dtype=jnp.uint16)
        colors = (state.shown[None, :] >> shifts[:, None]) & jnp.uint16(3)
        is_black = jnp.broadcast_to(player == PLAYER_0, (1, self.num_points))
        planes = jnp.concatenate([colors == player + 1, colors == 2 - player, is_black])
        return planes.reshape(-1).astype(jnp.float32)

    def describe_seat(self, player: int) -> str:
        return f"your stones are {go_drawing.MARKS[player + 1]} ({go_drawing.NAMES[player]})"

    def describe_action(self, state: GoState, infostate: int, action: int) -> str:
        return self.vertex_of_action(action)

    def describe_state(self, state: GoState) -> str:
        """The rows from the top, and the player to move or the winner and margin."""
        board = go_drawing.write_board(np.asarray(color_of(state)), self.size)
        if int(self.actor(state)) != TERMINAL:
            return f"{board} ({go_drawing.NAMES[int(to_move(state))]} to move)"
        score = float(self.score(state))
        if not score:
            return f"{board} (draw)"
        return f"{board} ({go_drawing.NAMES[score < 0]} has won by {abs(score):g})"

    def draw(self, state: GoState, ranges: np.ndarray | None = None) -> str:
        """The board with its coordinates; the last stone is in brackets."""
        return go_drawing.draw_board(
            np.asarray(color_of(state)), self.size, last_stone(state), state.captured.tolist()
        )

    def view(
        self,
        state: GoState,
        *,
        infostates: Seen = (None, None),
        choices: Sequence[int] = (),
        ranges: np.ndarray | None = None,
    ) -> GoView:
        color, owners = np.asarray(color_of(state)), {}
        if int(self.actor(state)) == TERMINAL:
            counted = np.asarray(go_rules.area(color_of(state), self.size))
            players, points = np.nonzero(counted & (color == go_rules.EMPTY))
            owners = dict(zip(points.tolist(), players.tolist(), strict=True))
        return go_drawing.view_board(
            self.describe_state(state),
            color,
            self.size,
            last=last_stone(state),
            captured=state.captured.tolist(),
            owners=owners,
            mover=int(to_move(state)),
            choices=choices,
        )


@functools.partial(jax.jit, static_argnums=0)
def _look(game: Go, state: GoState, action: Array) -> tuple[Array, GoState]:
    """The legal outcomes, and the state after an action."""
    return game.legal_outcomes(state), game.apply(state, action)
