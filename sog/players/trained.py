"""Networks from run folders, ready to search and to play with."""

import dataclasses
import functools
from pathlib import Path
from typing import Any, Final

import jax

from gtcfr.evaluator import NetworkEvaluator
from gtcfr.settings import SearchSettings
from networks.cvpn import network_form
from selfplay.alphazero.search import check_game, search_bytes
from selfplay.learner import first_state, restored_state
from selfplay.memory import check_playing
from selfplay.recipe import ALPHAZERO, make_evaluator
from selfplay.runs.checkpoint import checkpoint_steps, has_checkpoints, load_checkpoint
from selfplay.runs.run_folder import RunFolder
from selfplay.schedule import arrays_of
from selfplay.settings import AlphaZeroSettings
from sog.games import Game, make
from sog.memory import check_memory
from sog.players.alphazero_agent import AlphaZeroAgent
from sog.players.player import Host, Player, SearchChanges
from sog.players.searching import searching_player, trained_settings

_SIMULATIONS: Final = "num_simulations"
_PER_UPDATE: Final = "simulations_per_update"


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Trained:
    """A network at some step of its training."""

    game: Game[Any]
    evaluator: NetworkEvaluator
    settings: SearchSettings
    """The search by which the run is evaluated."""
    step: int
    name: str
    """Of the run folder."""
    skipped: tuple[str, ...]
    """Newer checkpoints that are damaged, a line each."""
    alphazero: AlphaZeroSettings | None = None
    """Search settings for play, if it was trained by AlphaZero."""

    @property
    def title(self) -> str:
        """Its name as a player."""
        return f"{self.name} at step {self.step:,}"

    def player(self, name: str, game: Game[Any], search: SearchChanges, host: Host) -> Player:
        """See `Candidate`; its name is `title`."""
        if self.alphazero is not None:
            return self._alphazero_player(game, self.alphazero, search, host)
        settings, net = trained_settings(self.settings, search), self.evaluator
        return searching_player(self.title, game, game, net, settings, host, network=net)

    def _alphazero_player(
        self, game: Game[Any], settings: AlphaZeroSettings, changes: SearchChanges, host: Host
    ) -> Player:
        """A player whose search `changes` may only give another number of simulations.

        Raises ValueError for other changes, for a time limit, if mctx is not installed, and if
        memory does not suffice.
        """
        for setting, value in changes.items():
            if setting not in (_SIMULATIONS, _PER_UPDATE) or (
                setting == _PER_UPDATE and value != 1
            ):
                raise ValueError(
                    f"AlphaZero's search can change {_SIMULATIONS} only, not {setting} = {value}."
                )
        if host.seconds is not None:
            raise ValueError("AlphaZero's search is limited by simulations, not by seconds.")
        check_game(game)
        simulations = int(changes.get(_SIMULATIONS, self.settings.num_simulations))
        needed = search_bytes(game, simulations)
        check_memory({f"AlphaZero's search of {_SIMULATIONS} = {simulations}": needed})
        net = self.evaluator

        def make(player: int, seed: int) -> AlphaZeroAgent:
            return AlphaZeroAgent(game, net, settings, num_simulations=simulations, player=player)

        return Player(name=self.title, game=game, make=make, search_bytes=needed, network=net)


def load_trained(path: Path, checkpoint: int | None = None) -> Trained:
    """Loads the network of a checkpoint, by default the newest that is intact.

    Raises ValueError, in one line, if it is not a run folder or has no such checkpoint.
    """
    folder = RunFolder.read(path)
    config = folder.config
    game = make(config.game)
    check_playing(game, config.network)
    found = load_checkpoint(folder.checkpoints, checkpoint)
    apply_fn, form = network_form(game, config.network)
    first = jax.eval_shape(functools.partial(first_state, config.learner), form)
    arrays = list(arrays_of(found.arrays, "learner").values())
    try:
        state = restored_state(first, arrays)
    except ValueError as error:
        raise ValueError(f"{found.path}: {error}") from None
    return Trained(
        game=game,
        evaluator=make_evaluator(apply_fn, jax.device_get(state.average)),
        settings=config.run.evaluate_search,
        step=found.step,
        name=path.resolve().name,
        skipped=found.skipped,
        alphazero=config.alphazero if config.algorithm == ALPHAZERO else None,
    )


def trained_steps(path: Path) -> list[int]:
    """Steps of all checkpoints of a run; ValueError if all are damaged or it is not a run."""
    folder = RunFolder.read(path).checkpoints
    steps = checkpoint_steps(folder)
    if not steps and has_checkpoints(folder):
        load_checkpoint(folder)  # raises what is wrong with them
    return steps
