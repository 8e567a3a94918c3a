"""Measures the error of samples of public cards, plain and systematic.

Examples:
    python scripts/chance_samples.py
    python scripts/chance_samples.py --ranks 8 --draws 50

If chance has more outcomes than a search tree can hold, the tree has a sample with equal weights.
Here the value of the chance node is that of a showdown after it, of each hand against a range: a
flop on which five-card hands are compared, and the last card of a board of five. Compares a plain
sample with systematic ones: outcomes in some order, every L / n-th of them from a random start.
Each outcome is equally likely in both, so both are unbiased; but a systematic sample covers each
part of the order in proportion. Orders of flops:

    numbers  the game's numbering: by the highest card, then the next
    ranks    by the ranks of the cards, suits last: `Game.outcomes_in_order`
    suits    by the number of suits and whether ranks are paired, then by ranks

Prints the root mean square over hands and draws of the error of a hand's value, as a share of the
pot; and that of the mean error over draws, which is 0 except for the noise of the draws.
"""

import json
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from shared import provenance, script_parser

from gtcfr.children import spread
from sog.holdem.board_classes import by_ranks
from sog.holdem.colex import combinations
from sog.holdem.deck import Deck
from sog.holdem.hand_ranks import strength, suit_masks
from sog.holdem.showdown import Hands, met, net_wins, sort_hands

BOARD: Final = (3, 18, 30, 41)  # before the last card; other decks take the remainders
BOARDS_PER_CALL: Final = 32


def worth(hands: Hands, boards: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """float32[board, S]: the value of each hand against a range on each board, as a share of the
    pot and of the possible pairs of hands; 0 if it contains a card of the board."""
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
    """By name: orders of the boards."""
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
    """int[count]: every L / n-th of an order from a random start, as in searches."""
    chosen = spread(jnp.ones(len(order), bool), count, int(rng.integers(len(order))))
    return np.asarray(order[np.asarray(chosen)])


def errors(
    values: np.ndarray, order: np.ndarray | None, count: int, draws: int, rng: np.random.Generator
) -> dict[str, float]:
    """The errors of a sample's mean against the mean over all boards."""
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
    """A row for each event, range, number of boards and sampling method."""
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
