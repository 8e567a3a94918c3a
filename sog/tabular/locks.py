"""Locks: policies held fixed at public states while everything else is optimized.

    locks = read_locks(game, ["check: bet2=0.5 check=0.5", "bet2: Qs call=1; Ks raise4=1"])
    locked = lock_game(compiled, locks)
    solve(locked).last.value  # to player 0, if player 1 plays that and both know it

A text is the public events that lead to the state, a colon, and the acting player's policy there: a
probability for each action, for all infostates or, after its name, for one. Later rows override
earlier ones; infostates without a row are free. In the locked game a locked infostate is like a
chance event: CFR finds an equilibrium of the others, and best responses respect it, too.
"""

import dataclasses
import shlex
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from sog.games.core import Game
from sog.games.notation import describe_path, split_events
from sog.games.on_host import call_rules
from sog.quoting import quoted
from sog.tabular.decision_names import DecisionNames
from sog.tabular.policy_table import TOLERANCE, read_probability
from sog.tabular.sequence_form import CompiledGame, Held, TreeLocks

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


def read_locks(game: Game[Any], texts: Iterable[str]) -> tuple[Lock, ...]:
    """The locks of some texts, each of another public state. Raises ValueError, one line, for an
    invalid text."""
    found: dict[tuple[int, ...], Lock] = {}
    for text in texts:
        lock = _read_lock(game, text)
        if lock.outcomes in found:
            raise ValueError(f"{quoted(text)} is of a public state that is locked already.")
        found[lock.outcomes] = lock
    return tuple(found.values())


def format_lock(game: Game[Any], lock: Lock) -> str:
    """A lock as text for `read_locks`, with four digits."""
    events, state = describe_path(game, call_rules(game, "root")[0], lock.outcomes)
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
    is_of_all = lock.is_held.sum() == call_rules(game, "legal_actions", state)[0].any(axis=-1).sum()
    if is_of_all and len(set(rows.values())) == 1:
        text = next(iter(rows.values()))
    else:
        text = "; ".join(f"{name} {shares}" for name, shares in rows.items())
    return f"{shlex.join(events)}: {text}".strip()


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


def _read_lock(game: Game[Any], text: str) -> Lock:
    words = split_events(text)
    ends = [number for number, word in enumerate(words) if word.endswith(":")]
    if not ends:
        raise ValueError(f"must look like '{_FORM}', got {quoted(text)}.")
    before = [*words[: ends[0]], words[ends[0]].removesuffix(":")]
    outcomes = game.parse(" ".join(map(_requoted, filter(None, before))))
    _, state = describe_path(game, call_rules(game, "root")[0], outcomes)
    actor, legal = call_rules(game, "actor legal_actions", state)
    names, policy = DecisionNames(game, state, int(actor), legal), np.zeros(legal.shape)
    for group in _groups(words[ends[0] + 1 :]) or [[]]:
        name = " ".join(word for word in group if "=" not in word)
        shares = [word for word in group if "=" in word]
        if not shares:
            raise ValueError(f"must look like '{_FORM}', got {quoted(text)}.")
        named = [share.rpartition("=")[0] for share in shares]
        if len(set(named)) < len(named):
            raise ValueError(f"names an action twice, in {quoted(' '.join(group))}.")
        for infostate in [names.find_infostate(name)] if name else names.infostates:
            policy[infostate] = 0
            for share in shares:
                action, _, number = share.rpartition("=")
                place = infostate, names.find_action(infostate, action)
                policy[place] += read_probability(number)
            total = policy[infostate].sum()
            if abs(total - 1) > TOLERANCE:
                raise ValueError(
                    f"the probabilities of an infostate must sum to 1, got {total:.6g} for "
                    f"'{names.infostates[infostate]}'."
                )
            policy[infostate] /= total
    return Lock(
        outcomes=outcomes,
        state=state,
        player=names.actor,
        is_held=np.asarray(policy.any(axis=-1)),
        policy=policy,
    )


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
