"""Policies of whole games in OpenSpiel's form: as its `TabularPolicy`, and as a table of text.

    table = to_openspiel(compiled.tree, solution.policy)   # open_spiel.python.policy.TabularPolicy
    exploitability(table.game, table)                      # of open_spiel.python.algorithms
    policy = from_openspiel(compiled.tree, table)          # [node, S, A], of any policy of theirs

The game must come from OpenSpiel or exist there too, see `sog.openspiel.places`. The file has a
line for each action of each information state:

    player,information_state,action,probability

with OpenSpiel's strings (perhaps of several lines) and numbers, so that it also makes a
`pyspiel.TabularPolicy`.
"""

import os
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from sog.openspiel.loading import MISSING_EXTRA
from sog.openspiel.places import InformationState, places_of
from sog.quoting import quoted
from sog.tabular.decision_names import list_names
from sog.tabular.policy import check_policy, name_row
from sog.tabular.policy_file import PolicyFileError
from sog.tabular.policy_table import (
    TableEntry,
    TableRow,
    policy_of,
    read_lines,
    read_probability,
    write_rows,
)
from sog.tabular.public_tree import PublicTree

STRING: Final = "information_state"
"""The column that distinguishes such a table from one of `sog.tabular.policy_table`."""
COLUMNS: Final = ("player", STRING, "action", "probability")
_ALIKE: Final = 1e-6  # tolerance for 32-bit probabilities

AnyPath = str | os.PathLike[str]


def to_openspiel(tree: PublicTree, policy: np.ndarray) -> Any:
    """A policy [node, S, A] as an `open_spiel.python.policy.TabularPolicy`.

    Raises ValueError for a game that OpenSpiel does not have, and for an invalid policy.
    """
    try:
        from open_spiel.python.policy import TabularPolicy
    except ImportError:
        raise ValueError(MISSING_EXTRA) from None
    policy = check_policy(tree, policy)
    places = places_of(tree.game)
    table = TabularPolicy(places.spiel)
    strings = set[str]()
    for decision, shares in _shares(tree, policy, places.decisions()):
        if decision.string in strings:
            string = quoted(decision.string)
            raise ValueError(f"{places.spiel}: {string} is an information state of both players.")
        strings.add(decision.string)
        row = table.action_probability_array[table.state_lookup[decision.string]]
        row[list(shares)] = list(shares.values())
    return table


def from_openspiel(tree: PublicTree, policy: Any) -> np.ndarray:
    """The policy [node, S, A] of our game for a policy of OpenSpiel's.

    policy: has `action_probabilities(state)`, like all of theirs in Python and C++. Raises
    ValueError for a policy of another game, or an invalid one.
    """
    places, found = places_of(tree.game), np.zeros(tree.node_legal.shape)
    game = getattr(policy, "game", places.spiel)
    if str(game) != str(places.spiel):
        raise ValueError(f"policy must be one of {places.spiel}, got one of {game}.")
    for decision in places.decisions():
        node, infostate = tree.node_after(decision.place.path), decision.place.infostate
        shares = dict(policy.action_probabilities(decision.state))
        numbers = decision.place.actions
        if any(number not in numbers for number, share in shares.items() if share != 0):
            raise ValueError(
                f"policy must be 0 for illegal actions, got {shares} at {quoted(decision.string)}."
            )
        row = np.zeros(tree.game.num_actions)
        for number, action in numbers.items():
            row[action] = shares.get(number, 0.0)
        if found[node, infostate].any() and abs(found[node, infostate] - row).max() > _ALIKE:
            raise ValueError(
                f"policy must be the same in all states that are {name_row(tree, node, infostate)}."
            )
        found[node, infostate] = row
    return check_policy(tree, _with_forced_moves(tree, found))


def write_openspiel_table(path: AnyPath, tree: PublicTree, policy: np.ndarray) -> None:
    """Writes a policy [node, S, A]; raises like `to_openspiel`, and OSError."""
    policy = check_policy(tree, policy)
    rows = [
        (decision.player, decision.string, number, share)
        for decision, shares in _shares(tree, policy, places_of(tree.game).decisions())
        for number, share in shares.items()
    ]
    write_rows(path, COLUMNS, rows)


def read_openspiel_table(path: AnyPath, tree: PublicTree) -> np.ndarray:
    """The policy [node, S, A] of such a table; raises like `sog.tabular.policy_table`."""
    names, lines = read_lines(path)
    for name in COLUMNS[1:]:
        if name not in names:
            raise PolicyFileError(f"{path}: needs a column {name}.")
    try:
        decisions = list(places_of(tree.game).decisions())
    except ValueError as error:
        raise PolicyFileError(f"{path}: {error}") from None
    known: dict[str, list[InformationState]] = {}
    for decision in decisions:
        known.setdefault(decision.string, []).append(decision)

    def entries() -> Iterator[TableEntry]:
        for line in lines:
            try:
                decision = _decision(known, line)
                action = _action(decision, line.fields["action"].strip())
                share = read_probability(line.fields["probability"])
            except ValueError as error:
                raise PolicyFileError(f"{path}: row {line.number}: {error}") from None
            place = tree.node_after(decision.place.path), decision.place.infostate, action
            yield TableEntry(line.number, *place, share)

    return policy_of(path, tree, entries())


def _shares(
    tree: PublicTree, policy: np.ndarray, decisions: Iterator[InformationState]
) -> Iterator[tuple[InformationState, dict[int, float]]]:
    """The probabilities of OpenSpiel's actions at each of its information states."""
    for decision in decisions:
        row = policy[tree.node_after(decision.place.path), decision.place.infostate]
        yield decision, {number: float(row[a]) for number, a in decision.place.actions.items()}


def _with_forced_moves(tree: PublicTree, policy: np.ndarray) -> np.ndarray:
    """The policy with probability 1 for waiting, where OpenSpiel has no decision."""
    waits = (tree.node_actor < 2)[:, None] & ~tree.has_choice & ~policy.any(axis=-1)
    return np.where(waits[:, :, None], tree.node_legal, policy)


def _decision(known: dict[str, list[InformationState]], line: TableRow) -> InformationState:
    string, player = line.fields[STRING], line.fields.get("player", "").strip()
    fits = [one for one in known.get(string, []) if player in ("", str(one.player))]
    if len(fits) == 1:
        return fits[0]
    if fits:
        raise ValueError(
            f"{STRING} {quoted(string)} belongs to both players: a column player is needed."
        )
    whose = f" of player {quoted(player)}" if player else ""
    raise ValueError(f"{STRING} {quoted(string)} is not one{whose} in this game.")


def _action(decision: InformationState, text: str) -> int:
    for number, action in decision.place.actions.items():
        if str(number) == text:
            return action
    legal = list_names(map(str, decision.place.actions))
    raise ValueError(f"action must be one of {legal} there, got {quoted(text)}.")
