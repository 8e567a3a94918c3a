"""What a training run is told to do; each part is a table of the configuration file.

Values are checked when a part is made, and the ValueError names the parameter, its value and the
rule. The defaults are for small games on a CPU; the published values (Student of Games, Table S2)
for Scotland Yard are in `configs/paper_scotland_yard.toml`.
"""

import dataclasses
from typing import Final

from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings
from sog.parameters import check_fields

OPTIMIZERS: Final = ("adam", "sgd", "muon")
GUMBEL: Final = "gumbel"
PUCT: Final = "puct"
_MOST_ERROR_STATES: Final = 100_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class SelfplaySettings:
    """How games are played for training (Student of Games, Algorithm 2)."""

    batch_size: int = 32
    """Games that are played at once, in lockstep."""
    uniform_mix: float = 0.1
    """epsilon: share of the uniform policy in the policy that plays."""
    greedy_after: int | None = None
    """moves_greedy_after: from this move of a game on the most probable action is played."""
    max_moves: int | None = None
    """moves_max: after so many decisions nobody searches any more; the rest of the game is played
    at random, for its outcome. None: no limit."""
    resign_threshold: float | None = None
    """A player who expects less than this share of the largest utility resigns, and the game gives
    no TD(1) examples. None: nobody resigns."""
    no_resign: float = 0.2
    """p_no_resign: share of games that are played to the end in any case."""
    td1: float = 0.0
    """p_td1: probability that a visited belief state becomes an example with the game's outcome."""
    random_games: int = 0
    """Games of random moves before the first search, so that the network knows what these are
    worth, see `selfplay.random_games`. Beyond the paper."""
    random_share: float = 0.1
    """Share of the decisions of random games that become examples, with the game's outcome."""
    random_spots: int = 0
    """Random spots that are solved exactly, and learned, before the first search, in games that
    offer some (`selfplay.sources`): in hold'em rivers, their starts and later decisions there.
    Beyond the paper."""
    search_targets: float = 0.0
    """Probability that a visited belief state becomes an example with its search's values, as in
    ReBeL; beyond the paper."""
    queries_per_search: float = 0.9
    """q_search: network queries of a search that are solved, on average."""
    max_events: int = 4
    """Public events between two decisions of a player that there is room for."""

    def __post_init__(self) -> None:
        check_fields(self, ">= 1", "batch_size", "max_events", "max_moves")
        check_fields(self, ">= 0", "random_games", "random_spots", "greedy_after")
        check_fields(self, "in [0, 1]", "uniform_mix", "no_resign", "td1", "search_targets")
        check_fields(self, "in [0, 1]", "random_share")
        check_fields(self, ">= 0 and finite", "queries_per_search")
        check_fields(self, "in [-1, 0]", "resign_threshold")


@dataclasses.dataclass(frozen=True, kw_only=True)
class SolverSettings:
    """How network queries are solved."""

    batch_size: int = 64
    """Queries that are solved at once."""
    queue_size: int = 4096
    """Queries that wait; where there is no room for a new one the oldest is dropped."""
    recursive_queries: float = 0.1
    """q_recursive: queries of a solve that are solved in their turn, on average."""
    tremble: float = 1e-3
    """Share of the uniform range that is mixed into both ranges. Where one is 0 for all that an
    opponent's infostate can meet, nothing would tell that infostate how to play, and values would
    jump there."""
    random_ranges: float = 0.0
    """Share of the queries whose ranges are replaced by random ones; so the network also knows
    belief states that good play does not come to. Beyond the paper (DeepStack's training had random
    ranges only)."""
    random_spots: float = 0.0
    """Share of the queries that are random spots of hold'em: a random line of bets to the start of
    a street after the first, or to a later decision there, a random board and random ranges.
    Not of rivers as long as solved ones are examples, if there are other streets. Most hands end
    before the flop, so play asks little about later streets. Beyond the paper (DeepStack's training
    had such only)."""
    search: SearchSettings = SearchSettings()  # noqa: RUF009 (frozen)
    """The search that solves queries, as [search] where a file says nothing here; `num_queries`
    follows from `recursive_queries`."""

    def __post_init__(self) -> None:
        check_fields(self, ">= 1", "batch_size", "queue_size")
        if self.queue_size < self.batch_size:
            raise ValueError(
                f"queue_size must be at least batch_size = {self.batch_size}, "
                f"got {self.queue_size}."
            )
        check_fields(self, "in [0, 1]", "tremble", "random_ranges")
        check_fields(self, "in [0, 1)", "recursive_queries", "random_spots")


@dataclasses.dataclass(frozen=True, kw_only=True)
class AlphaZeroSettings:
    """How `algorithm = "alphazero"` searches, beside `search.num_simulations`."""

    search: str = GUMBEL
    """gumbel: sequential halving at the root (Danihelka et al. 2022), trained towards the improved
    policy; puct: as AlphaZero (Silver et al. 2018), trained towards the shares of visits."""
    max_considered_actions: int = 16
    """Of gumbel: actions at the root that are looked at."""
    dirichlet_alpha: float = 0.3
    """Of puct: of the noise in the prior at the root, in self-play only; less for games with many
    actions."""

    def __post_init__(self) -> None:
        if self.search not in (GUMBEL, PUCT):
            raise ValueError(f"search must be {GUMBEL} or {PUCT}, got {self.search!r}.")
        check_fields(self, ">= 1", "max_considered_actions")
        check_fields(self, "> 0 and finite", "dirichlet_alpha")


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReplaySettings:
    """The sliding window of examples."""

    size: int = 100_000
    """Examples; the oldest make room for new ones."""
    least: int = 2_000
    """Examples before the first learner step."""
    max_grad_updates: float = 10.0
    """How often an example is used on average; the learner waits where it would be more often."""

    def __post_init__(self) -> None:
        check_fields(self, ">= 1", "size", "least")
        if self.least > self.size:
            raise ValueError(f"least must be at most size = {self.size}, got {self.least}.")
        check_fields(self, "> 0 and finite", "max_grad_updates")


@dataclasses.dataclass(frozen=True, kw_only=True)
class LearnerSettings:
    """The optimizer and the loss."""

    batch_size: int = 512
    """Examples per step, over all GPUs."""
    optimizer: str = "adam"
    """adam, sgd, or muon; muon makes the steps of matrices orthogonal (beyond the paper)."""
    momentum: float = 0.9
    """Of sgd: so much of the last step is in the next one; 0 for none."""
    learning_rate: float = 1e-3
    """alpha_init: the rate at step t is alpha_init * d ** (t / T_decay)."""
    decay_rate: float = 0.5
    """d: what the learning rate shrinks by in T_decay steps."""
    decay_steps: int = 10_000
    """T_decay: learner steps."""
    symmetries: bool = True
    """Every use of an example is that of a random twin, where the game has symmetries."""
    average_decay: float = 0.0
    """The network that searches is an average over learner steps; so much of it stays per step. 0:
    it is the last one, as in the paper."""
    value_weight: float = 1.0
    """w_v: of the Huber loss, the mean over the known values of both players."""
    policy_weight: float = 0.01
    """w_p: of the KL divergence, the sum over the known infostates of the player to act; so it
    counts more the more infostates a game has. See `networks.losses` on the published weights."""
    huber_delta: float = 1.0
    """Where the value loss turns from squares to absolute values, as a share of the largest
    utility, or of what is at stake."""
    relative_values: bool = False
    """The value loss, with its delta, is of values as shares of what is at stake in their state,
    not of the largest utility, so that small pots count as much as large ones (beyond the paper).
    For hold'em, where half of the pot is at stake, or would be after a call."""
    max_gradient_norm: float | None = 1.0
    """Longer gradients are shortened to it; None: they stay as they are."""

    def __post_init__(self) -> None:
        check_fields(self, ">= 1", "batch_size", "decay_steps")
        if self.optimizer not in OPTIMIZERS:
            raise ValueError(
                f"optimizer must be one of {', '.join(OPTIMIZERS)}, got {self.optimizer!r}."
            )
        check_fields(self, "> 0 and finite", "learning_rate", "decay_rate", "huber_delta")
        check_fields(self, "> 0 and finite", "max_gradient_norm")
        check_fields(self, "in [0, 1)", "momentum", "average_decay")
        check_fields(self, ">= 0 and finite", "value_weight", "policy_weight")


@dataclasses.dataclass(frozen=True, kw_only=True)
class RunSettings:
    """How long a run takes, and what it keeps."""

    steps: int = 10_000
    """Learner steps."""
    seed: int = 0
    """Of the network's first weights, the deals, the searches and the batches."""
    checkpoint_every: int = 1_000
    """Learner steps between checkpoints."""
    keep: int = 3
    """Newest checkpoints that are kept; beside them those of `milestones` and the best, without the
    examples that the run goes on from."""
    milestones: int = 0
    """Checkpoints that are kept for good, evenly over the run, to evaluate later."""
    evaluate_every: int = 0
    """Learner steps between evaluations of the exploitability, a multiple of `checkpoint_every`; 0
    for none."""
    evaluate_search: SearchSettings = SearchSettings()  # noqa: RUF009 (frozen)
    """The search of evaluations, matches and play, as [search] where a file says nothing here."""
    value_error_states: int = 256
    """Random belief states that values are compared on with exact ones; 0 for none. Only in games
    that are small enough to solve; in hold'em rivers, and for every 16 of them a turn. At most
    100,000."""

    def __post_init__(self) -> None:
        check_fields(self, ">= 1", "steps", "checkpoint_every", "keep")
        check_fields(self, ">= 0", "seed", "milestones", "evaluate_every", "value_error_states")
        if self.value_error_states > _MOST_ERROR_STATES:
            raise ValueError(
                f"value_error_states must be <= {_MOST_ERROR_STATES:,}, got "
                f"{self.value_error_states:,}."
            )
        if self.seed >= 2**32:  # JAX's keys have no room for more
            raise ValueError(f"seed must be < 2**32, got {self.seed}.")
        if self.evaluate_every % self.checkpoint_every:
            raise ValueError(
                f"evaluate_every must be a multiple of checkpoint_every = {self.checkpoint_every}, "
                f"got {self.evaluate_every}."
            )


@dataclasses.dataclass(frozen=True, kw_only=True)
class Config:
    """A training run."""

    game: str
    """As on the command line, `leduc` or `liars_dice(dice=1,faces=4)`."""
    summary: str = ""
    """One line for `sog configs`."""
    algorithm: str = "student_of_games"
    """What is trained, and by whom: student_of_games or alphazero, see `selfplay.recipe`."""
    network: NetworkSettings = NetworkSettings()  # noqa: RUF009 (frozen)
    search: SearchSettings = SearchSettings()  # noqa: RUF009 (frozen)
    """The search of self-play; `num_queries` follows from `selfplay.queries_per_search`."""
    selfplay: SelfplaySettings = SelfplaySettings()
    solver: SolverSettings = SolverSettings()
    alphazero: AlphaZeroSettings = AlphaZeroSettings()
    replay: ReplaySettings = ReplaySettings()
    learner: LearnerSettings = LearnerSettings()
    run: RunSettings = RunSettings()
