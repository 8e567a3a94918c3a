"""Small OpenSpiel games as public trees: `load_openspiel("leduc_poker")`.

Any two-player zero-sum game of OpenSpiel that can be enumerated, also with simultaneous moves, and
any Gambit file, `efg_game(filename=my.efg)`. OpenSpiel has no public states: they are derived from
the whole tree in three steps (`histories.py`, `public_states.py`, `tables.py`); this file is the
game that reads the tables. Games without perfect recall are rejected with the reason.

If histories of one public state do not move at the same time, some infostates have a single action
"wait" there, which changes no value.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import CHANCE, PLAYER_1, TERMINAL, Game
from sog.openspiel.bounds import (
    bytes_allowed,
    limited_memory,
    read_max_histories,
    too_large,
)
from sog.openspiel.histories import (
    Histories,
    enumerate_histories,
    information_string,
)
from sog.openspiel.loading import load_spiel, one_line, refusal, try_first
from sog.openspiel.public_states import TimingError, public_states
from sog.openspiel.tables import WAIT, Slices, Tables, make_tables
from sog.openspiel.texts import MOST_COMPARED, name_event, private_picture, public_picture
from sog.pytree import pytree

_POKER: Final = {"kuhn_poker": "mbb", "leduc_poker": "mbb", "universal_poker": "milli-chips"}
"""Games whose utilities are in chips, and the name of a thousandth: mbb if the ante is a chip, as
in our games; universal_poker may have any blinds."""


def load_openspiel(
    text: str,
    *,
    max_histories: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> "OpenSpiel":
    """A game from OpenSpiel's text for it, e.g. "leduc_poker(suit_isomorphism=True)".

    progress: called with texts such as "12,000 histories". Raises ValueError with the reason if
    OpenSpiel is not installed or does not know the game, if the game is not supported, or if it has
    more than `max_histories` histories (default: the environment variable SOG_MAX_HISTORIES, else
    one million) or needs more memory than these allow.
    """
    text = text.strip()
    if max_histories is None:
        max_histories = read_max_histories()

    num_bytes = bytes_allowed(max_histories)
    if try_first(text, max_histories, num_bytes):
        raise refusal(text, too_large(f"{max_histories:,} histories", max_histories))
    try:
        with limited_memory(num_bytes):
            return _load(text, max_histories, progress)
    except (RuntimeError, IndexError) as error:  # of C++
        raise refusal(text, one_line(error)) from None
    except MemoryError:
        memory = f"fits into {num_bytes / 1e9:.3g} GB of memory"
        raise refusal(text, too_large(memory, max_histories)) from None


def _load(text: str, max_histories: int, progress: Callable[[str], None] | None) -> "OpenSpiel":
    def counting(what: str) -> Callable[[int], None]:
        return lambda count: progress(f"{count:,} {what}") if progress is not None else None

    spiel = load_spiel(text)
    counting("histories")(0)
    histories = enumerate_histories(text, spiel, max_histories, counting("histories"))
    try:
        states = public_states(histories, counting("public states"))
    except TimingError as error:
        stuck = histories.moves_to(error.args[0])
        infostate = one_line(_replay(spiel, stuck).information_state_string(), limit=120)
        reason = "no order of play: other information states come both before and after it"
        raise refusal(text, f"{reason}, {infostate!r}") from None
    return OpenSpiel(
        text=text,
        bound=max(abs(spiel.max_utility()), abs(spiel.min_utility())),
        histories=histories,
        tables=make_tables(histories, states),
    )


@pytree
class OpenSpielState:
    """A public state: its number in the tables."""

    node: Array  # int32


@dataclasses.dataclass(frozen=True, kw_only=True)
class OpenSpiel(Game[OpenSpielState]):
    """An enumerated OpenSpiel game; made by `load_openspiel`, equal if the texts are."""

    name = "openspiel"
    summary = "any small two-player zero-sum game of OpenSpiel"

    text: str
    bound: float = dataclasses.field(compare=False, repr=False)
    histories: Histories = dataclasses.field(compare=False, repr=False)
    tables: Tables = dataclasses.field(compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.name}:{self.text}"

    @property
    def unit(self) -> str:  # type: ignore[override]
        return "chips" if self._name in _POKER else Game.unit

    @property
    def milli_unit(self) -> str:  # type: ignore[override]
        return _POKER.get(self._name, Game.milli_unit)

    @property
    def _name(self) -> str:
        return self.text.partition("(")[0].strip()

    @property
    def num_infostates(self) -> int:
        return max(slices.longest for slices in self.tables.entries)

    @property
    def num_actions(self) -> int:
        return self.tables.actions.longest

    @property
    def num_outcomes(self) -> int:
        return self.tables.children.longest

    @property
    def num_decision_outcomes(self) -> int:
        # May differ from the number of actions: one may lead to several public states.
        return int(self.tables.children.count[self.tables.node_actor < CHANCE].max(initial=1))

    @property
    def max_depth(self) -> int:
        depth = self.tables.node_depth
        return max(1, int(depth.max() - depth[self.tables.root]))  # also of a game over at once

    @property
    def max_utility(self) -> float:
        return self.bound

    def root(self) -> OpenSpielState:
        return OpenSpielState(node=jnp.int32(self.tables.root))

    def actor(self, state: OpenSpielState) -> Array:
        return jnp.asarray(self.tables.node_actor, jnp.int32)[state.node]

    def legal_outcomes(self, state: OpenSpielState) -> Array:
        return _rows(self.tables.children, state.node)[1]

    def apply(self, state: OpenSpielState, outcome: Array) -> OpenSpielState:
        children, _ = _rows(self.tables.children, state.node)
        last = len(self.tables.node_actor) - 1
        node = jnp.minimum(children[outcome], last).astype(jnp.int32)
        return OpenSpielState(node=node)

    def infostate_mask(self, state: OpenSpielState) -> Array:
        count = jnp.stack([jnp.asarray(s.count)[state.node] for s in self.tables.entries])
        return jnp.arange(self.num_infostates)[None] < count[:, None]

    def legal_actions(self, state: OpenSpielState) -> Array:
        mask, actor = self.infostate_mask(state), self.actor(state)
        infostates = jnp.arange(self.num_infostates)
        rows = jnp.asarray(self.tables.legal_start)[state.node] + infostates
        chosen = jnp.asarray(self.tables.legal).at[rows].get(mode="fill", fill_value=False)
        first = jnp.arange(self.num_actions)[None] == 0
        of_player = chosen & mask[jnp.minimum(actor, PLAYER_1)][:, None] & (actor < CHANCE)
        return jnp.where(actor == CHANCE, mask[0][:, None] & first, of_player)

    def advance(
        self, state: OpenSpielState, outcome: Array, action_reach: Array, other_reach: Array
    ) -> Array:
        child = self.apply(state, outcome)
        actor_is_1 = self.actor(state) == PLAYER_1
        reach = []
        for player, entries in enumerate(self.tables.entries):
            rows, mask = self._entry_rows(entries, child.node)
            source = jnp.asarray(self.tables.entry_source)[rows]
            acted = action_reach.reshape(-1).at[source].get(mode="clip")
            waited = other_reach.at[source].get(mode="clip")
            acts = actor_is_1 == (player == PLAYER_1)
            reach.append(jnp.where(mask, jnp.where(acts, acted, waited), 0))
        return jnp.stack(reach)

    def _entry_rows(self, entries: Slices, node: Array) -> tuple[Array, Array]:
        """Rows [S] of a player's entries at a node, and which of them are valid."""
        index = jnp.arange(self.num_infostates, dtype=jnp.int32)
        mask = index < jnp.asarray(entries.count)[node]
        return jnp.where(mask, jnp.asarray(entries.start)[node] + index, 0), mask

    def compatible_reach(self, state: OpenSpielState, reach: Array) -> Array:
        return self._opponents_weight(self.tables.pair_weight, state, reach)

    def utilities(self, state: OpenSpielState, reach: Array) -> Array:
        cfvs = self._opponents_weight(self.tables.pair_payoff, state, reach)
        return cfvs * jnp.array([[1], [-1]], cfvs.dtype)

    def _opponents_weight(
        self, pair_value: np.ndarray, state: OpenSpielState, reach: Array
    ) -> Array:
        """[2, S]: for each infostate, the sum over its pairs of value times opponent's reach."""
        rows, mask = _rows(self.tables.pairs, state.node)
        value = jnp.asarray(pair_value, reach.dtype).at[rows].get(mode="clip")
        value = jnp.where(mask, value, 0)
        first, second = jnp.asarray(self.tables.pair_infostates).at[rows].get(mode="clip").T
        zeros = jnp.zeros(self.num_infostates, reach.dtype)
        return jnp.stack(
            [
                zeros.at[first].add(value * reach[1].at[second].get(mode="clip"), mode="drop"),
                zeros.at[second].add(value * reach[0].at[first].get(mode="clip"), mode="drop"),
            ]
        )

    def observe(self, state: OpenSpielState) -> Array:
        """The actor, and the public events so far, each as a binary number, 0 if still to come."""
        tables = self.tables
        parents, starts = jnp.asarray(tables.node_parent), jnp.asarray(tables.children.start)

        def step(node: Array, _: None) -> tuple[Array, Array]:
            parent, at_root = parents[node], node == tables.root
            event = jnp.where(at_root, 0, node - starts[parent] + 1)
            return jnp.where(at_root, node, parent), event

        _, latest_first = jax.lax.scan(step, state.node, length=self.max_depth)
        depth = jnp.asarray(tables.node_depth, jnp.int32)
        past = depth[state.node] - depth[tables.root]
        back = past - 1 - jnp.arange(self.max_depth, dtype=jnp.int32)
        events = jnp.where(back >= 0, latest_first[back], 0)
        bits = jnp.arange(self.num_outcomes.bit_length(), dtype=jnp.int32)
        path = (events[:, None] >> bits[None]) & 1
        actor = jax.nn.one_hot(self.actor(state), 4, dtype=jnp.float32)
        return jnp.concatenate([actor, path.reshape(-1).astype(jnp.float32)])

    def deal(self, key: Array) -> Array:
        pairs = self.tables.pairs.at(self.tables.root)
        weight = self.tables.pair_weight[pairs]
        chosen = jax.random.choice(key, len(weight), p=jnp.asarray(weight, jnp.float32))
        return jnp.asarray(self.tables.pair_infostates[pairs])[chosen]

    def transition(
        self, key: Array, state: OpenSpielState, infostates: Array, action: Array
    ) -> tuple[Array, Array]:
        tables = self.tables
        rows, mask = _rows(tables.pairs, state.node)
        worlds = jnp.asarray(tables.pair_infostates)
        same = (worlds.at[rows].get(mode="clip") == infostates[None]).all(axis=1)
        pair = rows[jnp.argmax(mask & same)]
        # Successors depend on chance alone: with perfect recall, all histories of a world have the
        # same moves of both players.
        rows, mask = _rows(tables.followers, pair)
        after = jnp.asarray(tables.follower).at[rows].get(mode="clip")
        is_chance = self.actor(state) == CHANCE
        fits = mask & (is_chance | (jnp.asarray(tables.pair_action)[after] == action))
        weight = jnp.where(fits, jnp.asarray(tables.pair_weight, jnp.float32)[after], 0)
        chosen = after[jax.random.categorical(key, jnp.log(weight))]
        node = jnp.asarray(tables.pair_node)[chosen]
        return node - jnp.asarray(tables.children.start)[state.node], worlds[chosen]

    # Text, and the way back to OpenSpiel.

    @functools.cached_property
    def _spiel(self) -> Any:
        return load_spiel(self.text)

    def spiel_infostate(self, state: OpenSpielState, player: int, infostate: int) -> str:
        """OpenSpiel's information state string; a policy for OpenSpiel is keyed by it."""
        return information_string(self.spiel_world(state, player, infostate), player)

    def spiel_world(self, state: OpenSpielState, player: int, infostate: int) -> Any:
        """One of OpenSpiel's states in a player's infostate."""
        return self.spiel_state(self._history(state, player, infostate))

    def spiel_action(self, state: OpenSpielState, action: int) -> int | None:
        """OpenSpiel's number of the acting player's action; None for waiting."""
        number = self.tables.action_number[self.tables.actions.at(int(state.node))][action]
        return None if number == WAIT else int(number)

    def describe_state(self, state: OpenSpielState) -> str:
        words: list[str] = []
        node = int(state.node)
        while node != self.tables.root:
            parent = int(self.tables.node_parent[node])
            outcome = node - int(self.tables.children.start[parent])
            words.append(self.describe_outcome(OpenSpielState(node=jnp.int32(parent)), outcome))
            node = parent
        return ", ".join(reversed(words)) or "start"

    def draw(self, state: OpenSpielState, ranges: np.ndarray | None = None) -> str:
        text, histories = self.describe_state(state), self._members(state)
        picture = public_picture(self.spiel_state(histories[0])) if len(histories) == 1 else ""
        return f"{text}\n{picture}" if picture else text

    def draw_infostate(self, state: OpenSpielState, player: int, infostate: int) -> str:
        information = self.histories.info[player]
        same = information[self._history(state, player, infostate)]
        histories = [one for one in self._members(state) if information[one] == same]
        picture = ""
        if len(histories) <= MOST_COMPARED:
            picture = private_picture(map(self.spiel_state, histories), player)
        return picture or self.describe_infostate(state, player, infostate)

    def describe_infostate(self, state: OpenSpielState, player: int, infostate: int) -> str:
        return one_line(self.spiel_infostate(state, player, infostate)) or "nothing yet"

    def describe_action(self, state: OpenSpielState, infostate: int, action: int) -> str:
        player = int(self.actor(state))
        if player == CHANCE:
            return "chance"
        number = self.spiel_action(state, action)
        if number is None:
            return "wait"
        spiel_state = self.spiel_state(self._history(state, player, infostate))
        return one_line(spiel_state.action_to_string(player, number))

    def describe_outcome(self, state: OpenSpielState, outcome: int) -> str:
        return name_event(self, state, outcome)

    def _members(self, state: OpenSpielState) -> list[int]:
        """The histories of a public state."""
        members = self.tables.members.at(int(state.node))
        found: list[int] = np.unique(self.tables.member_history[members]).tolist()
        return found

    def _history(self, state: OpenSpielState, player: int, infostate: int) -> int:
        row = self.tables.entries[player].at(int(state.node)).start + infostate
        history = int(self.tables.entry_history[row])
        # At the end an infostate is earlier information: OpenSpiel's string may reveal more.
        ended = self.histories.kind[history] == TERMINAL
        return int(self.histories.parent[history]) if ended else history

    def spiel_state(self, history: int) -> Any:
        """OpenSpiel's state after one of `histories`."""
        return _replay(self._spiel, self.histories.moves_to(history))


def _replay(spiel: Any, moves: list[int]) -> Any:
    state = spiel.new_initial_state()
    for move in moves:
        state.apply_action(move)
    return state


def _rows(slices: Slices, node: Array) -> tuple[Array, Array]:
    """Rows of a node's slice, padded to the longest, and which of them are valid."""
    index = jnp.arange(slices.longest, dtype=jnp.int32)
    return jnp.asarray(slices.start)[node] + index, index < jnp.asarray(slices.count)[node]
