"""UCT and Smooth UCT in heads-up limit hold'em over E[HS^2] grids: section 4.3 of Heinrich and
Silver (2015). Both learn from the same deals, and their greedy policies play each other on the way.

Many games go on at once, and what they find is added to the trees together; the paper has one after
the other. Everything else is theirs: the grid 169/1000/500/200, the mixing of their equation 2 with
gamma = 0.1, eta = 0.9 and d = 1/20000, and the exploration of their equation 3 with k = 0.5 and C =
24 big blinds. A match plays every deal twice, seats swapped, on deals that nobody learned from.

    python scripts/limit_holdem.py --minutes 15 --out docs/results/data/limit_holdem.json
"""

import argparse
import dataclasses
import functools
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from machine import processor, versions

from sog.games.cards.board_classes import in_order, renamed_hands, suit_classes
from sog.games.cards.colex import number_of
from sog.games.cards.hand_ranks import strength, suit_masks
from sog.games.cards.holdem import Holdem
from sog.games.cards.no_limit import CALL, FIRST_SIZE, NO_FOLDER
from sog.games.core import draw
from sog.pytree import pytree
from sog.tabular.blueprint.betting_tree import ILLEGAL, OVER, BettingTree, make_betting_tree
from sog.tabular.blueprint.buckets import Buckets, cards_of, make_buckets

GAME: Final = Holdem(blinds="1/2", stack="48", bets="2c|2c|4c|4c", caps="3|4|4|4")
"""Stacks are what can be bet at most, so they never matter."""
SIZES: Final = (169, 1000, 500, 200)
GAMES: Final = 4096
"""That are played at once."""
MOST_EXPLORATION: Final = 24.0  # C, big blinds
POTENTIAL: Final = 0.5  # k
GAMMA: Final = 0.1
ETA: Final = 0.9
D: Final = 1 / 20_000
METHODS: Final = {"UCT": False, "Smooth UCT": True}
_MOST_DECISIONS: Final = 100_000
_RAISES: Final = 4  # on a street, the big blind counted


@pytree
class Tree:
    """What a method knows; rows are decisions by bucket. The last row is of no interest."""

    visits: Array  # [row + 1, A] int32
    value: Array  # [row + 1, A] float32: the mean gain of the player who decides, in big blinds


@pytree
class Deals:
    """Games that begin, G of them."""

    bucket: Array  # [2, street, G] int32: of each player's hand
    sign: Array  # [G] float32: 1 where player 0 has the better hand, -1 where he has the worse one


@dataclasses.dataclass(frozen=True, eq=False)
class Rules:
    """A limit game without its cards, as arrays. Compared by identity, as an argument of
    `jax.jit`."""

    game: Holdem
    tree: BettingTree
    sizes: tuple[int, ...]

    def by_decision(self, name: str) -> np.ndarray:
        """[decision] int32: the `street` or the `actor` of each."""
        levels = self.tree.levels
        return np.concatenate([np.full(len(one.child), getattr(one, name)) for one in levels])

    @functools.cached_property
    def first_row(self) -> np.ndarray:
        """[decision + 1] int32: where the rows of its buckets begin."""
        sizes = np.array(self.sizes)[self.by_decision("street")]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)

    @functools.cached_property
    def exploration(self) -> np.ndarray:
        """[decision] float32: their equation 3 at the beginning of its street, in big blinds."""
        street = self.by_decision("street")
        bets = [int(menu.bets[0].chips) for menu in self.game.betting.menus]
        pot = {0: sum(self.game.betting.blinds)}
        stakes = {0: self.game.betting.blinds[::-1]}  # of player 0, then of player 1
        actor = self.by_decision("actor")
        found = np.zeros(len(street), np.float32)
        for node, children in enumerate(self.tree.child.tolist()):
            rest = 2 * _RAISES * sum(bets[street[node] :])
            if street[node] == 0:
                rest -= pot[0]
            potential = (pot[node] + POTENTIAL * rest) / self.game.chips_per_unit
            found[node] = min(MOST_EXPLORATION, potential)
            mine, other = stakes[node][actor[node]], stakes[node][1 - actor[node]]
            for action, child in enumerate(children):
                if child < 0:
                    continue
                after = other + (bets[street[node]] if action >= FIRST_SIZE else 0)
                pair = (after, other) if actor[node] == 0 else (other, after)
                assert mine <= after
                stakes[child] = pair
                pot[child] = pot[node] if street[child] == street[node] else sum(pair)
        return found


def make_rules(game: Holdem, buckets: Buckets) -> Rules:
    """Of a limit game."""
    tree = make_betting_tree(game, _MOST_DECISIONS)
    return Rules(game=game, tree=tree, sizes=buckets.sizes)


def empty_tree(rules: Rules) -> Tree:
    """Without a visit."""
    shape = (int(rules.first_row[-1]) + 1, rules.tree.child.shape[1])
    return Tree(visits=jnp.zeros(shape, jnp.int32), value=jnp.zeros(shape, jnp.float32))


def deal(buckets: Buckets, random: np.random.Generator, games: int) -> Deals:
    """Cards for so many games."""
    cards = buckets.cards
    deck, hole = cards.deck, cards.hole_cards
    there, needed = cards.num_public[-1], 2 * hole + cards.num_public[-1]
    order = random.random((games, deck.num_cards)).argpartition(needed, axis=1)[:, :needed]
    order = random.permuted(order, axis=1).astype(np.int32)
    board, held = order[:, :there], order[:, there:].reshape(games, 2, hole)
    hands = np.asarray(number_of(jnp.asarray(held), deck.num_cards))
    names = renamed_hands(deck, hole)
    found = np.zeros((2, len(cards.num_public), games), np.int32)
    for street, public in enumerate(cards.num_public):
        keys, renaming = in_order(deck, board[:, :public])
        rows = np.searchsorted(suit_classes(deck, public).key, keys)
        for player in (0, 1):
            named = names[renaming, hands[:, player]]
            found[player, street] = buckets.tables[street][rows, named]
    strengths = [
        strength(suit_masks(np.concatenate([board, held[:, p]], axis=1), deck, np), deck, np)
        for p in (0, 1)
    ]
    sign = np.sign(strengths[0] - strengths[1]).astype(np.float32)
    return Deals(bucket=jnp.asarray(found), sign=jnp.asarray(sign))


@functools.partial(jax.jit, static_argnums=(0, 1), donate_argnums=2)
def learn(rules: Rules, smooth: bool, tree: Tree, deals: Deals, key: Array) -> Tree:
    """Plays a game of each deal and adds what was found (SEARCH and UPDATE of their Algorithms 1
    and 2). smooth: whether UCB is mixed with the average policy."""
    games = len(deals.sign)
    last_row = len(tree.visits) - 1

    def choose(out: Array, place: "_Place", key: Array) -> tuple[Array, Array, Array]:
        visits, value = tree.visits[place.row], tree.value[place.row]
        total = visits.sum(axis=1)
        learns = place.goes_on & ~jnp.take_along_axis(out, place.actor[None], axis=0)[0]
        by_tree = learns & (total > 0)
        bonus = jnp.sqrt(jnp.log(jnp.maximum(total, 1))[:, None] / jnp.maximum(visits, 1))
        score = value + jnp.asarray(rules.exploration)[place.node][:, None] * bonus
        score = jnp.where(visits > 0, score, jnp.inf)
        score = jnp.where(place.legal, score, -jnp.inf)
        best = score == score.max(axis=1, keepdims=True)
        numbers = jax.random.uniform(key, (2, games))
        eta = jnp.maximum(GAMMA, ETA / (1 + D * jnp.sqrt(total.astype(jnp.float32))))
        by_ucb = numbers[1] < eta if smooth else jnp.ones(games, bool)
        weight = jnp.where(by_ucb[:, None], best, visits)
        weight = jnp.where(by_tree[:, None], weight, place.legal).astype(jnp.float32)
        action = jax.vmap(draw)(numbers[0], weight)
        leaves = place.goes_on & ~by_tree
        out |= leaves[None] & (place.actor[None] == jnp.arange(2)[:, None])
        return action, out, jnp.where(learns, place.row, last_row)

    out = jnp.zeros((2, games), bool)
    utility, rows, actions, actors = _play(rules, deals, choose, out, key)
    gain = jnp.where(actors == 0, utility[None], -utility[None])
    visits = tree.visits.at[rows, actions].add(1)
    # All games of a row together move its mean as one after the other would.
    step = (gain - tree.value[rows, actions]) / visits[rows, actions]
    value = tree.value.at[rows, actions].add(step)
    return Tree(visits=visits.at[-1].set(0), value=value.at[-1].set(0))


@functools.partial(jax.jit, static_argnums=0)
def match(rules: Rules, greedy: Array, deals: Deals) -> Array:
    """[G] float32: what the first policy gets of the second as player 0, in big blinds.

    greedy: [2, row] int32, the action of each.
    """

    def choose(out: Array, place: "_Place", key: Array) -> tuple[Array, Array, Array]:
        return greedy[place.actor, place.row], out, place.row

    nothing = jnp.zeros((2, len(deals.sign)), bool)
    utility: Array = _play(rules, deals, choose, nothing, jax.random.key(0))[0]
    return utility


@pytree
class _Place:
    """Where games are."""

    node: Array  # [G] int32: the decision; any where the game is over
    goes_on: Array  # [G] bool
    actor: Array  # [G] int32
    row: Array  # [G] int32
    legal: Array  # [G, A] bool


def _play(rules: Rules, deals: Deals, choose: Any, out: Array, key: Array) -> Any:
    """[G] what player 0 gets, in big blinds; then [step, G]: rows, actions and actors."""
    child = jnp.asarray(rules.tree.child)
    street, actor = (jnp.asarray(rules.by_decision(one)) for one in ("street", "actor"))
    games = jnp.arange(len(deals.sign))

    def step(carry: tuple[Array, Array], key: Array) -> Any:
        now, out = carry
        node = jnp.maximum(now, 0)
        bucket = deals.bucket[actor[node], street[node], games]
        place = _Place(
            node=node,
            goes_on=now >= 0,
            actor=actor[node],
            row=jnp.asarray(rules.first_row)[node] + bucket,
            legal=child[node] != ILLEGAL,
        )
        action, out, row = choose(out, place, key)
        now = jnp.where(place.goes_on, child[node, action], now)
        return (now, out), (row, action, place.actor)

    start = (jnp.zeros(len(games), jnp.int32), out)
    keys = jax.random.split(key, len(rules.tree.levels))
    (now, _), steps = jax.lax.scan(step, start, keys)
    end = OVER - now
    folder, won = jnp.asarray(rules.tree.folder)[end], jnp.asarray(rules.tree.won)[end]
    sign = jnp.where(folder == 0, -1.0, 1.0)
    return jnp.where(folder == NO_FOLDER, deals.sign, sign) * won, *steps


def greedy_policy(rules: Rules, tree: Tree) -> np.ndarray:
    """[row] int32: the action of the highest value among those that were taken, else the call."""
    visits = np.asarray(tree.visits)[:-1]
    value = np.where(visits > 0, np.asarray(tree.value)[:-1], -np.inf)
    found = np.where(visits.any(axis=1), value.argmax(axis=1), CALL)
    return found.astype(np.int32)


def simple_policies(rules: Rules) -> dict[str, np.ndarray]:
    """[row] int32 of each: always call, and always bet and raise."""
    calls = np.full(rules.first_row[-1], CALL, np.int32)
    can_raise = (rules.tree.child[:, FIRST_SIZE:] != ILLEGAL).any(axis=1)
    rows = np.diff(rules.first_row)
    raises = np.where(can_raise, FIRST_SIZE, CALL).repeat(rows).astype(np.int32)
    return {"always call": calls, "always raise": raises}


def play_match(
    rules: Rules, buckets: Buckets, first: np.ndarray, second: np.ndarray, calls: int
) -> tuple[float, float]:
    """What the first gets, in mb/h, and its standard error; so many times GAMES deals."""
    random = np.random.default_rng(2**32)
    results = []
    for _ in range(calls):
        deals = deal(buckets, random, GAMES)
        ours = match(rules, jnp.asarray(np.stack([first, second])), deals)
        theirs = match(rules, jnp.asarray(np.stack([second, first])), deals)
        results.append(np.asarray(ours - theirs) / 2)
    every = 1000 * np.concatenate(results).astype(np.float64)
    return float(every.mean()), float(every.std() / np.sqrt(len(every)))


def run(minutes: float, calls: int, seed: int, path: Path | None) -> None:
    """Learns, and plays matches when 1/64, 1/32, ... of the time has passed."""
    began = time.perf_counter()
    buckets = make_buckets(cards_of(GAME), SIZES, "grid", print, most_kept=2**28)
    rules = make_rules(GAME, buckets)
    making = time.perf_counter() - began
    print(f"buckets in {making:.0f} s; {rules.tree.num_decisions:,} decisions")
    trees = {name: empty_tree(rules) for name in METHODS}
    random, key = np.random.default_rng(seed), jax.random.key(seed)
    seconds = dict.fromkeys(METHODS, 0.0)
    dealing, episodes, number = 0.0, 0, 0
    points: list[dict[str, Any]] = []
    targets = [60 * minutes / 2**halving for halving in range(6, -1, -1)]
    while targets:
        begin = time.perf_counter()
        deals = deal(buckets, random, GAMES)
        dealing += time.perf_counter() - begin
        for name, smooth in METHODS.items():
            begin = time.perf_counter()
            key_now = jax.random.fold_in(jax.random.fold_in(key, number), smooth)
            trees[name] = jax.block_until_ready(learn(rules, smooth, trees[name], deals, key_now))
            if number:  # the first one compiles
                seconds[name] += time.perf_counter() - begin
        number += 1
        episodes += GAMES
        if dealing + sum(seconds.values()) >= targets[0]:
            targets.pop(0)
            policies = {name: greedy_policy(rules, tree) for name, tree in trees.items()}
            points.append(_point(rules, buckets, policies, calls, episodes))
            points[-1]["seconds"] = {"dealing": dealing, **seconds}
            print(json.dumps(points[-1]))
            if path is not None:
                _write(path, points, making, seed, calls)


def _point(
    rules: Rules,
    buckets: Buckets,
    policies: Mapping[str, np.ndarray],
    calls: int,
    episodes: int,
) -> dict[str, Any]:
    """Matches of all pairs that matter, mb/h."""
    simple = simple_policies(rules)
    pairs = {("Smooth UCT", "UCT"): (policies["Smooth UCT"], policies["UCT"])}
    for name, policy in policies.items():
        pairs |= {(name, other): (policy, one) for other, one in simple.items()}
    matches = []
    for (first, second), (ours, theirs) in pairs.items():
        mean, error = play_match(rules, buckets, ours, theirs, calls)
        matches.append({"first": first, "second": second, "mb": mean, "standard_error": error})
    return {"episodes": episodes, "matches": matches}


def _write(path: Path, points: list[dict[str, Any]], making: float, seed: int, calls: int) -> None:
    content = {
        "game": str(GAME),
        "sizes": SIZES,
        "games_at_once": GAMES,
        "seed": seed,
        "deals_of_a_match": calls * GAMES,
        "seconds_for_buckets": making,
        "processor": processor(),
        "versions": versions(("jax", "numpy")),
        "points": points,
    }
    path.write_text(json.dumps(content, indent=1) + "\n")


def main() -> None:
    """Reads the options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=15.0, help="of dealing and learning")
    parser.add_argument("--calls", type=int, default=25, help=f"times {GAMES} deals of a match")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    run(arguments.minutes, arguments.calls, arguments.seed, arguments.out)


if __name__ == "__main__":
    main()
