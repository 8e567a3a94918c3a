"""The `Game` contract: a game is a public tree, and ranges flow through it.

Glossary, used in every room of the project:

    public state    what both players know.
    infostate       a player's information state, an index into a padded list of S per public state
                    (a hand in poker, Mr X's station, the one empty entry in chess).
    world           (public state, infostate of player 0, infostate of player 1).
    action          what the acting player chooses, A of them; may be hidden from the other.
    outcome         the public event that follows, K of them (a bet, a card dealt, "caught").
    reach           a player's own contribution to the probability of getting here; chance is left
                    out, and it is not normalised.
    joint weight    w(s0, s1 | public state): chance's contribution, from the deal on.
    cfv             cfv_i(s) = sum over s' of w(s, s') reach_-i(s') E[utility_i | s, s'].

A game writes the forward direction only. Counterfactual values flow up through the linear transpose
of `Game.advance`, so they are right by construction.
"""

import abc
import dataclasses
import itertools
import types
from collections.abc import Mapping
from typing import Any, ClassVar, Final

import jax
import jax.numpy as jnp
from jax import Array

from sog.games.encoding import Encoding, Flat
from sog.games.notation import read_events, split_events
from sog.games.shown import Shown, State
from sog.parameters import check_params, params_of, written_call
from sog.parameters import param as param

PLAYER_0: Final = 0
PLAYER_1: Final = 1
CHANCE: Final = 2
TERMINAL: Final = 3

MOST_INFOSTATE_ACTIONS: Final = 2**20
"""S times A that a game can have."""
MOST_OUTCOMES: Final = 2**16
"""K that a game can have."""
MOST_EXACT: Final = 2**24
"""Up to here 32-bit floating-point numbers hold every integer."""
_MOST_WRITTEN_OUT: Final = 16


@dataclasses.dataclass(frozen=True, kw_only=True)
class Game(Shown[State]):
    """A two-player zero-sum game as pure functions of a public state.

    Subclasses are frozen keyword-only dataclasses whose fields are the parameters (see `param`), so
    a game is hashable and can be a static argument of `jax.jit`. All functions of a `State` are
    written for one state, have static shapes and can be jitted and vmapped. `State` is a `pytree`
    whose leaves keep their shape and dtype (always named explicitly: int32, int8, bool) under
    `apply`, also when 64-bit types are enabled. Functions of a reach return its dtype.

    Conventions that every function keeps:

    * Infostate lists are padded to S = `num_infostates` for both players, not always at the end.
      `infostate_mask` says which entries can occur at a state; the reach of the others is zero.
    * At a chance state, player 0 "acts" with the single legal action 0. So one rule covers every
      state: the acting player's part is `action_reach[S, A]`, the other's is `other_reach[S]`.
    * Simultaneous moves are a hidden move of player 0 followed by a move of player 1.
    """

    summary: ClassVar[str]
    """A line for `sog games`."""
    rules: ClassVar[str] = ""
    """The rules, in at most a screenful: for `sog games NAME --rules` and `?` in `sog play`."""
    unit: ClassVar[str] = "points"
    """The unit of utilities; 1/1000 of it is printed as `milli_unit`."""
    milli_unit: ClassVar[str] = "milli-points"
    """In poker mbb, where the unit is the big blind, or the ante without blinds."""
    parts: ClassVar[Mapping[str, str]] = types.MappingProxyType({})
    """Its parts for training and commands, as module:attribute: `sog.games.parts`."""
    where_too_large: ClassVar[str] = ""
    """Advice for a tree that is too large, if it differs from the general one."""

    def __post_init__(self) -> None:
        check_params(self.name, self)
        _check_sizes(self)

    @classmethod
    def files_read(cls, parameters: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
        """The files that a game reads, by the parameter that names them. parameters: as typed.

        `sog.games.foreign` decides which of them somebody else's file may name.
        """
        return {}

    # Sizes, all static.

    @property
    @abc.abstractmethod
    def num_infostates(self) -> int:
        """S: infostates per player and public state, padding included."""

    @property
    @abc.abstractmethod
    def num_actions(self) -> int:
        """A: private actions, padding included."""

    @property
    @abc.abstractmethod
    def num_outcomes(self) -> int:
        """K: public outcomes, padding included."""

    @property
    def num_searched_actions(self) -> int:
        """The default number of a state's actions that a search keeps in its tree, the best by the
        prior; here all. Fewer only with perfect information and without chance."""
        return self.num_actions

    @property
    def num_searched_outcomes(self) -> int:
        """The default number of a chance node's outcomes that a search keeps in its tree, a sample
        if there are more; here all. At least `num_decision_outcomes`."""
        return self.num_outcomes

    @property
    def num_decision_outcomes(self) -> int:
        """The most public outcomes that one decision can have, K at most; chance may have more.

        Search keeps room for all of these, even if it samples the outcomes of chance.
        """
        return min(self.num_actions, self.num_outcomes)

    @property
    def num_chance_outcomes(self) -> int:
        """The most public outcomes that a chance node can have, K at most."""
        return self.num_outcomes if self.has_chance else 0

    @property
    @abc.abstractmethod
    def max_depth(self) -> int:
        """The most public events between the root and a terminal state."""

    @property
    @abc.abstractmethod
    def max_utility(self) -> float:
        """Utilities lie in [-max_utility, max_utility]."""

    @property
    def hides_information(self) -> bool:
        """Whether there is hidden information; otherwise each player has one infostate."""
        return self.num_infostates > 1

    @property
    def has_public_actions(self) -> bool:
        """Whether every action is public and no infostate ever changes its index.

        Then `advance` is `public_action` and the child's mask, outcome k being action k, and search
        can send reach and cfvs through many nodes at once without calling `advance`.
        """
        return False

    @property
    def has_chance(self) -> bool:
        """Whether chance may act after the deal; if not, search can add children one by one."""
        return True

    # The public tree.

    @abc.abstractmethod
    def root(self) -> State:
        """The public state right after the private deal."""

    @abc.abstractmethod
    def actor(self, state: State) -> Array:
        """int32: PLAYER_0, PLAYER_1, CHANCE or TERMINAL."""

    @abc.abstractmethod
    def legal_outcomes(self, state: State) -> Array:
        """bool[K]: public events that some world allows; all False at a terminal state."""

    def outcomes_in_order(self, state: State) -> Array:
        """[K] int32: a permutation of the outcomes with those of chance that lead to similar play
        next to each other, so that a sample can be spread over them (`spread_outcomes` of a
        search). Here by number."""
        return jnp.arange(self.num_outcomes, dtype=jnp.int32)

    @abc.abstractmethod
    def apply(self, state: State, outcome: Array) -> State:
        """The public state after a legal outcome (undefined after an illegal one)."""

    @abc.abstractmethod
    def infostate_mask(self, state: State) -> Array:
        """bool[2, S]: infostates that some legal play of both players and chance leads to."""

    @abc.abstractmethod
    def legal_actions(self, state: State) -> Array:
        """bool[S, A]: a row per infostate of the acting player.

        Rows outside `infostate_mask` are False. At a chance state column 0 is player 0's mask and
        the rest is False; at a terminal state all is False.
        """

    # How ranges flow.

    def root_reach(self) -> Array:
        """[2, S]: 1 for every infostate that can be dealt, 0 for padding."""
        return self.infostate_mask(self.root()).astype(jnp.result_type(float))

    @abc.abstractmethod
    def advance(
        self, state: State, outcome: Array, action_reach: Array, other_reach: Array
    ) -> Array:
        """Reach probabilities in the child public state.

        action_reach: [S, A], the actor's reach times the probability of each action, 0 where
        illegal. other_reach: [S], the other player's reach. Returns reach [2, S].

        The acting player's row is linear in `action_reach`, the other's in `other_reach`; neither
        contains chance probabilities, and entries outside the child's `infostate_mask` are 0. A
        public action picks a column; a hidden move sums the (infostate, action) pairs that lead to
        each new infostate; an event that rules infostates out masks. Every coefficient is 0 or 1.
        """

    def advance_all(
        self, state: State, outcomes: Array | None, action_reach: Array, other_reach: Array
    ) -> Array:
        """`advance` to several children: [outcome, 2, S]. outcomes: int32; None for all, in order.

        For searches, which mask the result: entries outside the children's `infostate_mask` may be
        any numbers.
        """
        numbers = jnp.arange(self.num_outcomes) if outcomes is None else outcomes
        after: Array = jax.vmap(lambda k: self.advance(state, k, action_reach, other_reach))(
            numbers
        )
        return after

    @abc.abstractmethod
    def compatible_reach(self, state: State, reach: Array) -> Array:
        """[2, S] from reach [2, S]: sum over s' of w(s, s') reach_-i(s'), per own infostate s.

        0 outside `infostate_mask`.
        """

    @abc.abstractmethod
    def utilities(self, state: State, reach: Array) -> Array:
        """Cfvs [2, S] of a terminal state: sum over s' of w(s, s') reach_-i(s') u_i(s, s')."""

    def keep_terminal(self, state: State) -> Any:
        """A digest of a terminal state for `utilities_of_kept`: a pytree of bool and of numbers of
        8, 16 or 32 bits; undefined for other states.

        A search computes the utilities of a terminal state in every update, but what does not
        depend on reach, such as who has the better hand, only once. Here it is the state itself.
        """
        return state

    def utilities_of_kept(self, kept: Any, reach: Array) -> Array:
        """`utilities` of a state, from its `keep_terminal`."""
        return self.utilities(kept, reach)

    @abc.abstractmethod
    def observe(self, state: State) -> Array:
        """float32[F]: features of the public state for a network, roughly in [-1, 1]."""

    @property
    def encoding(self) -> Encoding:
        """The structure of the features: numbers as here, planes of a board, a map, or hands."""
        return Flat()

    def random_symmetry(self, key: Array, state: State) -> tuple[State, Array, Array]:
        """An isomorphic state (twin), if the rules have symmetries: of suits, or sides of a board.

        Returns (twin, infostates int32[2, S], actions int32[A]): the twin's infostate s of a player
        is `infostates[player, s]` of the given state, its action a is `actions[a]`. A key
        determines one symmetry, for any state. The actor stays the same, and so does everything
        below the state up to renaming, so a learner may replace an example by any of its twins.
        Without symmetries, as here, a state is its only twin.
        """
        unchanged = jnp.arange(self.num_infostates, dtype=jnp.int32)
        actions = jnp.arange(self.num_actions, dtype=jnp.int32)
        return state, jnp.stack([unchanged, unchanged]), actions

    # Positions as people write them; runs on the host.

    def parse(self, text: str) -> tuple[int, ...]:
        """The public events from the root to a position in notation.

        Words as for a shell, each the text of an event (`describe_outcome`) or its number. A game
        may also read its players' notation, as the columns of Connect Four or a board; texts of
        events keep their meaning, but not their numbers. Raises ValueError, one line with the fault
        and the valid alternatives.
        """
        return read_events(self, split_events(text))

    def read_position(self, text: str) -> tuple[State | None, tuple[int, ...]]:
        """The start state of a text, and the public events from there to its position.

        Here None for the root, see `parse`; a game may also read positions without a history, as a
        FEN of chess, which then start a game.
        """
        return None, self.parse(text)

    def rules_in(self, text: str) -> Mapping[str, int | float]:
        """Parameters of the game that a text states, as the komi in a Go record; here none.

        `read_position` accepts any text for the same board, whatever its other rules. Raises
        ValueError, one line, for an invalid value.
        """
        return {}

    def start(self, text: str) -> State:
        """The start state of a text, see `read_position`."""
        begins, outcomes = self.read_position(text)
        state = self.root() if begins is None else begins
        for outcome in outcomes:
            state = self.apply(state, jnp.int32(outcome))
        return state

    # Worlds, for sampling.

    def deal(self, key: Array) -> Array:
        """int32[2]: a pair of infostates at the root, from the true joint distribution. Here 0 for
        both: the only ones of a game that deals nothing in private."""
        return jnp.zeros(2, jnp.int32)

    @abc.abstractmethod
    def transition(
        self, key: Array, state: State, infostates: Array, action: Array
    ) -> tuple[Array, Array]:
        """One step of a world: (outcome int32, infostates int32[2] in the child public state).

        infostates: int32[2]. action: int32, legal for the acting player's infostate. At a chance
        node the action is ignored and the outcome has its true probability in this world.
        """

    def world_actions(self, state: State, infostates: Array) -> Array:
        """bool[A]: the acting player's row of `legal_actions` in a world; infostates int32[2].

        A game may compute one row without the others.
        """
        row = jnp.where(self.actor(state) == PLAYER_1, PLAYER_1, PLAYER_0)
        return self.legal_actions(state)[infostates[row]]

    def world_utility(self, state: State, infostates: Array) -> Array:
        """The utility of player 0 in a terminal world; infostates int32[2]. Here 0 if impossible.

        A game may compute it without the parts of the public state that only ranges need, so that
        XLA drops those from a program that only plays worlds.
        """
        world = jax.nn.one_hot(infostates, self.num_infostates)
        # A cfv is the utility times the joint weight of the two infostates.
        weight = self.compatible_reach(state, world)[PLAYER_0, infostates[PLAYER_0]]
        cfv = self.utilities(state, world)[PLAYER_0, infostates[PLAYER_0]]
        return jnp.where(weight > 0, cfv / jnp.where(weight > 0, weight, 1), 0)

    def params(self) -> dict[str, Any]:
        """The parameters and their values, in declaration order."""
        return params_of(self)

    def __str__(self) -> str:
        return written_call(self.name, self.params())


def _check_sizes(game: Game[Any]) -> None:
    """Rejects sizes that no machine can hold: they are axes of every node's arrays."""
    rows = game.num_infostates * game.num_actions
    if rows > MOST_INFOSTATE_ACTIONS:
        raise ValueError(
            f"{game}: infostates times actions must be at most {MOST_INFOSTATE_ACTIONS:,}, "
            f"got {rows:,}."
        )
    if game.num_outcomes > MOST_OUTCOMES:
        raise ValueError(
            f"{game}: outcomes of a state must be at most {MOST_OUTCOMES:,}, "
            f"got {game.num_outcomes:,}."
        )


# Helpers that most games need.


def public_action(state_actor: Array, outcome: Array, action_reach: Array, other: Array) -> Array:
    """`advance` for a public action: outcome k means action k, and no infostate changes.

    At a chance node (player 0 with action 0) reach passes unchanged. Returns reach [2, S].
    """
    column = jnp.where(state_actor == CHANCE, 0, outcome)
    actor_reach = action_reach[:, column]
    acts_first = state_actor != PLAYER_1
    return jnp.where(acts_first, jnp.stack([actor_reach, other]), jnp.stack([other, actor_reach]))


def opponents_weight(matrix: Array, reach: Array) -> Array:
    """[2, S]: sum over s' of matrix[s0, s1] times the opponent's reach; matrix is [S, S]."""
    precision = jax.lax.Precision.HIGHEST  # accelerators would round the factors to 10 bits
    return jnp.stack(
        [
            jnp.matmul(matrix, reach[1], precision=precision),
            jnp.matmul(reach[0], matrix, precision=precision),
        ]
    )


def draw(point: Array, weights: Array) -> Array:
    """int32: the index at a point in [0, 1) of a distribution; never an index of weight 0.

    weights: [n], >= 0, proportional to the probabilities. Unlike `jax.random.choice` this has no
    search loop; a short list is unrolled, which compilers fuse into one operation.
    """
    if len(weights) > _MOST_WRITTEN_OUT:
        upto = jnp.cumsum(weights)
        before = jnp.concatenate([jnp.zeros_like(upto[:1]), upto[:-1]])
        is_passed = (weights > 0) & (before <= point * upto[-1])
        last: Array = jnp.max(jnp.where(is_passed, jnp.arange(len(weights), dtype=jnp.int32), 0))
        return last
    *starts, total = itertools.accumulate(list(weights), initial=jnp.zeros_like(weights[0]))
    found: Array = jnp.int32(0)
    for number, start in enumerate(starts):
        found = jnp.where((weights[number] > 0) & (start <= point * total), number, found)
    return found


def zero_sum_cfvs(payoff_weight: Array, reach: Array) -> Array:
    """Cfvs [2, S] at a terminal state from w(s0, s1) u_0(s0, s1), an [S, S] matrix."""
    cfvs = opponents_weight(payoff_weight, reach)
    return cfvs * jnp.array([[1], [-1]], cfvs.dtype)
