"""The settings of a training run; each part is a table of the configuration file.

Values are checked on construction; the ValueError names the parameter, its value and the rule. The
defaults are for small games on a CPU; the published values (Student of Games, Table S2) for
Scotland Yard are in `configs/paper_scotland_yard.toml`.
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
    """Games that are played in lockstep."""
    uniform_mix: float = 0.1
    """epsilon: share of the uniform policy in the policy that plays."""
    greedy_after: int | None = None
    """moves_greedy_after: from this move of a game on, the most probable action is played."""
    max_moves: int | None = None
    """moves_max: searches stop after this many decisions of a game; the rest of it is played at
    random, for its outcome. None: no limit."""
    resign_threshold: float | None = None
    """A player who expects less than this share of the largest utility resigns, and the game gives
    no TD(1) examples. None: players do not resign."""
    no_resign: float = 0.2
    """p_no_resign: share of games without resignation."""
    td1: float = 0.0
    """p_td1: probability that a visited belief state becomes an example with the game's outcome."""
    random_games: int = 0
    """Games of random moves before the first search, to teach the network their values, see
    `selfplay.random_games`. Beyond the paper."""
    random_share: float = 0.1
    """Share of the decisions of random games that become examples, with the game's outcome."""
    random_spots: int = 0
    """Random spots that are solved exactly, and learned, before the first search, in games that
    have them (`selfplay.sources`): in hold'em rivers, their starts and later decisions there.
    Beyond the paper."""
    search_targets: float = 0.0
    """Probability that a visited belief state becomes an example with its search's values, as in
    ReBeL; beyond the paper."""
    queries_per_search: float = 0.9
    """q_search: network queries of a search that are solved, on average."""
    max_events: int = 4
    """The most public events between two decisions of a player."""

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
    """Queries that are solved in one batch."""
    queue_size: int = 4096
    """Queries in the queue; if it is full a new one replaces the oldest."""
    recursive_queries: float = 0.1
    """q_recursive: queries of a solve that are solved recursively, on average."""
    tremble: float = 1e-3
    """Share of the uniform range that is mixed into both ranges. If a range were 0 for all
    infostates compatible with one of the opponent's, the play of that infostate would be undefined,
    and its value discontinuous."""
    random_ranges: float = 0.0
    """Share of the queries whose ranges are replaced by random ones, so that the network also
    learns belief states that good play does not reach. Beyond the paper (DeepStack's training had
    random ranges only)."""
    random_spots: float = 0.0
    """Share of the queries that are random spots of hold'em: a random line of bets to the start of
    a street after the first, or to a later decision there, a random board and random ranges. Not of
    rivers while solved ones are in the replay, if there are other streets. Most hands end before
    the flop, so play makes few queries on later streets. Beyond the paper (DeepStack's training had
    only such spots)."""
    search: SearchSettings = SearchSettings()  # noqa: RUF009 (frozen)
    """The search that solves queries, which inherits from [search] in files; `recursive_queries`
    determines `num_queries`."""

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
    """For gumbel: the number of actions considered at the root."""
    dirichlet_alpha: float = 0.3
    """For puct: of the noise in the root's prior, in self-play only; lower for games with many
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
    """Examples in the window; new ones replace the oldest."""
    least: int = 2_000
    """Examples before the first learner step."""
    max_grad_updates: float = 10.0
    """How often an example is used on average, at most; the learner waits for new ones."""

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
    """adam, sgd, or muon; muon orthogonalizes the updates of matrices (beyond the paper)."""
    momentum: float = 0.9
    """For sgd: the momentum; 0 for none."""
    learning_rate: float = 1e-3
    """alpha_init: the rate at step t is alpha_init * d ** (t / T_decay)."""
    decay_rate: float = 0.5
    """d: the factor of the learning rate per T_decay steps."""
    decay_steps: int = 10_000
    """T_decay: learner steps."""
    symmetries: bool = True
    """Every use of an example applies a random symmetry, if the game has any."""
    average_decay: float = 0.0
    """The decay of the moving average of parameters that searches use. 0: they use the last ones,
    as in the paper."""
    value_weight: float = 1.0
    """w_v: of the Huber loss, the mean over the known values of both players."""
    policy_weight: float = 0.01
    """w_p: of the KL divergence, the sum over the known infostates of the acting player, so it
    weighs more in games with more infostates. See `networks.losses` on the published weights."""
    huber_delta: float = 1.0
    """Where the value loss turns from quadratic to linear, as a share of the largest utility, or of
    what is at stake."""
    relative_values: bool = False
    """The value loss, with its delta, is of values as shares of what is at stake in their state,
    not of the largest utility, so that small pots count as much as large ones (beyond the paper).
    For hold'em, where half of the pot is at stake, counted after a call."""
    max_gradient_norm: float | None = 1.0
    """Longer gradients are clipped to it; None: no clipping."""

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
    """The length of a run, and what it keeps."""

    steps: int = 10_000
    """Learner steps."""
    seed: int = 0
    """The random seed of initial weights, deals, searches and batches."""
    checkpoint_every: int = 1_000
    """Learner steps between checkpoints."""
    keep: int = 3
    """Newest checkpoints that are kept; besides them those of `milestones` and the best, without
    the replay that is needed to resume."""
    milestones: int = 0
    """Checkpoints that are kept for good, evenly over the run, for later evaluation."""
    evaluate_every: int = 0
    """Learner steps between evaluations of the exploitability, a multiple of `checkpoint_every`; 0
    for none."""
    evaluate_search: SearchSettings = SearchSettings()  # noqa: RUF009 (frozen)
    """The search of evaluations, matches and play, which inherits from [search] in files."""
    value_error_states: int = 256
    """Random belief states for comparing values with exact ones; 0 for none. Only in games that are
    small enough to solve; in hold'em rivers, and a turn for every 16 of them. At most 100,000."""

    def __post_init__(self) -> None:
        check_fields(self, ">= 1", "steps", "checkpoint_every", "keep")
        check_fields(self, ">= 0", "seed", "milestones", "evaluate_every", "value_error_states")
        if self.value_error_states > _MOST_ERROR_STATES:
            raise ValueError(
                f"value_error_states must be <= {_MOST_ERROR_STATES:,}, got "
                f"{self.value_error_states:,}."
            )
        if self.seed >= 2**32:  # the limit of JAX's keys
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
    """As on the command line: `leduc` or `liars_dice(dice=1,faces=4)`."""
    summary: str = ""
    """A line for `sog configs`."""
    algorithm: str = "student_of_games"
    """The training algorithm: student_of_games or alphazero, see `selfplay.recipe`."""
    network: NetworkSettings = NetworkSettings()  # noqa: RUF009 (frozen)
    search: SearchSettings = SearchSettings()  # noqa: RUF009 (frozen)
    """The search of self-play; `selfplay.queries_per_search` determines `num_queries`."""
    selfplay: SelfplaySettings = SelfplaySettings()
    solver: SolverSettings = SolverSettings()
    alphazero: AlphaZeroSettings = AlphaZeroSettings()
    replay: ReplaySettings = ReplaySettings()
    learner: LearnerSettings = LearnerSettings()
    run: RunSettings = RunSettings()
