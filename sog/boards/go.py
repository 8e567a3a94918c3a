"""Go on square boards: area scoring, no suicide, and no position twice.

The rules are those of computer Go servers: Tromp and Taylor's (https://tromp.github.io/go.html),
but a stone must have a liberty when captures are made.
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
    """Go; an action is a point, row by row from the top left, or the pass after them.

    Player 0 is Black. Two passes in a row end the game, and so does move `move_limit`; what is on
    the board then is alive. With superko=positional a move may not repeat any of the 32 latest
    positions, of which a pass makes none; longer cycles run into the move limit. Positions are told
    apart by 32 bits, so one in 10**8 moves is forbidden by mistake. With superko=simple a move may
    not bring back the position before the opponent's last move. With end_from=n no game
    ends by passes before move n, which keeps agents that know nothing yet from doing so.
    """

    name = "go"
    summary = "Go on any square board from 2x2 to 19x19, area scoring, positional superko"
    rules = """\
In turn Black and White put a stone on a free point, or pass. Stones of a color that are joined
along the lines live and die together: they are taken off when no free point is beside any of
them. No stone may be put where it would have none, unless it captures; and no move may bring
an earlier position back. After two passes in a row each player has a point for every stone on
the board and for every free point that only his stones reach; White has the komi besides.
So dead stones must be captured before you pass. Points are named like D4, without an I;
A1 is at the bottom left."""

    size: int = param(9, "lines of the board, each way", minimum=2, maximum=19)
    komi: float = param(
        7.0, "points that White is given", minimum=-go_sgf.MOST_KOMI, maximum=go_sgf.MOST_KOMI
    )
    superko: str = param(
        "positional",
        "positional: no position again; simple: not the one before the opponent's move",
        choices=("positional", "simple"),
    )
    move_limit: int = param(
        0, "moves that end a game, 0 for twice the points", minimum=0, maximum=10_000
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
        """The action after those of the points."""
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
        """W: earlier positions that a move may not bring back."""
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
        """float32: Black's points less White's, komi included, if all on the board is alive."""
        black, white = go_rules.area(color_of(state), self.size).sum(axis=1, dtype=jnp.int32)
        lead: Array = (black - white).astype(jnp.float32) - jnp.float32(self.komi)
        return lead

    def result(self, state: GoState) -> Array:
        score = self.score(state)
        return score if self.payoff == "diff" else jnp.sign(score)

    def random_symmetry(self, key: Array, state: GoState) -> tuple[GoState, Array, Array]:
        """The board turned or seen in a mirror."""
        which = jax.random.randint(key, (), 0, go_rules.NUM_SYMMETRIES)
        points = jnp.asarray(symmetries(self.size))[which]
        became = jnp.argsort(points)  # of a point of the given board, the twin's
        twin = dataclasses.replace(
            state,
            shown=state.shown[points],
            chain=became[state.chain[points].astype(jnp.int32)].astype(state.chain.dtype),
            symmetry=jnp.asarray(go_rules.compositions())[state.symmetry, which],
        )
        actions = jnp.append(points, jnp.int32(self.pass_action))
        return twin, jnp.zeros((2, 1), jnp.int32), actions

    def parse(self, text: str) -> tuple[int, ...]:
        """Also points and passes, as "D4 pass C3", or a game in the Smart Game Format."""
        record = self._record(text)
        record.check_begins_as_usual()
        self.play(record.actions)
        return record.actions

    def _record(self, text: str) -> go_sgf.Record:
        if go_sgf.is_sgf(text):
            return go_sgf.read_record(text, self.size)
        points = go_notation.read_actions(split_events(text), self.size)
        return go_sgf.Record(actions=super().parse(text) if points is None else tuple(points))

    def read_position(self, text: str) -> tuple[GoState, tuple[int, ...]]:
        """Also a game in the Smart Game Format that begins with stones set up, as a handicap.

        Players may resume a game after two passes, and ours ends longer games: such a game begins
        so many moves before the first that neither ends it before its last resumption.
        """
        record = self._record(text)
        start = self._begun_earlier(self.set_up(record.stones, record.first), record.actions)
        self.play(record.actions, start)
        return start, record.actions

    def _begun_earlier(self, start: GoState, actions: Sequence[int]) -> GoState:
        """A start whose count of moves is below 0 as long as an end is followed by a move."""
        num_passes, earlier = 0, 0
        for number, action in enumerate(actions, start=int(start.num_moves)):
            is_over = (num_passes >= 2 and number >= self.end_from) or number >= self.max_depth
            if is_over:
                earlier = number + 1 + (number + 1) % 2  # the same player moves first
            num_passes = num_passes + 1 if action == self.pass_action else 0
        return dataclasses.replace(start, num_moves=start.num_moves - jnp.int16(earlier))

    def rules_in(self, text: str) -> Mapping[str, int | float]:
        """The size and the komi that a game in the Smart Game Format says it has."""
        return go_sgf.read_rules(text) if go_sgf.is_sgf(text) else {}

    def set_up(self, stones: Mapping[int, int], first: int) -> GoState:
        """A board before any move. stones: by point the player whose it is; first: who moves.

        Raises ValueError for stones without a liberty.
        """
        shown, chain = go_setup.board_of(stones, self.size)
        root = self.root()
        return dataclasses.replace(
            root,
            shown=jnp.asarray(shown),
            chain=jnp.asarray(chain, root.chain.dtype),
            num_moves=jnp.int16(first),  # whose turn it is follows from it
        )

    def with_turn(self, state: GoState, player: int) -> GoState:
        """The same board where it is a player's turn, as of `SetUpGame`.

        If it was not, it is as if the other had passed, but that such a pass brings no end nearer:
        neither that by two passes nor that by the move limit. A game that is over is resumed: of
        passes and moves none counts.
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
        """How many stones of a handicap have fixed points."""
        return go_setup.most_handicap(self.size)

    def handicap(self, number: int) -> tuple[int, ...]:
        """The fixed points of so many stones of Black; ValueError where there are none."""
        return go_setup.handicap_points(number, self.size)

    def stones_of(self, state: GoState) -> dict[int, int]:
        """By point the player whose stone is there."""
        color = color_of(state).tolist()
        return {point: one - 1 for point, one in enumerate(color) if one != EMPTY}

    def start(self, text: str) -> GoState:
        start, actions = self.read_position(text)
        return self.play(actions, start)

    def play(self, actions: Sequence[int], start: GoState | None = None) -> GoState:
        """The state after moves, from the beginning or from `start`. Raises ValueError for one that
        is not legal."""
        state = self.root() if start is None else start
        for number, action in enumerate(actions, start=1):
            legal, after = _look(self, state, jnp.int32(action))
            if not legal[action]:
                move = f"move {number}, {self.vertex_of_action(action)},"
                raise ValueError(f"{move} {self._why_not(state, action)}.")
            state = after
        return state

    def _why_not(self, state: GoState, action: int) -> str:
        """Why a move is not legal."""
        if self.actor(state) == TERMINAL:
            return "comes after the end of the game"
        color = color_of(state)
        if color[action] != go_rules.EMPTY:
            return "puts a stone where there is one"
        only = go_rules.only_liberty(color, state.chain, self.size)
        if not go_rules.free_points(color, only, to_move(state), self.size)[action]:
            return "would leave its own stones without a liberty"
        return "would bring back an earlier position"

    def vertex_of_action(self, action: int) -> str:
        """A point as "D4", or "pass"."""
        return go_notation.vertex(action, self.size)

    def action_of_vertex(self, text: str) -> int:
        """The action of such a text, in letters of either case. Raises ValueError if it is none."""
        return go_notation.read_vertex(text, self.size)

    def sgf(
        self,
        actions: Sequence[int],
        *,
        names: tuple[str, str] = ("", ""),
        result: str = "",
        start: GoState | None = None,
    ) -> str:
        """A game from its beginning, or from a position that was set up, in the Smart Game Format.

        names: of Black and of White. result: as "W+R", where it is not what the board says. start:
        the position, see `set_up`, None for that of a game. Raises ValueError for a move that is
        not legal.
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
        """Planes [17, row, column], flattened: own stones now and before each of the last seven
        moves, the other's likewise, and 1 if Black is to move (Table S1)."""
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
        """The rows from the top, and who is to move or by how many points who has won."""
        board = go_drawing.write_board(np.asarray(color_of(state)), self.size)
        if int(self.actor(state)) != TERMINAL:
            return f"{board} ({go_drawing.NAMES[int(to_move(state))]} to move)"
        score = float(self.score(state))
        if not score:
            return f"{board} (draw)"
        return f"{board} ({go_drawing.NAMES[score < 0]} has won by {abs(score):g})"

    def draw(self, state: GoState, ranges: np.ndarray | None = None) -> str:
        """The board with its coordinates; the last stone stands between brackets."""
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
    """What is legal, and the state after an action if it is."""
    return game.legal_outcomes(state), game.apply(state, action)
