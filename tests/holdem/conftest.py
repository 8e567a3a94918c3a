"""Fixtures of the core's tests that tests of hold'em use as well."""

from tests.cli.conftest import _never_ended as _never_ended
from tests.cli.conftest import sog as sog
from tests.cli.conftest import sog_json as sog_json
