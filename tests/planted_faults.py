"""Faults that a tired engineer makes, planted one at a time: does a test notice?

    python -m tests.planted_faults                     all of them, in two processes
    python -m tests.planted_faults spots/walk --jobs 1    those of files with that in their names

A fault is planted in a copy of the checkout, where the test files that should notice are run. It
prints "noticed" or "LIVED" for each, and ends with 1 if one lived, with 2 if a text is not there.
First the tests of `make test` run, then those marked thorough; compiled programs are kept.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).resolve().parents[1]
_COPIED: Final = ("sog", "gtcfr", "networks", "selfplay", "tests", "scripts", "configs", "docs")
_FILES: Final = ("pyproject.toml", "README.md", "CONTRIBUTING.md", "Makefile", "constraints.txt")
_FLAGS: Final = "--xla_backend_optimization_level=0 --xla_cpu_parallel_codegen_split_count=1"

_NEXT: Final = " :: "
# File :: test files that should notice :: text, which is there once :: faulty text.
FAULTS: Final = r"""
selfplay/sources.py :: test_domains :: from sog.games.parts import game_part :: import sog.holdem.ranges; from sog.games.parts import game_part
selfplay/runs/config.py :: selfplay/test_config test_files_0_1 :: "first_outcomes": "none" :: "first_outcome": "none"
sog/holdem/commands/policy.py :: test_files_0_1 :: is_spot = str(arguments.source).lower().endswith(ENDING) :: is_spot = False
sog/baselines/online/method.py :: test_domains :: from sog.games.liars_dice import LiarsDice :: import sog.scotland_yard.rules; from sog.games.liars_dice import LiarsDice
sog/domain.py :: test_domains :: if not isinstance(found, Domain) :: if found is None
sog/domain.py :: test_domains :: entries.setdefault(name, entry) :: entries[name] = entry
sog/games/foreign.py :: test_foreign_files :: not all(_is_inside(one, folder) for one in files) :: not any(_is_inside(one, folder) for one in files)
sog/scotland_yard/setup.py :: test_foreign_files :: return {name: (name, str(positions_file(name)))} :: return {name: (name,)}
sog/boards/views.py :: drawing/test_marks :: {**points, PASS: self.passes} if self.passes else points :: points
sog/holdem/bet_menus.py :: holdem/test_holdem holdem/test_holdem_rules :: if not Fraction(1, 100) <= number :: if not Fraction(1, 100) < number
sog/holdem/no_limit.py :: holdem/test_holdem_rules holdem/test_holdem :: xp.maximum(state.last_raise, self.smallest_bet) :: xp.maximum(0, self.smallest_bet)
sog/holdem/no_limit.py :: holdem/test_holdem_rules holdem/test_holdem :: called = xp.minimum(other, own_stack) :: called = other
sog/holdem/no_limit.py :: holdem/test_holdem_rules holdem/test_holdem :: (own_stack > other) & (other < other_stack) :: (own_stack > other)
sog/holdem/ranges.py :: holdem/test_ranges :: (0, 1, 2, 4, 5)[min(gap, 4)] :: (0, 1, 2, 4, 5)[min(gap, 3)]
sog/holdem/ranges.py :: holdem/test_ranges :: is_top=run[0] == high + 1 :: is_top=run[0] == 1
sog/holdem/showdown.py :: holdem/test_showdown :: first[held] + count - 1) :: first[held] + count)
sog/holdem/acpc.py :: holdem/test_acpc :: (b - part) * (1 + a) > 0.5 :: (b - part) * (1 + b) > 0.5
sog/holdem/acpc.py :: holdem/test_acpc :: self.betting.startswith(betting) and not is_number :: self.betting.startswith(betting)
sog/web/security.py :: web/test_security :: != host.lower(): :: not in host.lower():
sog/web/security.py :: web/test_security :: > self._once_until: :: > self._once_until + 60:
sog/play/match.py :: web/test_opening web/test_play :: agent.begin(position.start) :: agent.begin()
sog/web/imported_games.py :: web/test_opening :: found.names[0] or names[0], found.names[1] or names[1] :: found.names[1] or names[0], found.names[0] or names[1]
sog/play/game_in_progress.py :: web/test_play web/test_opening :: reversed(self.steps[self.num_given :]) :: reversed(self.steps)
sog/web/search_locks.py :: web/test_search_locks :: (1 if player == 0 else -1) :: (1 if player == 1 else -1)
sog/holdem/pages/solved_spot.py :: holdem/pages/test_spots :: known is not None and known[0] == self.iteration :: known is not None
sog/holdem/pages/spot_views.py :: holdem/pages/test_spot_networks :: "share": _number(error / node.pot) :: "share": _number(error)
sog/boards/uci/engine.py :: boards/test_engines :: patience + limit.get("movetime", 0) / 1000 :: patience
sog/boards/gtp/analysis.py :: boards/test_gtp :: most=max(1, read_number(value, int)) :: most=read_number(value, int)
sog/boards/gtp/analysis.py :: boards/test_gtp :: interval=int(left.pop(0)) / 100 :: interval=int(left.pop(0)) / 1000
sog/holdem/spots/showdowns.py :: holdem/test_sorted_hands :: jnp.zeros((length + 1, width :: jnp.zeros((num_cards, width
gtcfr/update.py :: gtcfr/test_search_in_parts :: weight=weight * is_new, :: weight=weight,
sog/boards/gtp/session.py :: boards/test_gtp boards/test_gtp_setup :: self._turned, self._prepared = thinker, None, None :: self._turned, self._prepared = thinker, None, self._prepared
sog/boards/uci/limits.py :: boards/test_uci :: min(int(left[0]), _LARGEST) :: int(left[0])
sog/boards/uci/server.py :: boards/test_uci :: return len(lines.line(best[0])) :: return len(lines.line(0))
sog/play/replay.py :: web/test_opening :: names=names if one["human"] == 0 else names[::-1] :: names=names
sog/play/match.py :: play/test_match holdem/test_local_best_response :: key=lambda agent: not agent.watches :: key=lambda agent: agent.watches
sog/play/responding_agent.py :: play/test_cdbr :: now.actor == 1 - self.player: :: now.actor == self.player:
sog/players/cdbr.py :: play/test_cdbr :: now.actor == 1 - self.player and :: now.actor == self.player and
sog/play/elo.py :: play/test_elo :: added / 2 * (games > 0) :: added * (games > 0)
sog/play/aivat.py :: play/test_match :: (value if played.resigned is None else played.utility) :: value
sog/play/aivat.py :: play/test_aivat play/test_review :: step.is_chance and step.number >= since :: step.is_chance and step.number > since
sog/play/principal_variation.py :: play/test_analyst boards/test_uci :: (-found.visits[shown], -found.policy[shown]) :: (-found.policy[shown], -found.visits[shown])
sog/play/tournament.py :: play/test_tournament :: -(rank.win_rate if by_wins else rank.mean) :: -rank.mean
sog/play/tree_reuse_agent.py :: play/test_tree_reuse_agent :: return math.inf if seconds is None else began + seconds :: return math.inf if seconds is None else began - seconds
sog/boards/chess_rules.py :: boards/test_chess :: (age <= num_quiet) & (age % 2 == 0) :: (age <= num_quiet)
sog/boards/chess_rules.py :: boards/test_chess :: (is_one | (one_color & ~pieces.knights.is_any())) :: is_one
sog/boards/hex.py :: boards/test_hex :: jnp.where(is_first, joined, joined[::-1]) :: joined
sog/boards/hex.py :: boards/test_hex games/test_symmetries :: np.array([_BOTTOM, _TOP, _RIGHT, _LEFT]) :: np.array([_TOP, _BOTTOM, _LEFT, _RIGHT])
sog/boards/othello.py :: boards/test_othello :: for _ in range(self.size - 3): :: for _ in range(self.size - 4):
sog/boards/othello.py :: boards/test_othello :: self._moves(own, other), self._moves(other, own)]) :: self._moves(own, other), self._moves(own, other)])
selfplay/replay.py :: selfplay/test_replay :: np.mean(self._dense["version"][: len(self)]) :: np.mean(self._dense["version"])
selfplay/examples.py :: selfplay/test_query_solver selfplay/test_actor selfplay/test_replay :: legal & (ranges[mover] > 0) & (actor :: legal & (actor
selfplay/learner.py :: selfplay/test_learner :: jnp.minimum(settings.average_decay, :: jnp.maximum(settings.average_decay,
selfplay/trajectories.py :: selfplay/test_trajectories :: if decisions.is_over[number] or decisions.is_resigned[number]: :: if decisions.is_over[number]:
gtcfr/update.py :: gtcfr/test_resolving gtcfr/test_gadget :: & updated[jnp.maximum(state.gadget.opponent, 0)] :: & updated[0]
gtcfr/simulation.py :: gtcfr/test_simulation :: jnp.where(compatible > 0, compatible, 1) * game.max_utility :: jnp.where(compatible > 0, compatible, 1)
gtcfr/children.py :: gtcfr/test_sampled_chance :: others / jnp.maximum(kept_others, 1) :: others / jnp.maximum(kept_others + 1, 1)
gtcfr/children.py :: gtcfr/test_best_actions :: (events == branch_outcome) & (score >= 0) :: events == branch_outcome
sog/tabular/rules.py :: tabular/test_cfr :: _replace(number=step.number + 1) :: _replace(number=step.number)
gtcfr/search.py :: gtcfr/test_search_in_parts :: grows & (stop == end) :: stop == end
gtcfr/locks.py :: gtcfr/test_locks :: given = normalize(given, nodes.takeable, axis=-2) :: given = jnp.where(nodes.takeable, given, 0)
gtcfr/tree_reuse.py :: gtcfr/test_tree_reuse :: num_before=state.num_before + state.num_updates :: num_before=state.num_before
networks/heads.py :: networks/test_heads networks/test_cvpn :: weight.swapaxes(1, 2) * ranges :: weight * ranges
sog/holdem/hand_network.py :: holdem/test_hand_network :: met = jnp.sum(ranges * meets, axis=(1, 2)) :: met = jnp.sum(ranges, axis=(1, 2))
sog/baselines/plain/liars_dice.py :: baselines/test_oos :: if world.deal in self._deals else 0.0 :: if world.deal in self._deals else 1.0
sog/baselines/histories/worlds.py :: baselines/test_oos :: 1 / total if self._leads(edge) else 0.0 :: 1 / total
sog/baselines/online/is_mcts.py :: baselines/test_is_mcts :: method.c * game.max_utility :: method.c
sog/baselines/learners/a2c.py :: baselines/test_model_free :: - bonus * entropy :: + bonus * entropy
sog/baselines/learners/dqn.py :: baselines/test_model_free :: .max(axis=2).at[:, -1].set(0) :: .max(axis=2)
scripts/many_searches.py :: scripts/test_reproduce_is_mcts :: np.where(found.visits > 0, found.value, -np.inf) :: found.value
sog/holdem/bots/local_best_response.py :: holdem/test_local_best_response :: wanted = stakes.max() + game.pot + 2 * stakes.max() :: wanted = game.pot + 2 * stakes.max()
sog/holdem/spots/showdowns.py :: holdem/test_spots :: if layout.hole_cards > 1 else others :: if layout.hole_cards > 2 else others
sog/holdem/spots/showdowns.py :: holdem/test_spots :: total / layout.unseen[street] :: total / layout.unseen[-1]
sog/holdem/spots/boards.py :: holdem/test_spots :: is_same_board &= renamed[num_first:] == board[num_first:] :: is_same_board &= set(renamed[num_first:]) == set(board[num_first:])
sog/holdem/spots/boards.py :: holdem/test_spots :: known |= {card: (len(cards), _inverse(suits)) :: known |= {card: (len(cards), suits)
sog/holdem/spots/walk.py :: holdem/test_spots :: tuple(suits[suit] for suit in place.suits) :: tuple(place.suits[suit] for suit in suits)
sog/holdem/spots/walk.py :: holdem/test_spot_streets holdem/pages/test_spots :: (line.stack - at.stakes[0], line.stack - at.stakes[1]) :: (line.stack - at.stakes[1], line.stack - at.stakes[0])
sog/holdem/spots/walk.py :: holdem/test_spot_streets holdem/pages/test_spots :: (pot - solver.spot.pot) // 2 :: pot // 2
sog/holdem/spots/betting.py :: holdem/test_spot_streets :: "last_raise": abs(stakes[:, 0] - stakes[:, 1]) :: "last_raise": stakes[:, 0]
sog/holdem/spots/tables.py :: holdem/test_spot_programs :: jnp.max(jnp.abs(numbers), axis=(1, 3) :: jnp.max(numbers, axis=(1, 3)
sog/holdem/spots/solver.py :: holdem/test_spot_programs :: np.asarray(total / self.num_pairs) :: np.asarray(total / self.num_pairs[0])
sog/holdem/spots/spot_file.py :: holdem/test_spot_file :: if any((np.asarray(table) < 0).any() :: if any((np.asarray(table) < -1).any()
sog/holdem/blueprint/buckets.py :: holdem/test_blueprint_buckets :: np.searchsorted(self.edges, scores) :: np.searchsorted(self.edges, scores, side="right")
sog/holdem/blueprint/strengths.py :: holdem/test_blueprint_buckets :: score += hole_cards - 1 :: score += hole_cards - 2
sog/holdem/blueprint/betting_tree.py :: holdem/test_blueprint :: np.concatenate(won) / np.float32(game.chips_per_unit) :: np.concatenate(won)
sog/holdem/blueprint/public_chance.py :: holdem/test_blueprint :: keep = number / (number + 1) :: keep = (number + 1) / (number + 2)
sog/holdem/blueprint/file.py :: holdem/test_blueprint :: num_boards % BOARDS == 0 :: num_boards % 1 == 0
sog/holdem/blueprint/policy.py :: holdem/test_blueprint holdem/test_blueprint_command :: np.where(live[:, None], by_hand, 0) :: np.where(live[:, None], by_hand, by_hand)
"""  # noqa: E501


def planted(fault: str, copy: Path) -> str:
    """What became of one fault in a fresh copy; "" if no test noticed."""
    file, tests, right, wrong = fault.split(_NEXT)
    for name in _COPIED:
        shutil.copytree(CHECKOUT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in _FILES:
        shutil.copy(CHECKOUT / name, copy)
    text = (copy / file).read_text()
    if text.count(right) != 1:
        return f"its text is there {text.count(right)} times, not once"
    (copy / file).write_text(text.replace(right, wrong))
    paths = [f"tests/{name}.py" for name in tests.split()]
    for marked in ("not thorough and not slow and not gpu", "thorough and not slow and not gpu"):
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-xq", "--no-header", "-m", marked, *paths],
            cwd=copy,
            env={**os.environ, **_environment(copy)},
            capture_output=True,
            text=True,
            check=False,
            start_new_session=True,  # a share of a busy machine of its own
        )
        failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        if failed:
            return failed[0] + (" (thorough)" if marked.startswith("thorough") else "")
        if done.returncode not in (0, 5):  # 5: none has that mark
            return f"pytest ended so: {done.stdout[-500:]}"
    return ""


def _environment(copy: Path) -> dict[str, str]:
    cache = os.environ.get("JAX_COMPILATION_CACHE_DIR", str(CHECKOUT / ".cache" / "jax"))
    flags = os.environ.get("XLA_FLAGS", _FLAGS)
    return {
        "PYTHONPATH": str(copy),
        "PYTHONDONTWRITEBYTECODE": "",
        "JAX_PLATFORMS": "cpu",
        "JAX_COMPILATION_CACHE_DIR": cache,
        "XLA_FLAGS": flags,
    }


def main() -> int:
    """Plants faults and says which lived."""
    parser = argparse.ArgumentParser(prog="python -m tests.planted_faults", description=__doc__)
    parser.add_argument("name", nargs="?", default="", help="only in files with this in their name")
    parser.add_argument("--jobs", type=int, default=2, help="at once (2)")
    options = parser.parse_args()
    chosen = [one for one in FAULTS.split("\n") if one and options.name in one.split(_NEXT)[0]]

    def plant(fault: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            found = planted(fault, Path(folder))
        file, _, _, wrong = fault.split(_NEXT)
        print(f"{'noticed' if found else 'LIVED'}  {file}: {wrong}  {found}", flush=True)
        return found

    with ThreadPoolExecutor(options.jobs) as pool:
        found = list(pool.map(plant, chosen))
    print(f"{len(found)} faults, of which {found.count('')} lived.")
    return 2 if any(one.startswith("its text") for one in found) else int("" in found)


if __name__ == "__main__":
    sys.exit(main())
