"""A policy of a whole game as a CSV table, a line for each action of each infostate.

    history,player,infostate,name,action,action_name,probability
    ,0,0,J,1,check,0.75
    ,0,0,J,2,bet1,0.25
    check,1,2,K,1,check,0.0

`history` has the public events since the start, as `--history` takes them. Infostates and actions
are given by number or by text: one of the two columns is enough. The player is optional. A missing
action has probability 0; an infostate with only one action may be missing. Sums within rounding to
three digits of 1 are rescaled. The format is for spreadsheets and other programs;
`sog.tabular.policy_file` has the exact one.
"""

import csv
import io
import math
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from sog.files import read_text, replace_file
from sog.quoting import quoted
from sog.tabular.decision_names import DecisionNames
from sog.tabular.policy import check_policy, name_row
from sog.tabular.policy_file import PolicyFileError
from sog.tabular.public_tree import PublicTree

COLUMNS: Final = (
    *("history", "player", "infostate", "name"),
    *("action", "action_name", "probability"),
)
TOLERANCE: Final = 2e-3  # for three digits, which are rescaled
_EXACT: Final = 1e-6  # within this, nothing is rescaled
_MOST_BYTES: Final = 2**28
_ROW_OF_TITLES: Final = 1

AnyPath = str | os.PathLike[str]


class TableRow(NamedTuple):
    """A row of a table; the row of titles has number 1."""

    number: int
    fields: Mapping[str, str]


class TableEntry(NamedTuple):
    """The contents of a row."""

    row: int
    node: int
    infostate: int
    action: int
    probability: float


def write_policy_table(path: AnyPath, tree: PublicTree, policy: np.ndarray) -> None:
    """Writes the policy [node, S, A] of a game atomically. Raises as `check_policy` does."""
    policy = check_policy(tree, policy)
    histories = _histories(tree)

    def rows() -> Iterator[Sequence[Any]]:
        for node in np.flatnonzero(tree.node_actor < 2).tolist():
            state, legal = tree.state(node), tree.node_legal[node]
            player = int(tree.node_actor[node])
            for infostate in np.flatnonzero(legal.any(axis=-1)).tolist():
                name = tree.game.describe_infostate(state, player, infostate)
                for action in np.flatnonzero(legal[infostate]).tolist():
                    text = tree.game.describe_action(state, infostate, action)
                    share = float(policy[node, infostate, action])
                    yield histories[node], player, infostate, name, action, text, share

    write_rows(path, COLUMNS, rows())


def read_policy_table(path: AnyPath, tree: PublicTree) -> np.ndarray:
    """The policy [node, S, A] of a table; raises PolicyFileError, with the row and the rule, unless
    it is a policy of this game."""
    names, lines = read_lines(path)
    for one, other in (("infostate", "name"), ("action", "action_name")):
        if not {one, other} & set(names):
            raise PolicyFileError(f"{path}: needs a column {one} or {other}.")
    if "history" not in names:
        raise PolicyFileError(f"{path}: needs a column history.")
    reader = _Reader(tree)

    def entries() -> Iterator[TableEntry]:
        for line in lines:
            try:
                yield reader.entry(line)
            except ValueError as error:
                raise PolicyFileError(f"{path}: row {line.number}: {error}") from None

    return policy_of(path, tree, entries())


def policy_of(path: AnyPath, tree: PublicTree, entries: Iterable[TableEntry]) -> np.ndarray:
    """The policy [node, S, A] of all rows; raises PolicyFileError if they are not a policy."""
    policy = np.zeros(tree.node_legal.shape)
    row_of = np.zeros(policy.shape, np.int64)
    for entry in entries:
        place = entry.node, entry.infostate, entry.action
        if row_of[place]:
            raise PolicyFileError(
                f"{path}: row {entry.row} is of the action of row {row_of[place]} once more."
            )
        row_of[place], policy[place] = entry.row, entry.probability
    decides = np.asarray(tree.decisions.any(axis=-1))
    is_given = row_of.any(axis=-1)
    missing = decides & ~is_given
    if (needed := missing & tree.has_choice).any():
        node, infostate = np.argwhere(needed)[0].tolist()
        raise PolicyFileError(
            f"{path}: every infostate with a choice needs rows; there are none of "
            f"{name_row(tree, node, infostate)}, and of {int(needed.sum()) - 1:,} others."
        )
    policy[missing[:, :, None] & tree.node_legal] = 1.0
    total = policy.sum(axis=-1)
    wrong = is_given & (abs(total - 1) > TOLERANCE)
    if wrong.any():
        first = np.where(wrong[:, :, None] & (row_of > 0), row_of, row_of.max() + 1).min()
        node, infostate, _ = np.argwhere(row_of == first)[0].tolist()
        raise PolicyFileError(
            f"{path}: row {first}: the probabilities of an infostate must sum to 1, got "
            f"{total[node, infostate]:.6g} for {name_row(tree, node, infostate)}."
        )
    scale = np.where(is_given & (abs(total - 1) > _EXACT), total, 1)
    return np.asarray(policy / scale[:, :, None])


def titles_of(path: AnyPath) -> tuple[str, ...]:
    """The column names of a table; raises as `read_policy_table` does."""
    return read_lines(path)[0]


def read_lines(path: AnyPath) -> tuple[tuple[str, ...], Iterator[TableRow]]:
    """The column names, and the rows below them; raises PolicyFileError for an invalid table."""
    try:
        content = read_text(path, _MOST_BYTES)
    except FileNotFoundError:
        raise PolicyFileError(f"{path}: no such file.") from None
    except OSError as error:
        raise PolicyFileError(f"{path}: {error.strerror}.") from None
    rows = csv.reader(io.StringIO(content, newline=""), strict=True)
    try:
        names = tuple(name.strip() for name in next(rows, []))
    except csv.Error as error:
        raise PolicyFileError(f"{path}: row 1: {error}.") from None
    if "probability" not in names or len(set(names)) < len(names):
        raise PolicyFileError(
            f"{path}: is no table of a policy: its first row must name the columns, such as "
            f"{','.join(COLUMNS)}."
        )

    def lines() -> Iterator[TableRow]:
        number = _ROW_OF_TITLES
        try:
            for row in rows:
                number += 1
                if not row:
                    continue
                if len(row) != len(names):
                    raise PolicyFileError(
                        f"{path}: row {number}: must have {len(names)} fields, has {len(row)}."
                    )
                yield TableRow(number, dict(zip(names, row, strict=True)))
        except csv.Error as error:
            raise PolicyFileError(f"{path}: row {number + 1}: {error}.") from None

    return names, lines()


def write_rows(path: AnyPath, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Writes a table atomically."""
    page = io.StringIO()
    table = csv.writer(page, lineterminator="\n")
    table.writerow(names)
    table.writerows(rows)
    replace_file(Path(path), page.getvalue())


def read_probability(text: str) -> float:
    """A number from 0 to 1; raises ValueError for anything else."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:  # also rejects NaN
        raise ValueError(f"probability must be a number from 0 to 1, got {quoted(text)}.")
    return number


class _Reader:
    """Looks up the names in the rows of a table; caches the last node, as rows come in groups."""

    def __init__(self, tree: PublicTree) -> None:
        self._tree = tree
        self._nodes = {text: node for node, text in enumerate(_histories(tree))}
        self._names: dict[int, DecisionNames] = {}

    def entry(self, line: TableRow) -> TableEntry:
        fields = line.fields
        node = self._node(fields["history"].strip())
        if node not in self._names:
            tree = self._tree
            self._names[node] = DecisionNames(
                tree.game, tree.state(node), int(tree.node_actor[node]), tree.node_legal[node]
            )
        names, player = self._names[node], fields.get("player", "").strip()
        if player not in ("", str(names.actor)):
            raise ValueError(f"player {names.actor} acts there, got {quoted(player)}.")
        infostate = names.infostate(fields.get("infostate", ""), fields.get("name", ""))
        action = names.action(infostate, fields.get("action", ""), fields.get("action_name", ""))
        return TableEntry(
            line.number, node, infostate, action, read_probability(fields["probability"])
        )

    def _node(self, history: str) -> int:
        if history not in self._nodes:
            try:
                outcomes = self._tree.game.parse(history)
            except ValueError as error:
                raise ValueError(f"history: {error}") from None
            self._nodes[history] = self._tree.node_after(outcomes)
        return self._nodes[history]


def _histories(tree: PublicTree) -> list[str]:
    """[node]: the public events that lead to each, as text for `Game.parse`."""
    histories = [""]
    for node in range(1, tree.num_nodes):
        parent = int(tree.node_parent[node])
        event = tree.game.describe_outcome(tree.state(parent), int(tree.node_outcome[node]))
        histories.append(f"{histories[parent]} {shlex.quote(event)}".strip())
    return histories
