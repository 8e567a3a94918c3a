"""Notation of bet menus: "0.5/1/allin", or by street "1/allin|0.5/1/allin"."""

import itertools
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from sog.holdem.no_limit import ALL_IN, DRAWN, MIN, Menu, Setup, Size

NONE: Final = "none"
_SAME: Final = "same"
_NAMED: Final = {"min": MIN, "drawn": DRAWN, "allin": ALL_IN}
_LARGEST_PART: Final = 20
_LARGEST_CHIPS: Final = 2**23
_MOST_SIZES: Final = 16
_RULE: Final = (
    "parts of the pot such as 0.5 or 50%, chips such as 2c, min, drawn or allin, joined by / (and "
    "by | for each street)"
)


def read_menus(
    bets: str, raises: str, caps: str, num_streets: int, most_raises: int
) -> tuple[Menu, ...]:
    """The menus of the streets.

    bets: sizes for all streets, or for each. raises: likewise, or "same". caps: most bets and
    raises of each street, or "none". Raises ValueError, one line that names the parameter and the
    rule it breaks.
    """
    lists = _by_street("bets", bets, num_streets)
    sizes = [_read_sizes("bets", text) for text in lists]
    of_raises = sizes
    if raises != _SAME:
        of_raises = [
            _read_sizes("raises", text) for text in _by_street("raises", raises, len(lists))
        ]
    most = [_read_cap(text, caps, most_raises) for text in _by_street("caps", caps, len(lists))]
    return tuple(
        Menu(bets=first, raises=further, cap=cap)
        for first, further, cap in zip(sizes, of_raises, most, strict=True)
    )


def read_chips(name: str, text: str, most: int) -> tuple[int, ...]:
    """One or two numbers of chips joined by "/"; ValueError that begins with the name."""
    if not re.fullmatch(r"\d{1,9}(/\d{1,9})?", text):
        raise ValueError(f"{name} must be a number of chips, or two joined by /, got {text!r}.")
    chips = tuple(int(part) for part in text.split("/"))
    if max(chips) > most:
        raise ValueError(f"{name} must be <= {most}, got {text!r}.")
    return chips


def read_setups(stacks: str, parts: str, stack: int) -> tuple[Setup, ...]:
    """What chance may draw: one of the stacks and one of the parts of the pot.

    stacks: joined by "/", or "none" for `stack`. parts: likewise, or "none". Raises ValueError that
    begins with the parameter.
    """
    if stacks == parts == NONE:
        return ()
    chips = [stack]
    if stacks != NONE:
        if not re.fullmatch(r"\d{1,8}(/\d{1,8})*", stacks):
            raise ValueError(f"draw_stacks must be numbers of chips joined by /, got {stacks!r}.")
        chips = [int(part) for part in stacks.split("/")]
    sizes = [MIN] if parts == NONE else list(_read_sizes("draw_bets", parts))
    if parts != NONE and not all(size.part for size in sizes):
        raise ValueError(f"draw_bets must be parts of the pot such as 0.5, got {parts!r}.")
    for name, drawn in (("draw_stacks", chips), ("draw_bets", sizes)):
        if len(set(drawn)) < len(drawn):
            text = stacks if drawn is chips else parts
            raise ValueError(f"{name} must differ from each other, got {text!r}.")
    return tuple(Setup(one, size.part) for one in chips for size in sizes)


def _by_street(name: str, text: str, num_streets: int) -> Sequence[str]:
    lists = text.split("|")
    if len(lists) not in (1, num_streets):
        raise ValueError(
            f"{name} must be one list for all streets or one for each of {num_streets}, joined by "
            f"|, got {len(lists)} in {text!r}."
        )
    return lists * (num_streets // len(lists))


def _read_sizes(name: str, text: str) -> tuple[Size, ...]:
    if text == NONE:
        return ()
    sizes = [_read_size(name, part, text) for part in text.split("/")]
    if len(sizes) > _MOST_SIZES:
        raise ValueError(f"{name} must have at most {_MOST_SIZES} sizes, got {len(sizes)}.")
    if len({size.part > 0 or size == DRAWN for size in sizes if size not in (MIN, ALL_IN)}) == 2:
        raise ValueError(
            f"{name} must be parts of the pot or chips, not both, since which of them is larger "
            f"depends on the pot, got {text!r}."
        )
    for before, after in itertools.pairwise(sizes):
        grows = after.part >= before.part and after.chips >= before.chips and after != before
        grows = grows or after in (DRAWN, ALL_IN)
        if not grows or before == ALL_IN or (before == DRAWN and after != ALL_IN):
            raise ValueError(f"{name} must ascend, min first and allin last, got {text!r}.")
    return tuple(sizes)


def _read_size(name: str, part: str, text: str) -> Size:
    """Reads one size; text: the whole list, for errors."""
    if part in _NAMED:
        return _NAMED[part]
    match = re.fullmatch(r"(\d{1,8}(?:\.\d{1,3})?)(%|c?)", part)
    if match is None or (match[2] == "c" and "." in match[1]):
        raise ValueError(f"{name} must be {_RULE}, got {part!r} in {text!r}.")
    number = Fraction(match[1])
    if match[2] == "c":
        if not 1 <= number <= _LARGEST_CHIPS:
            raise ValueError(f"{name} must be 1c to {_LARGEST_CHIPS}c, got {part!r}.")
        return Size(chips=int(number))
    number /= 100 if match[2] else 1
    if not Fraction(1, 100) <= number <= _LARGEST_PART:
        raise ValueError(f"{name} must be 0.01 to {_LARGEST_PART} of the pot, got {part!r}.")
    if 1000 % number.denominator:
        raise ValueError(
            f"{name} must be whole thousandths of the pot, such as 0.333 or 33.3%, got {part!r}."
        )
    return Size(part=number)


def _read_cap(text: str, whole: str, most: int) -> int | None:
    if text == NONE:
        return None
    if not re.fullmatch(r"\d{1,3}", text) or not 1 <= int(text) <= most:
        raise ValueError(f"caps must be none or 1 to {most}, got {text!r} in {whole!r}.")
    return int(text)
