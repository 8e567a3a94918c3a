"""An agent that searches at every decision, and keeps its chain of searches through a game.

    agent = SearchAgent(make("leduc"), ZeroEvaluator(), player=0)
    action = agent.act(infostate)    # its own card, say; searches, and samples an action
    agent.observe(outcome)           # every public event, also that of its own action

Each search re-solves from the counterfactual values that the last one promised the opponent
(`gtcfr.resolving`), so an agent must observe every event on the way, not only the current state.
It tracks the public state itself.
"""

import dataclasses
import operator
from collections.abc import Hashable, Sequence
from typing import Any

import jax
import numpy as np
from jax import Array

from gtcfr.evaluator import Evaluator
from gtcfr.settings import SearchSettings
from gtcfr.shape import tree_shape
from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, TERMINAL, Game
from sog.play.chained_search import (
    Chain,
    LastSearch,
    Searching,
    compile_first,
    longest_path,
    search_chains,
)
from sog.play.choice import DOUBT
from sog.play.history import check_begins_anywhere
from sog.play.match import Agent
from sog.play.principal_variation import events_of
from sog.play.rules import after, first_state, sample, situation


class SearchAgent(Agent):
    """Plays one player of one game at a time, by searching.

    Agents with the same game and settings share one compiled search. `copy.copy` of an agent plays
    on independently from the same point.
    """

    exposes_policies = True
    doubt = DOUBT
    is_copied = True
    _everywhere = False
    evaluator: Evaluator
    """May be replaced between searches, as after training."""
    seconds: float | None
    """Time limit of each search, see `sog.play.thinking`."""

    def __init__(
        self,
        game: Game[Any],
        evaluator: Evaluator,
        settings: SearchSettings = SearchSettings(),  # noqa: B008 (frozen)
        *,
        player: int,
        seed: int = 0,
        greedy: bool = False,
        seconds: float | None = None,
    ) -> None:
        """Sits down as a player, before the first public event.

        greedy: takes the most probable action; right with perfect information, exploitable with
        hidden information. seconds: time limit of a search, whose result then depends on the
        machine. Raises ValueError for an invalid player or settings.
        """
        if player not in (PLAYER_0, PLAYER_1):
            raise ValueError(f"player must be {PLAYER_0} or {PLAYER_1}, got {player!r}.")
        tree_shape(game, settings, longest_path(game))  # report errors first
        self.game, self.player, self.settings = game, player, settings
        self.evaluator, self.seconds = evaluator, seconds
        self._greedy, self._everywhere = greedy, settings.search_everywhere
        self.begin(seed=seed)

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game; at a later state only with perfect information."""
        if seed is not None:
            self._key = jax.random.key(seed)
        begins = first_state(self.game)
        if state is not None:
            check_begins_anywhere(self.game)
            if type(state) is not type(begins):
                raise ValueError(f"{self.game} can be searched from its start only.")
            begins = state
        self._chain = Chain(player=self.player, state=begins, start=state)
        self._now = situation(self.game, self.state)

    def prepare(self) -> None:
        """Compiles its first search."""
        compile_first(self.how_it_searches)

    @property
    def state(self) -> Any:
        """The current public state."""
        return self._chain.state

    @property
    def last_search(self) -> LastSearch | None:
        """The last search of this game, which the next one continues."""
        return self._chain.last

    @property
    def ranges(self) -> np.ndarray | None:
        """[player, S]: both players' ranges at the root of the last search of this game."""
        return None if self.last_search is None else np.asarray(self.last_search.ranges)

    def observe(self, outcome: int) -> None:
        """Records a public event; ValueError if it is not legal here."""
        legal = np.flatnonzero(self._now.legal_outcomes).tolist()
        if outcome not in legal:
            if self._now.actor == TERMINAL:
                raise ValueError(f"outcome {outcome!r} comes after the end of the game{self._at}.")
            raise ValueError(f"outcome must be one of {legal}{self._at}, got {outcome!r}.")
        others_choice = self._now.actor == 1 - self.player and self._now.has_choice
        if self._everywhere and others_choice:
            self._search_here()
        chain = self._chain
        state, path = after(self.game, chain.state, outcome), (*chain.path, int(outcome))
        self._chain = dataclasses.replace(chain, state=state, path=path)
        self._now = situation(self.game, state)

    def act(self, infostate: int) -> int:
        """Chooses an action at an infostate of the agent's player; see `policy`."""
        if self._greedy:
            return int(self.policies()[self._check_turn(infostate)].argmax())
        policy = self.policy(infostate)
        return sample(self._next_key(), policy)

    def policy(self, infostate: int) -> np.ndarray:
        """[A]: the probabilities with which `act` chooses, unless the agent is greedy.

        One search serves all infostates until the next event; none is made where no infostate has
        a choice. Raises ValueError if the agent is not to move, if the infostate cannot occur, or
        if the search fails (see `gtcfr.search.check_result`).
        """
        infostate = self._check_turn(infostate)
        if not self._now.has_choice:
            return np.asarray(self._now.legal_actions[infostate], float)
        found = np.asarray(self._search_here().policy[infostate], float)
        return np.asarray(found / found.sum())

    def policies(self) -> np.ndarray:
        """[S, A]: the policy of `act` at every infostate, from one search; deterministic if greedy.

        Raises as `policy`.
        """
        self._check_mover()
        legal = np.asarray(self._now.legal_actions, float)
        if not self._now.has_choice:
            return legal
        search = self._search_here()
        found = np.asarray(search.policy, float) * legal
        if self._greedy:
            found = (np.arange(found.shape[1]) == np.asarray(search.best)[:, None]) * legal
        total = found.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(found, total, out=np.zeros_like(found), where=total > 0))

    def value(self, infostate: int) -> float:
        """Expected utility of an infostate.

        0 if no infostate in the opponent's range is compatible with it. Raises as `policy`.
        """
        infostate = self._check_turn(infostate)
        return float(self._search_here().values[self.player, infostate])

    def action_values(self, infostate: int) -> np.ndarray:
        """[A]: expected utility of each action at an infostate.

        NaN if illegal or not considered, see `gtcfr.action_values`. Raises as `policy`.
        """
        infostate = self._check_turn(infostate)
        return np.asarray(self._search_here().action_values[infostate], float)

    def line(self, infostate: int) -> list[int]:
        """The principal variation: a few expected public events, the agent's own first.

        Empty with hidden information. Raises as `policy`.
        """
        self._check_turn(infostate)
        return events_of(np.asarray(self._search_here().line))

    def _check_mover(self) -> None:
        actor = self._now.actor
        if actor == TERMINAL:
            raise ValueError(f"player {self.player} cannot move: the game is over{self._at}.")
        if actor != self.player:
            mover = "chance" if actor == CHANCE else f"player {actor}"
            raise ValueError(f"player {self.player} cannot move: it is {mover}'s turn{self._at}.")

    def _check_turn(self, infostate: int) -> int:
        self._check_mover()
        possible = self._now.infostate_mask[self.player]
        number = operator.index(infostate)
        if not (0 <= number < len(possible) and possible[number]):
            raise ValueError(
                f"infostate must be one that player {self.player} can have{self._at}, got {number}."
            )
        return number

    @property
    def _at(self) -> str:
        return f" at '{self.game.describe_state(self.state)}'"

    @property
    def is_searched(self) -> bool:
        """Whether no search is needed here: the agent has no choice, or has searched already."""
        has_choice = self._now.actor == self.player and self._now.has_choice
        return not has_choice or self._has_searched

    @property
    def waits_for(self) -> Hashable | None:
        """See `Agent`; with a time limit it searches alone."""
        return None if self.is_searched or self.seconds is not None else self.how_it_searches

    @property
    def how_it_searches(self) -> Any:
        """Agents with equal keys can search in one batch, see `Agent.search_together`."""
        return Searching(
            game=self.game,
            evaluator=self.evaluator,
            settings=self.settings,
            seconds=self.seconds,
        )

    @property
    def _has_searched(self) -> bool:
        """Whether the last search was of this public state."""
        return self._chain.last is not None and not self._chain.path

    def _search_here(self) -> LastSearch:
        """The search at the current public state; made once."""
        if not self._has_searched:
            self.search_together([self])
        assert self._chain.last is not None
        return self._chain.last

    @staticmethod
    def search_together(agents: Sequence[Any], batch_size: int = 1) -> None:
        """See `Agent`. Raises as `search_chains`, in which case no agent has searched."""
        chains, keys = [agent._chain for agent in agents], [agent._next_key() for agent in agents]
        results = agents[0]._search(chains, keys, batch_size)
        for agent, result in zip(agents, results, strict=True):
            agent._chain = dataclasses.replace(agent._chain, last=result, path=())

    def _search(
        self, chains: Sequence[Chain], keys: Sequence[Array], batch_size: int
    ) -> list[LastSearch]:
        """See `search_chains`; chains: of agents with the same `how_it_searches`."""
        return search_chains(self.how_it_searches, chains, keys, batch_size)

    def _next_key(self) -> Array:
        key: Array
        self._key, key = jax.random.split(self._key)
        return key
