"""Nobody without the token, no page of another site, nothing of unbounded size."""

import re

import pytest
from starlette.testclient import TestClient

from sog.web.app import make_app
from sog.web.catalog import Catalog
from sog.web.security import Guard
from tests.web.visitor import HERE


@pytest.fixture
def friend(stranger: TestClient) -> TestClient:
    assert stranger.get("/?token=the-token").status_code == 303
    return stranger


@pytest.mark.parametrize("path", ["/", "/games/1", "/?token=", "/?token=the-toke", "/nowhere"])
def test_without_the_token_nothing_is_answered(stranger: TestClient, path: str) -> None:
    answer = stranger.get(path)
    assert answer.status_code == 403
    assert answer.text == (
        "The token is missing or wrong: open the address that sog serve printed.\n"
    )


def test_the_token_becomes_a_cookie_that_scripts_and_other_sites_have_not(
    stranger: TestClient,
) -> None:
    answer = stranger.get("/games/1?token=the-token&at=2")
    assert (answer.status_code, answer.headers["location"]) == (303, "/games/1?at=2")
    parts = {part.strip().lower() for part in answer.headers["set-cookie"].split(";")}
    assert {"sog_8642=the-token", "httponly", "samesite=strict"} <= parts
    assert stranger.get("/").status_code == 200


def test_after_a_link_of_another_site_a_page_leads_on(stranger: TestClient) -> None:
    """After a redirect the browser would not send the cookie, as it would count as that site's."""
    site = {"Sec-Fetch-Site": "cross-site"}
    answer = stranger.get("/games/1?token=the-token&at=2", headers=site)
    assert (answer.status_code, answer.headers["refresh"]) == (200, "0; url=/games/1?at=2")
    assert '<a href="/games/1?at=2">' in answer.text
    assert "location" not in answer.headers
    assert stranger.get("/").status_code == 200


def test_a_browser_that_is_started_gets_a_token_for_one_visit() -> None:
    guard = make_app(Catalog(), token="the-token", port=8642, once="for-once")
    first, second = (TestClient(guard, base_url=HERE, follow_redirects=False) for _ in range(2))
    answer = first.get("/?token=for-once")
    assert answer.status_code == 303
    assert "sog_8642=the-token" in answer.headers["set-cookie"]
    assert first.get("/").status_code == 200
    assert second.get("/?token=for-once").status_code == 403
    assert second.get("/?token=the-token").status_code == 303


def test_the_token_for_one_visit_lasts_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("sog.web.security.time.monotonic", lambda: now)
    guard = make_app(Catalog(), token="the-token", port=8642, once="for-once")
    now += 61
    client = TestClient(guard, base_url=HERE, follow_redirects=False)
    assert client.get("/?token=for-once").status_code == 403


def test_the_token_leads_to_no_other_site(stranger: TestClient) -> None:
    answer = stranger.get(f"{HERE}//evil.example/?token=the-token")
    assert answer.headers["location"] == "/evil.example/"


def test_a_wrong_token_is_refused_also_from_one_who_has_the_cookie(friend: TestClient) -> None:
    assert friend.get("/?token=another").status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example:8642", "127.0.0.1", "127.0.0.1:80", "localhost.evil.example:8642", "[:"]
)
def test_a_name_that_is_not_ours_is_not_answered(friend: TestClient, host: str) -> None:
    assert friend.get("/", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost:8642", "127.0.0.1:8642", "[::1]:8642"])
def test_this_machine_is_answered_by_each_of_its_names(friend: TestClient, host: str) -> None:
    answer = friend.get("/", headers={"Host": host, "Cookie": "sog_8642=the-token"})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "http://[", "http://[::1"]
)
def test_a_form_of_another_site_is_refused(friend: TestClient, app: Guard, origin: str) -> None:
    for client in (friend, TestClient(app, base_url=HERE)):  # with the token, and without
        answer = client.post("/games", data={"player": "random"}, headers={"Origin": origin})
        assert answer.status_code == 403
        assert "another site" in answer.text


@pytest.mark.parametrize("length", ["-1", "many", "1e3", "\xb2".encode("latin-1"), "9" * 5000])
def test_a_length_that_is_no_number_is_refused(friend: TestClient, length: str) -> None:
    assert friend.post("/games", headers={"Content-Length": length}).status_code == 413


def test_pages_name_no_address_but_their_own(friend: TestClient) -> None:
    for path in ("/", "/static/style.css", "/static/script.js"):
        assert not re.search(r"""["'(=]\s*(https?:)?//""", friend.get(path).text)


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/", "/etc/passwd", "/runs/0"]
)
def test_no_file_is_had_by_its_name(friend: TestClient, path: str) -> None:
    assert friend.get(path).status_code == 404


@pytest.mark.parametrize(
    "form",
    [
        {"player": "random", "game": "scotland_yard(map=/etc/passwd)"},
        {"player": "runs/leduc", "game": "kuhn"},
        {"player": "../../somewhere", "game": ""},
        {"player": "random", "game": "openspiel:kuhn_poker"},
    ],
)
def test_only_games_and_players_of_the_lists_can_be_named(
    friend: TestClient, form: dict[str, str]
) -> None:
    answer = friend.post("/games", data=form)
    assert answer.status_code == 400
    assert "this server has no" in answer.text


def test_a_form_of_too_many_fields_is_not_read(friend: TestClient) -> None:
    body = "&".join(f"a{number}=1" for number in range(2000))
    assert friend.post("/games", content=body).status_code == 400


def test_a_field_is_not_longer_than_what_it_is_for(friend: TestClient) -> None:
    answer = friend.post("/games", data={"player": "random", "search": "1" * 20_001})
    assert answer.status_code == 400
    assert "search must have at most 20,000 letters, got 20,001." in answer.text


def test_what_is_sent_back_is_text_and_no_page(friend: TestClient) -> None:
    answer = friend.post("/games", data={"player": "<script>x</script>", "game": "kuhn"})
    assert "<script>x" not in answer.text
    assert "&lt;script&gt;" in answer.text
