import dataclasses
import functools
import importlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from gtcfr.evaluator import NetworkEvaluator, ZeroEvaluator
from gtcfr.root import start_of_game
from gtcfr.search import search
from gtcfr.settings import SearchSettings
from gtcfr.shape import tree_shape
from networks.cvpn import NetworkSettings, make_network
from selfplay.recipe import make_evaluator
from sog import kept_programs, program_names
from sog.games import make
from sog.games.on_host import call_rules
from sog.kept_programs import keep_in, kept
from sog.play.principal_variation import read_lines
from sog.program_names import UnnamedError, describe
from sog.pytree import pytree

traced: list[str] = []


@pytree
class Pair:
    first: Array
    second: Any
    size: int = dataclasses.field(metadata={"static": True})


def twice(scale: float, pair: Pair, key: Array) -> dict[str, Any]:
    traced.append("twice")
    drawn = jax.random.uniform(key, pair.first.shape)
    both = Pair(first=scale * pair.first, second=(drawn, None, [key]), size=pair.size + 1)
    return {"pair": both, "sum": jnp.sum(pair.second)}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[Path]:
    keep_in(tmp_path / "traced")
    traced.clear()
    yield tmp_path / "traced"
    keep_in(None)


def arguments() -> tuple[Pair, Array]:
    return Pair(first=jnp.arange(3.0), second=jnp.ones(2), size=7), jax.random.key(3)


def run(scale: float = 2.0) -> dict[str, Any]:
    """As a new process would."""
    found: dict[str, Any] = jax.jit(kept(functools.partial(twice, scale)))(*arguments())
    return found


def assert_right(found: dict[str, Any]) -> None:
    wanted = twice(2.0, *arguments())
    structures: list[Any] = [jax.tree.structure(found), jax.tree.structure(wanted)]
    assert structures[0] == structures[1]
    numbers = [
        jax.random.key_data(leaf) if leaf.dtype == jax.random.key(0).dtype else leaf
        for leaf in (*jax.tree.leaves(found), *jax.tree.leaves(wanted))
    ]
    half = len(numbers) // 2
    for one, other in zip(numbers[:half], numbers[half:], strict=True):
        np.testing.assert_array_equal(one, other)


def the_file(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def test_a_program_is_traced_once_and_gives_the_same_in_the_next_process() -> None:
    assert_right(run())
    assert traced == ["twice", "twice"]  # and by `assert_right`
    assert_right(run())
    assert len(traced) == 3


def test_other_settings_shapes_and_numbers_of_64_bits_are_other_programs(folder: Path) -> None:
    run()
    run(3.0)
    assert len(list(folder.iterdir())) == 2
    pair, key = arguments()
    jax.jit(kept(functools.partial(twice, 2.0)))(dataclasses.replace(pair, size=8), key)
    jax.jit(kept(functools.partial(twice, 2.0)))(dataclasses.replace(pair, first=jnp.ones(4)), key)
    with jax.enable_x64(True):
        run()
    assert len(list(folder.iterdir())) == 5
    assert len(traced) == 5


def cut(data: bytes) -> bytes:
    return data[:-20]


def flip(data: bytes) -> bytes:
    return data[:-30] + bytes([data[-30] ^ 1]) + data[-29:]


@pytest.mark.parametrize("damage", [cut, flip, lambda _: b"", lambda _: b"{}" * 100])
def test_a_damaged_file_is_traced_again_and_replaced(
    folder: Path, damage: Callable[[bytes], bytes]
) -> None:
    run()
    path = the_file(folder)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    traced.clear()
    assert_right(run())
    assert len(traced) == 2
    assert path.read_bytes() == whole


def test_the_file_of_another_program_is_not_taken(folder: Path) -> None:
    run()
    mine = the_file(folder)
    run(3.0)
    (other,) = set(folder.iterdir()) - {mine}
    mine.write_bytes(other.read_bytes())
    assert_right(run())


def test_what_others_may_write_is_not_taken(folder: Path) -> None:
    run()
    the_file(folder).chmod(0o666)
    traced.clear()
    run()
    assert traced == ["twice"]
    folder.chmod(0o777)
    keep_in(folder)
    traced.clear()
    run()
    assert traced == ["twice"]


def test_a_pipe_in_the_place_of_a_program_is_not_waited_for(folder: Path) -> None:
    run()
    path = the_file(folder)
    path.unlink()
    os.mkfifo(path, 0o600)
    assert_right(run())


def test_a_folder_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    keep_in(tmp_path / "file" / "traced")
    assert_right(run())


@pytest.mark.parametrize("change", [{"a_new_field"}, {"fun_name"}])
def test_a_version_of_jax_with_other_fields_traces_as_ever(
    folder: Path, monkeypatch: pytest.MonkeyPatch, change: set[str]
) -> None:
    monkeypatch.setattr(kept_programs, "_FIELDS", kept_programs._FIELDS ^ change)
    assert_right(run())
    assert list(folder.iterdir()) == []


def test_xla_is_told_no_option_that_it_does_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    known = "xla_backend_optimization_level"
    monkeypatch.setattr(kept_programs, "_QUICK_OPTIONS", {"xla_of_another_time": 1})
    kept_programs._known_options.cache_clear()
    try:
        assert kept_programs.quick_options() == {known: 1}
    finally:
        kept_programs._known_options.cache_clear()


def test_what_has_no_description_is_traced_as_ever(folder: Path) -> None:
    offset = 3.0
    assert jax.jit(kept(lambda number: number + offset))(jnp.ones(())) == 4.0
    assert list(folder.iterdir()) == []


def test_the_files_that_were_not_used_for_longest_go(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_programs, "_MOST_KEPT", 2)
    run(1.0)
    first = the_file(folder)
    os.utime(first, (1, 1))
    run(2.0)
    run(3.0)
    assert len(list(folder.iterdir())) == 2
    assert not first.exists()


def test_files_from_the_future_do_not_push_out_new_ones(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock was a year ahead, and has been set back."""
    monkeypatch.setattr(kept_programs, "_MOST_KEPT", 2)
    run(1.0)
    run(2.0)
    ahead = set(folder.iterdir())
    for path in ahead:
        os.utime(path, (time.time() + 3e7,) * 2)
    run(3.0)
    run(4.0)
    assert len(list(folder.iterdir())) == 2
    assert not ahead & set(folder.iterdir())


def test_an_edited_source_beside_a_game_is_another_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(name: str, text: str, *, seconds_ago: float = 1e6) -> None:
        (tmp_path / name).write_text(text)
        os.utime(tmp_path / name, (time.time() - seconds_ago,) * 2)

    lines = ("import dataclasses", "@dataclasses.dataclass", "class Mine:", "    size: int = 1")
    write("game_of_mine.py", "\n".join(lines))
    write("helper_of_mine.py", "SIZE = 1")
    importlib.invalidate_caches()
    game = importlib.import_module("game_of_mine").Mine()
    monkeypatch.setitem(sys.modules, "game_of_mine", sys.modules.pop("game_of_mine"))

    def described() -> Any:
        program_names._sources_beside.cache_clear()
        return describe(game)

    before = described()
    assert described() == before
    write("helper_of_mine.py", "SIZE = 2")
    assert described() != before
    # What was loaded may be what the file said before.
    write("helper_of_mine.py", "SIZE = 1", seconds_ago=-10.0)
    with pytest.raises(UnnamedError):
        described()
    # So may what is edited after the clock was set back.
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 1e5)
    write("helper_of_mine.py", "SIZE = 1", seconds_ago=0.0)
    with pytest.raises(UnnamedError):
        described()


def test_the_file_that_a_parameter_names_is_part_of_the_description(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("1,2\n")
    before = describe(str(path))
    path.write_text("1,3\n")
    assert describe(str(path)) != before


def test_the_sources_of_the_project_are_part_of_every_name() -> None:
    roots = [Path(importlib.import_module(name).__file__ or "").parent for name in ("sog", "gtcfr")]
    assert all(root.joinpath("__init__.py").exists() for root in roots)
    digests = program_names.describe_process()[-1]
    assert len(set(digests)) == 4
    assert json.dumps(digests)


def test_games_settings_and_networks_have_descriptions_without_addresses() -> None:
    game = make("leduc")
    apply_fn, params = make_network(game, NetworkSettings(width=8, depth=1))
    evaluator: NetworkEvaluator = make_evaluator(apply_fn, params)
    text = json.dumps(describe([game, SearchSettings(), evaluator]))
    assert " at 0x" not in text
    with pytest.raises(UnnamedError):
        describe(object())


def test_a_search_is_kept_with_its_tree(folder: Path) -> None:
    game, settings = make("kuhn"), SearchSettings(num_simulations=2)
    root = start_of_game(game)

    def result() -> Any:
        program = functools.partial(run_search, game, settings)
        return jax.eval_shape(kept(program), ZeroEvaluator(), root, jax.random.key(0))

    first, again = result(), result()
    assert traced == ["search"]
    structures: list[Any] = [jax.tree.structure(first), jax.tree.structure(again)]
    assert structures[0] == structures[1]
    assert first.tree.shape == tree_shape(game, settings, 0)


def test_rules_and_moves_that_the_host_asks_for_are_kept(folder: Path) -> None:
    game, settings = make("tic_tac_toe"), SearchSettings(num_simulations=2)
    root = jax.device_get(jax.jit(game.root)())
    call_rules(game, "actor", root)
    assert len([*folder.iterdir()]) == 1
    result = jax.jit(functools.partial(run_search, game, settings))(
        ZeroEvaluator(), start_of_game(game), jax.random.key(0)
    )
    read_lines(game, result)
    assert len([*folder.iterdir()]) == 2


def run_search(game: Any, settings: SearchSettings, *arguments: Any) -> Any:
    traced.append("search")
    evaluator, root, key = arguments
    return search(game, evaluator=evaluator, root=root, key=key, settings=settings)
