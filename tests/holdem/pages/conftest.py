"""The server and the browser of the tests of `sog.web`."""

from tests.web.conftest import address as address
from tests.web.conftest import app as app
from tests.web.conftest import browser as browser
from tests.web.conftest import driver as driver
from tests.web.conftest import serve as serve
from tests.web.conftest import visitor as visitor
