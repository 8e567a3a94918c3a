"""Scotland Yard by hand: short games told in the words of `describe_outcome`, and London."""

import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games.core import PLAYER_0, TERMINAL
from sog.scotland_yard.game import London, ScotlandYard
from sog.scotland_yard.station_map import load_map


class Maps(NamedTuple):
    """Paths of small maps."""

    star: str
    row: str
    town: str


@pytest.fixture(scope="module")
def maps(tmp_path_factory: pytest.TempPathFactory) -> Maps:
    edges = {
        "star": "1,2,taxi 1,3,taxi 3,4,taxi 1,5,taxi",
        "row": "1,2,taxi 2,3,taxi 3,4,taxi 4,5,taxi 5,6,taxi",
        "town": "3,5,taxi 3,5,bus 5,8,taxi 3,8,bus 8,12,underground 12,20,ferry 5,20,taxi",
    }
    folder = tmp_path_factory.mktemp("maps")
    for name, rows in edges.items():
        text = "station_a,station_b,transport " + rows
        (folder / f"{name}.csv").write_text(text.replace(" ", "\n"))
    return Maps(*(str(folder / f"{name}.csv") for name in edges))


def compiled(game: ScotlandYard, function: str) -> Any:
    """A function of the game; games that differ in their root alone share it."""
    starts = "/".join(map(str, load_map(game.map).stations[: game.detectives + 1]))
    return _compiled(dataclasses.replace(game, starts=starts, taxi=9, mr_x_taxi=9), function)


@functools.cache
def _compiled(game: ScotlandYard, function: str) -> Any:
    return jax.jit(getattr(game, function))


def outcomes_by_event(game: ScotlandYard, state: Any) -> dict[str, int]:
    legal = np.flatnonzero(compiled(game, "legal_outcomes")(state)).tolist()
    return {game.describe_outcome(state, outcome): outcome for outcome in legal}


def events_after(game: ScotlandYard, state: Any) -> list[str]:
    return list(outcomes_by_event(game, state))


def after(game: ScotlandYard, state: Any, event: str) -> Any:
    """The public state after an event, told in the words of `describe_outcome`."""
    return compiled(game, "apply")(state, jnp.int32(outcomes_by_event(game, state)[event]))


def play(game: ScotlandYard, *events: str) -> Any:
    """The public state after these events."""
    return functools.reduce(functools.partial(after, game), events, game.root())


def actions_at(game: ScotlandYard, state: Any, station: int) -> list[str]:
    """What the acting player can do, Mr X if he is at that station."""
    row = load_map(game.map).index(station)
    legal = np.flatnonzero(compiled(game, "legal_actions")(state)[row]).tolist()
    return [game.describe_action(state, row, action) for action in legal]


def small_game(path: str, starts: str, **parameters: Any) -> ScotlandYard:
    given = {"black": 0, "doubles": 0, "reveals": "none", "detectives": starts.count("/")}
    return ScotlandYard(map=path, starts=starts, **{**given, **parameters})


def possible(game: ScotlandYard, state: Any) -> list[int]:
    mask = np.asarray(game.infostate_mask(state))
    np.testing.assert_array_equal(mask[1], np.arange(len(mask[1])) == 0)
    return [load_map(game.map).stations[i] for i in np.flatnonzero(mask[0])]


def winner(game: ScotlandYard, state: Any) -> int:
    """1 or -1 at the end of a game, from Mr X's cfvs."""
    assert int(game.actor(state)) == TERMINAL
    cfvs = game.utilities(state, game.infostate_mask(state).astype(jnp.float32))
    return int(cfvs[0].max() + cfvs[0].min())


def test_mr_x_may_be_stuck_in_one_world_and_not_in_another(maps: Maps) -> None:
    game = small_game(maps.star, "1/5")
    state = play(game, "Mr X takes a taxi", "detective 1 to 1 by taxi: not caught")
    assert possible(game, state) == [2, 3]
    assert actions_at(game, state, 2) == ["stuck"]
    assert actions_at(game, state, 3) == ["taxi to 4"]
    assert actions_at(game, state, 4) == []
    assert events_after(game, state) == ["Mr X takes a taxi", "Mr X is stuck"]
    stuck = after(game, state, "Mr X is stuck")
    assert (possible(game, stuck), winner(game, stuck)) == ([2], -1)
    assert possible(game, after(game, state, "Mr X takes a taxi")) == [4]


def test_a_black_ticket_hides_the_transport_and_pays_for_ferries(maps: Maps) -> None:
    game = small_game(maps.town, "12/3", black=1)
    assert actions_at(game, game.root(), 12) == ["underground to 8", "black to 8", "black to 20"]
    state = play(game, "Mr X plays a black ticket")
    assert possible(game, state) == [8, 20]
    assert possible(game, play(game, "Mr X takes the underground")) == [8]


def test_a_double_move_is_two_moves_of_which_each_may_be_shown(maps: Maps) -> None:
    game = small_game(maps.town, "20/12", doubles=2, reveals="1/2", rounds=4)
    state = play(
        game,
        "Mr X takes a taxi, the first half of a double move",
        "Mr X shows himself at 5",
    )
    assert actions_at(game, state, 5) == ["taxi to 3", "taxi to 8", "taxi to 20", "bus to 3"]
    state = after(game, state, "Mr X takes a taxi")
    assert possible(game, state) == [3, 8, 20]
    assert events_after(game, state) == [f"Mr X shows himself at {n}" for n in (3, 8, 20)]
    state = after(game, state, "Mr X shows himself at 3")
    assert game.describe_state(state) == (
        "detective 1 to move; Mr X: taxi to 5, taxi to 3, at 3; detectives: at 12"
    )
    assert (int(state.doubles), int(state.num_moves)) == (1, 2)


def test_london_deals_six_of_eighteen_cards() -> None:
    game = London()
    cards = [13, 26, 29, 34, 50, 53, 91, 94, 103, 112, 117, 132, 138, 141, 155, 174, 197, 198]
    assert possible(game, game.root()) == cards

    def deal(state: Any, outcome: Any) -> Any:
        state = game.apply(state, outcome)
        reach = game.infostate_mask(state).astype(jnp.float32)
        return state, game.compatible_reach(state, reach)[1, 0]

    outcomes = jnp.array(cards[1:6]) - 1
    state, chances = jax.jit(lambda: jax.lax.scan(deal, game.root(), outcomes))()
    chances_by_hand = np.cumprod([1 / 18, 1 / 17, 1 / 16, 1 / 15, 1 / 14])
    np.testing.assert_allclose(chances, chances_by_hand, rtol=1e-6)  # of cards in this order
    assert int(state.stage) == PLAYER_0
    assert possible(game, state) == [13, *cards[6:]]


def test_london_has_the_features_of_the_paper() -> None:
    game = London(starts="13/26/29/34/50/53")
    features = np.asarray(game.observe(game.root()))
    assert features.shape == (1223 - 200,)  # the paper counts the beliefs too: 1 + 199
    stations, rest = features[: 5 * 199].reshape(5, 199), features[5 * 199 :]
    assert (np.argmax(stations, axis=1) + 1).tolist() == [26, 29, 34, 50, 53]
    assert stations.sum() == 5
    np.testing.assert_allclose(rest[:15], np.tile([1, 0.8, 0.4], 5), rtol=1e-6)
    np.testing.assert_allclose(rest[15:20], [4 / 55, 3 / 55, 3 / 55, 5 / 55, 1], rtol=1e-6)
    assert rest[20:].tolist() == [0, 0, 0, 0, 0, 1, 0, 0]  # Mr X is next; no double; no round
