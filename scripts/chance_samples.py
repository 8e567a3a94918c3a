"""How much a sample of public cards errs, and whether one that is spread evenly errs less.

Examples:
    python scripts/chance_samples.py
    python scripts/chance_samples.py --ranks 8 --draws 50

Where chance has more outcomes than a search tree has room for, the tree holds a sample of equal
weights. Here the chance node is worth what a showdown after it pays, each hand against a range: a
flop of which the hands of five cards are compared, and the last card of a board of five. A plain
sample is compared with systematic ones: outcomes in some order, every L / n-th of them from a
random start on. Each outcome is as likely in one as in the other, so both are right on average;
but a systematic sample has its share of each part of the order. Orders of flops:

    numbers  as the game counts them: by the highest card, then the next
    ranks    by the ranks of the cards, suits last: `Game.outcomes_in_order`
    suits    by how many suits there are and whether ranks are paired, then by ranks

Printed: root mean squares over hands and draws of the error of a hand's value, in parts of the
pot; and the mean over draws of these errors, which is 0 but for the noise of the draws.
"""

import json
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from machine import provenance
from script_arguments import script_parser

from gtcfr.children import spread
from sog.holdem.board_classes import by_ranks
from sog.holdem.colex import combinations
from sog.holdem.deck import Deck
from sog.holdem.hand_ranks import strength, suit_masks
from sog.holdem.showdown import Hands, met, net_wins, sort_hands

BOARD: Final = (3, 18, 30, 41)  # of the card that comes last; other decks take the remainders
BOARDS_PER_CALL: Final = 32


def worth(hands: Hands, boards: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """float32[board, S]: what each hand wins against a range on each board, in parts of the pot
    and of the pairs of hands that could meet before; 0 where it has a card of the board."""
    cards = jnp.asarray(hands.cards)

    def one(board: jax.Array) -> jax.Array:
        dead = jnp.any(cards[:, :, None] == board[None, None], axis=(1, 2))
        masks = jnp.asarray(hands.masks) | suit_masks(board, hands.deck)[None]
        order = sort_hands(strength(masks, hands.deck), hands)
        wins = net_wins(jnp.where(dead, 0, reach), order, hands)[0]
        return jnp.where(dead, 0, wins / 2)

    every = jax.jit(lambda boards: jax.lax.map(one, boards, batch_size=BOARDS_PER_CALL))
    before = jnp.maximum(met(jnp.asarray(reach), hands), 1e-9)
    return np.asarray(every(jnp.asarray(boards, jnp.int32)) / before)


def orders(deck: Deck, boards: np.ndarray) -> dict[str, np.ndarray]:
    """Permutations of all sets of so many cards by name."""
    ranks, suits = np.sort(boards // deck.suits, axis=1), np.sort(boards % deck.suits, axis=1)
    num_suits = 1 + (np.diff(suits, axis=1) > 0).sum(axis=1)
    pairs = (np.diff(ranks, axis=1) == 0).sum(axis=1)
    by_rank = tuple(ranks.T)  # the highest is the last key, which np.lexsort sorts by first
    found = {
        "numbers": np.arange(len(boards)),
        "ranks": by_ranks(deck, boards.shape[1]),
        "suits": np.lexsort((*by_rank, pairs, num_suits)),
    }
    return found if boards.shape[1] > 1 else {"numbers": found["numbers"]}


def systematic(order: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """int[count]: every L / n-th of an order from a random start on, as searches choose them."""
    chosen = spread(jnp.ones(len(order), bool), count, int(rng.integers(len(order))))
    return np.asarray(order[np.asarray(chosen)])


def errors(
    values: np.ndarray, order: np.ndarray | None, count: int, draws: int, rng: np.random.Generator
) -> dict[str, float]:
    """Of what a sample says of the mean over all boards."""
    exact, off = values.mean(axis=0), []
    for _ in range(draws):
        if order is None:
            chosen = rng.choice(len(values), count, replace=False)
        else:
            chosen = systematic(order, count, rng)
        off.append(values[chosen].mean(axis=0) - exact)
    found = np.array(off)
    return {
        "rms": float(np.sqrt((found**2).mean())),
        "rms_of_mean": float(np.sqrt((found.mean(axis=0) ** 2).mean())),
    }


def measure(deck: Deck, counts: dict[str, list[int]], draws: int) -> list[dict[str, Any]]:
    """A row for each event, range, number of boards and way to sample."""
    hands = Hands(deck)
    cards = np.array(BOARD) % deck.num_cards
    last = np.setdiff1d(np.arange(deck.num_cards), cards)
    events = {
        "flop": combinations(deck.num_cards, 3),
        "river": np.column_stack([np.tile(cards, (len(last), 1)), last]),
    }
    high = (hands.cards // deck.suits).sum(axis=1)
    ranges = {"all": np.ones(len(high)), "high": high >= np.quantile(high, 0.8)}
    rows = []
    for event, boards in events.items():
        ways = {"plain": None, **orders(deck, boards if event == "flop" else boards[:, -1:])}
        for name, chosen in ranges.items():
            reach = chosen.astype(np.float32)
            values = worth(hands, boards, reach)
            for count in counts[event]:
                for way, order in ways.items():
                    rng = np.random.default_rng(count)
                    found = errors(values, order, count, draws, rng)
                    row = {"event": event, "range": name, "boards": count, "way": way, **found}
                    print(
                        f"{event:6}{name:5}{count:5}  {way:9}{found['rms']:9.4f}"
                        f"{found['rms_of_mean']:9.4f}",
                        flush=True,
                    )
                    rows.append(row)
    return rows


def main() -> None:
    """Reads the command line."""
    parser = script_parser(__doc__)
    parser.add_argument("--ranks", type=int, default=13, help="ranks in the deck (default: 13)")
    parser.add_argument("--draws", type=int, default=200, help="samples of each kind")
    parser.add_argument("--out", type=Path, help="a file for the figures, JSON")
    arguments = parser.parse_args()
    deck = Deck(arguments.ranks, 4)
    counts = {"flop": [16, 64, 256], "river": [8, 16, 24]}
    rows = measure(deck, counts, arguments.draws)
    if arguments.out:
        record = {**provenance(), "ranks": arguments.ranks, "draws": arguments.draws, "rows": rows}
        text = json.dumps(record, indent=1)
        arguments.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
