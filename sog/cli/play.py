"""`sog play`: games of a person in the terminal against an agent."""

import argparse
import secrets
from pathlib import Path
from typing import Any

import jax
import numpy as np

from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS, CommandError, check_target, mistakes
from sog.cli.game_output import (
    check_has_format,
    check_has_picture,
    check_record_name,
    is_record_name,
    write_picture,
)
from sog.cli.interrupts import concluding, holding_interrupts
from sog.cli.loading import load_history
from sog.cli.play_screen import (
    Quit,
    Terminal,
    draw_state,
    shares,
    signed_units,
    worth_of,
)
from sog.cli.play_table import DecisionNote, Human, Moves, RecordingAgent, TakeBack
from sog.cli.players import check_searches, describe_search, find_opponent, seat_players
from sog.cli.saved_games import Saved, check_resumed, left_game, read_saved
from sog.games import PLAYER_0, Game
from sog.play import PlayedGame
from sog.play.assessments import Assessment
from sog.play.game_in_progress import GameInProgress
from sog.play.history import Opening
from sog.play.match import check_plays_unseen, play_on
from sog.play.replay import replay_of
from sog.players.player import Player


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    find_opponent(arguments)
    resumed = _check(arguments)
    start_jax(few_searches=True)
    with display.working() as work, concluding(work.report_interrupt):
        seating = seat_players([arguments.agent], arguments, work)
        with mistakes():
            seating.players[0].check_exposes_policy()
        if resumed is not None:
            check_resumed(resumed, seating.game, seating.players[0], arguments.resume)
        check_has_format("--save", seating.game, arguments.save)
        history = load_history(seating.game, arguments.history, begins=True)
        check_has_picture(seating.game, arguments.picture)
        left = None if resumed is None else left_game(resumed, seating.game)
    session = _Session(seating.game, seating.players[0], arguments, history, resumed, left)

    def conclude() -> None:
        print()
        session.end()

    try:
        with mistakes(), concluding(conclude):
            session.play()
    except Quit:
        pass
    except Exception:  # save the games in any case
        session.save()
        raise
    finally:
        session.close()
    with holding_interrupts():
        session.end()
    return SUCCESS


def _check(arguments: argparse.Namespace) -> Saved | None:
    """Checks options before the work begins; returns the games of --resume."""
    resumed = None
    if arguments.save is not None and arguments.resume is not None:
        raise CommandError("--resume writes to its own file: omit --save.")
    if arguments.save is not None:
        check_record_name("--save", arguments.save)
        if arguments.save.exists():
            is_final = is_record_name(arguments.save)
            then = "choose another name" if is_final else "--resume continues it"
            raise CommandError(f"--save: {arguments.save} exists already; {then}.")
    if arguments.resume is not None:
        if not is_record_name(arguments.resume):  # raises which extensions are allowed
            resumed = read_saved(arguments.resume)
        check_target("--resume", arguments.resume, (".json",))
        if arguments.seed is not None:
            raise CommandError("--resume uses the seed of the file: omit --seed.")
    check_target("--picture", arguments.picture, (".svg",))
    if arguments.hints and arguments.agent == "random":
        raise CommandError("--hints needs an agent better than random.")
    check_searches([arguments.agent], arguments)
    return resumed


class _Session:
    """Games against one agent, and the score."""

    def __init__(
        self,
        game: Game[Any],
        player: Player,
        arguments: argparse.Namespace,
        opening: Opening,
        resumed: Saved | None,
        left: Opening | None,
    ) -> None:
        """resumed: the games to continue, if any. left: the opening of their unfinished game."""
        self.game, self.player, self.arguments = game, player, arguments
        self._opening, self._left = opening, left
        self.terminal = Terminal()
        self.file: Path | None = arguments.resume or arguments.save
        self.saved = resumed or Saved(
            game=str(game),
            unit=game.unit,
            agent=player.as_json(),
            seed=secrets.randbits(32) if arguments.seed is None else arguments.seed,
            games=[],
        )
        # A resumed session uses other random numbers than the one before.
        earlier = () if resumed is None else (1 + len(self.saved.games),)
        self._seeds = np.random.SeedSequence(self.saved.seed, spawn_key=earlier).generate_state(4)
        self._thinkers: dict[tuple[int, bool], RecordingAgent] = {}

    def play(self) -> None:
        """Plays until all games are over or the person quits (Quit)."""
        say, name = self.terminal.say, display.short_name(self.game)
        say(f"{name} against {self.player.name}. ? for help, q to quit.", "bold")
        if self.player.search is not None:
            seconds = self.player.seconds
            clock = "" if seconds is None else f", not counted in its {seconds:g} s"
            display.note(
                f"the agent searches with {describe_search(self.player.search)}; its first search "
                f"is compiled, which takes a moment{clock}."
            )
        deals, wanted = jax.random.key(self.saved.seed), self.arguments.games
        before = len(self.saved.games)
        if self.arguments.resume is not None:
            self.show_score()
        while wanted is None or len(self.saved.games) - before < wanted:
            number = len(self.saved.games)
            seat = number % 2 if self.arguments.seat is None else self.arguments.seat
            if self.saved.unfinished:
                seat = self.saved.human
            self._play_one(number, seat, jax.random.fold_in(deals, number))
            if wanted is None and not self._wants_more():
                return

    def _play_one(self, number: int, seat: int, key: jax.Array) -> None:
        opponent = self._thinker(1 - seat, is_advisor=False)
        advisor = self._thinker(seat, is_advisor=True) if self.arguments.hints else None

        def draw(state: Any, ranges: np.ndarray | None, infostate: int) -> None:
            own = (infostate, None) if seat == PLAYER_0 else (None, infostate)
            self._draw(number, state, ranges, own)
            self.saved.human, self.saved.unfinished = seat, list(human.moves.done)
            self.saved.begins = "" if beginning is None else beginning.text
            if self.file is not None and not is_record_name(self.file):
                self.save()

        human = Human(self.game, seat, self.terminal, advisor, draw)
        side = self.game.describe_seat(seat)
        role = f"you are player {seat}{side and ', '}{side}"
        self.terminal.say(f"\nGame {number + 1}: {role}.", "bold")
        opening = self._left if self.saved.unfinished and self._left else self._opening
        beginning, self._left = opening.beginning, None
        given = [(one.actor, one.outcome) for one in GameInProgress(self.game, opening).steps]
        agents = (human, opponent) if seat == 0 else (opponent, human)
        again, announces = self.saved.unfinished or given, True
        while True:
            # The agents replay the moves after the beginning.
            ongoing = GameInProgress.dealt(self.game, key, Opening(beginning=beginning))
            human.moves = opponent.moves = moves = Moves(ongoing, again, announces=announces)
            if advisor is not None:
                advisor.moves = moves
            try:
                played = play_on(ongoing, agents)
                break
            except TakeBack:
                again, announces = moves.before_last_choice(seat) or [], False
                self.terminal.say("  Undone.", "dim")
        self.saved.games.append(replay_of(self.game, seat, played))
        self.saved.unfinished, self.saved.begins = [], ""
        self.save()
        self._draw(number, ongoing.state, None, played.infostates[-1])
        self._show_end(ongoing.state, seat, played)
        self._show_assessments(opponent.decisions)

    def _draw(
        self,
        number: int,
        state: Any,
        ranges: np.ndarray | None,
        infostates: tuple[int | None, int | None],
    ) -> None:
        """Overwrites the file of --picture; arguments: see `write_picture`."""
        path: Path | None = self.arguments.picture
        if path is not None:
            title = f"{display.short_name(self.game)}, game {number + 1}"
            write_picture(path, self.game, state, title=title, ranges=ranges, infostates=infostates)

    def _thinker(self, player: int, *, is_advisor: bool) -> RecordingAgent:
        """The agent of a seat for all games; each with a seed of its own."""
        place = (player, is_advisor)
        if place not in self._thinkers:
            agent = self.player.make(player, int(self._seeds[2 * is_advisor + player]))
            check_plays_unseen(agent)
            self._thinkers[place] = RecordingAgent(self.game, agent, player)
        return self._thinkers[place]

    def _wants_more(self) -> bool:
        while True:
            answer = self.terminal.ask("\nAnother game? [Y/n] ").casefold()
            if answer in ("", "y", "yes"):
                return True
            if answer in ("n", "no", "q", "quit"):
                return False

    # After a game, when everything may be shown.

    def _show_end(self, state: Any, seat: int, played: PlayedGame) -> None:
        say, won = self.terminal.say, played.utility_to(seat)
        has_pieces = self.terminal.has_pieces
        say(f"\n{draw_state(self.game, state, player=seat, has_pieces=has_pieces)}")
        if self.game.hides_information:
            yours, agents = (
                self.game.describe_infostate(state, player, played.infostates[-1][player])
                for player in (seat, 1 - seat)
            )
            say(f"  You: {yours}; agent: {agents}.")
        words = "You win" if won > 0 else "You lose" if won < 0 else "A draw"
        style = "good" if won > 0 else "bad" if won < 0 else "bold"
        say(f"  {words}: {signed_units(self.game, won)}.", style)

    def _show_assessments(self, decisions: list[DecisionNote]) -> None:
        say = self.terminal.say
        if not decisions:
            return
        say("\nWhat the agent thought:", "bold")
        for decision in decisions:
            say(f"  {self.game.describe_state(decision.state)}: played {decision.action}")
            for assessment in decision.assessments:
                is_real = assessment.infostate == decision.infostate
                say(self._assessment_line(decision, assessment), "" if is_real else "dim")
        if any(len(decision.assessments) > 1 for decision in decisions):
            say("  (* is what it had; the other lines are what it would have done.)", "dim")

    def _assessment_line(self, decision: DecisionNote, assessment: Assessment) -> str:
        name = ""
        if len(decision.assessments) > 1:
            mark = "*" if assessment.infostate == decision.infostate else " "
            width = max(len(one.name) for one in decision.assessments)
            name = f"{mark} {assessment.name:{width}}  "
        if assessment.value is None:
            return f"    {name}{shares(assessment.policy)}"
        width = max(len(shares(one.policy)) for one in decision.assessments)
        worth = worth_of(self.game, assessment.value)
        return f"    {name}{shares(assessment.policy):{width}}  {worth}"

    def end(self) -> None:
        """Saves the games, with a note, and shows the score."""
        if self.save():
            display.note(f"wrote the games to {self.file}.")
        self.show_score()

    def show_score(self) -> None:
        """The score over all finished games."""
        games = self.saved.games
        if not games:
            self.terminal.say("\nNo game was finished.")
        else:
            results = [one["utility"] * (1 if one["human"] == PLAYER_0 else -1) for one in games]
            won, lost = sum(one > 0 for one in results), sum(one < 0 for one in results)
            count = f"{len(results)} game{'s' if len(results) > 1 else ''}"
            total = signed_units(self.game, sum(results))
            counts = f"{won} won, {len(results) - won - lost} drawn, {lost} lost"
            self.terminal.say(f"\nScore after {count}: {total} ({counts}).", "bold")

    def close(self) -> None:
        """Releases the agents."""
        for thinker in self._thinkers.values():
            thinker.close()

    def save(self) -> bool:
        """Writes the games so far, if requested and any; returns whether it did."""
        if self.file is None or not (self.saved.games or self.saved.unfinished):
            return False
        with holding_interrupts():
            self.saved.write(self.file, self.game)
        return True
