"""Fixtures of the core's tests that tests of Scotland Yard use as well."""

from tests.cli.conftest import _never_ended as _never_ended
from tests.cli.conftest import sog as sog
from tests.games.conftest import check_rules as check_rules
