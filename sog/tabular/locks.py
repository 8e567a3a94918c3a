"""Locks: policies held fixed at public states while everything else is optimized.

    locks = read_locks(game, ["check: bet2=0.5 check=0.5", "bet2: Qs call=1; Ks raise4=1"]) locked =
    lock_game(compiled, locks) solve(locked).last.value # to player 0, if player 1 plays that and
    both know it

A text is the public events that lead to the state, a colon, and the acting player's policy there: a
probability for each action, for all infostates or, after its name, for one. Later rows override
earlier ones; infostates without a row are free. A file is a table of `sog.tabular.policy_table`
with only such rows. In the locked game a locked infostate is like a chance event: CFR finds an
equilibrium of the others, and best responses respect it, too.
"""

import dataclasses
import shlex
from collections.abc import Iterable, Sequence
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from sog.games.core import Game
from sog.games.notation import split_events
from sog.quoting import quoted
from sog.tabular.decision_names import DecisionNames
from sog.tabular.policy_table import (
    TOLERANCE,
    check_titles,
    read_lines,
    read_names,
    read_probability,
)
from sog.tabular.sequence_form import CompiledGame, Held, TreeLocks

TABLE: Final = ".csv"
_FORM: Final = "HISTORY: [INFOSTATE] ACTION=PROBABILITY ...; ..."


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Lock:
    """A player's locked policy at one public state."""

    outcomes: tuple[int, ...]
    """The public events from the root to it."""
    state: Any
    player: int
    is_held: np.ndarray
    """[S] bool: the locked infostates."""
    policy: np.ndarray
    """[S, A]: locked rows sum to 1, the others are 0."""


def read_locks(game: Game[Any], texts: Iterable[str], *, files: bool = True) -> tuple[Lock, ...]:
    """The locks of some texts or tables (names of files that end in .csv), one for each public
    state. files: False rejects tables, for texts from strangers. Raises ValueError, one line, for
    an invalid text."""
    found: dict[tuple[int, ...], _Draft] = {}
    for text in texts:
        if files and text.strip().lower().endswith(TABLE):
            _add_table(game, found, text.strip())
        else:
            _add_text(game, found, text)
    return tuple(draft.lock() for draft in found.values())


def format_lock(game: Game[Any], lock: Lock) -> str:
    """A lock as text for `read_locks`, with four digits."""
    state, events = game.root(), []
    for outcome in lock.outcomes:
        events.append(shlex.quote(game.describe_outcome(state, outcome)))
        state = game.apply(state, jnp.int32(outcome))
    rows: dict[str, str] = {}
    for infostate in np.flatnonzero(lock.is_held).tolist():
        name = game.describe_infostate(state, lock.player, infostate)
        is_plain = not set(name) & set("='\"\\;:") and name.split() == name.split(" ")
        shares = [
            shlex.quote(f"{game.describe_action(state, infostate, action)}={share:.4g}")
            for action, share in enumerate(lock.policy[infostate].tolist())
            if share > 0
        ]
        rows[name if is_plain else str(infostate)] = " ".join(shares)
    is_of_all = lock.is_held.sum() == np.asarray(game.legal_actions(state)).any(axis=-1).sum()
    if is_of_all and len(set(rows.values())) == 1:
        text = next(iter(rows.values()))
    else:
        text = "; ".join(f"{name} {shares}" for name, shares in rows.items())
    return f"{' '.join(events)}: {text}".strip()


def lock_game(
    compiled: CompiledGame, locks: Sequence[Lock], start: tuple[int, ...] = ()
) -> CompiledGame:
    """The game with these locks; without any, the same compiled programs run.

    start: the public events from the game's root to the tree's. Raises ValueError for a public
    state that is not in the tree.
    """
    tree = compiled.tree
    is_held, policy = np.zeros(tree.node_legal.shape[:2], bool), np.zeros(tree.node_legal.shape)
    for lock in locks:
        try:
            if lock.outcomes[: len(start)] != start:
                raise KeyError
            node = tree.node_after(lock.outcomes[len(start) :])
        except KeyError:
            where = tree.game.describe_state(lock.state)
            raise ValueError(f"'{where}' is not in the tree.") from None
        is_held[node], policy[node] = lock.is_held, lock.policy
    return hold(compiled, is_held, policy)


def hold(compiled: CompiledGame, is_held: np.ndarray, policy: np.ndarray) -> CompiledGame:
    """The game with a policy [node, S, A] locked at some infostates, [node, S] bool."""
    rows = compiled.from_tree(policy)
    held = compiled.from_tree(np.broadcast_to(is_held[:, :, None], policy.shape))
    plexes = [
        dataclasses.replace(
            plex,
            layers=tuple(
                dataclasses.replace(layer, held=_held(where, row))
                for layer, where, row in zip(plex.layers, held[player], rows[player], strict=True)
            ),
        )
        for player, plex in enumerate(compiled.form.treeplex)
    ]
    form = dataclasses.replace(compiled.form, treeplex=(plexes[0], plexes[1]))
    locks = TreeLocks(is_held=is_held, policy=np.where(is_held[:, :, None], policy, 0))
    return dataclasses.replace(compiled, form=form, locks=locks)


def _held(where: Any, policy: Any) -> Held:
    """From NumPy arrays [A, H], like all of the compiler's output."""
    return Held(is_held=where.any(axis=0), policy=policy)


class _Draft:
    """A lock under construction, row by row."""

    def __init__(self, game: Game[Any], outcomes: tuple[int, ...]) -> None:
        state = game.root()
        for outcome in outcomes:
            state = game.apply(state, jnp.int32(outcome))
        legal = np.asarray(game.legal_actions(state))
        self._outcomes, self._state = outcomes, state
        self.names = DecisionNames(game, state, int(game.actor(state)), legal)
        self.policy = np.zeros(legal.shape)

    def check(self, infostates: Iterable[int]) -> None:
        """Raises ValueError unless their rows sum to 1; rescales rounded ones."""
        for infostate in infostates:
            total = self.policy[infostate].sum()
            if abs(total - 1) > TOLERANCE:
                raise ValueError(
                    f"the probabilities of an infostate must sum to 1, got {total:.6g} for "
                    f"'{self.names.infostates[infostate]}'."
                )
            self.policy[infostate] /= total

    def lock(self) -> Lock:
        return Lock(
            outcomes=self._outcomes,
            state=self._state,
            player=self.names.actor,
            is_held=np.asarray(self.policy.any(axis=-1)),
            policy=self.policy,
        )


def _add_text(game: Game[Any], found: dict[tuple[int, ...], _Draft], text: str) -> None:
    words = split_events(text)
    ends = [number for number, word in enumerate(words) if word.endswith(":")]
    if not ends:
        raise ValueError(f"must look like '{_FORM}', or name a table, got {quoted(text)}.")
    before = [*words[: ends[0]], words[ends[0]].removesuffix(":")]
    outcomes = game.parse(" ".join(map(_requoted, filter(None, before))))
    if outcomes in found:
        raise ValueError(f"{quoted(text)} is of a public state that is locked already.")
    draft = found[outcomes] = _Draft(game, outcomes)
    for group in _groups(words[ends[0] + 1 :]) or [[]]:
        name = " ".join(word for word in group if "=" not in word)
        shares = [word for word in group if "=" in word]
        if not shares:
            raise ValueError(f"must look like '{_FORM}', got {quoted(text)}.")
        named = [share.rpartition("=")[0] for share in shares]
        if len(set(named)) < len(named):
            raise ValueError(f"names an action twice, in {quoted(' '.join(group))}.")
        infostates = [draft.names.find_infostate(name)] if name else list(draft.names.infostates)
        for infostate in infostates:
            draft.policy[infostate] = 0
            for share in shares:
                action, _, number = share.rpartition("=")
                place = infostate, draft.names.find_action(infostate, action)
                draft.policy[place] += read_probability(number)
        draft.check(infostates)


def _groups(words: Sequence[str]) -> list[list[str]]:
    """Splits at semicolons."""
    groups: list[list[str]] = [[]]
    for word in words:
        groups[-1] += [stripped] if (stripped := word.removesuffix(";")) else []
        if word.endswith(";"):
            groups.append([])
    return groups if groups[-1] else groups[:-1]


def _requoted(event: str) -> str:
    return f"'{event}'" if " " in event or '"' in event else event


def _add_table(game: Game[Any], found: dict[tuple[int, ...], _Draft], path: str) -> None:
    names, lines = read_lines(path)
    check_titles(path, names)
    outcomes_of: dict[str, tuple[int, ...]] = {}
    before, added = set(found), dict[tuple[int, ...], set[int]]()
    for line in lines:
        try:
            history = line.fields["history"].strip()
            if history not in outcomes_of:
                outcomes_of[history] = game.parse(history)
            outcomes = outcomes_of[history]
            if outcomes in before:
                raise ValueError("is of a public state that is locked already.")
            if outcomes not in found:
                found[outcomes] = _Draft(game, outcomes)
            draft = found[outcomes]
            place = read_names(draft.names, line.fields)
            draft.policy[place] += read_probability(line.fields["probability"])
            added.setdefault(outcomes, set()).add(place[0])
        except ValueError as error:
            raise ValueError(f"{path}: row {line.number}: {error}") from None
    for outcomes, infostates in added.items():
        try:
            found[outcomes].check(sorted(infostates))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
