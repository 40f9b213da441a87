"""Where the page is served, and the names by which it may be asked for there."""

from __future__ import annotations

import socket

import pytest
from starlette.testclient import TestClient

from counterplay import InputError
from counterplay.page.server import Address, make_app, serve
from counterplay.page.shelf import Shelf
from counterplay.page.tables import PlayTables
from tests.support.page import JobsInTurn


def _page(shelf: Shelf, address: Address, at: str) -> TestClient:
    token = {"authorization": f"Bearer {address.token}"}
    return TestClient(make_app(shelf, JobsInTurn(), PlayTables(), address), base_url=f"http://{at}", headers=token)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "0"])
def test_all_addresses_are_asked_for_by_any_name_of_this_machine(shelf: Shelf, host: str) -> None:
    address = Address.at(host, 8640)
    assert address.token
    assert address.url == f"http://localhost:8640/?token={address.token}"
    page = _page(shelf, address, "192.0.2.7:8640")  # where the request arrives
    own = ("localhost:8640", "127.0.0.1:8640", "[::1]:8640", f"{socket.gethostname()}:8640", "192.0.2.7:8640")
    for name in own:
        assert page.get("/api/page", headers={"host": name}).status_code == 200, name
        same = {"host": name, "origin": f"http://{name}"}
        assert page.get("/api/page", headers=same).status_code == 200, name
    for name in ("evil.example:8640", "192.0.2.8:8640", "192.0.2.7", "localhost"):
        assert page.get("/api/page", headers={"host": name}).status_code == 421, name
    assert page.get("/api/page", headers={"origin": "http://evil.example:8640"}).status_code == 403
    page.headers.pop("authorization")
    assert page.get("/api/page").status_code == 401


def test_the_usual_port_may_be_left_out(shelf: Shelf) -> None:
    page = _page(shelf, Address.at("127.0.0.1", 80), "127.0.0.1")
    for name in ("127.0.0.1", "localhost", "[::1]", "127.0.0.1:80"):
        assert page.get("/api/page", headers={"host": name}).status_code == 200, name
    for name in ("127.0.0.1:8640", "evil.example"):
        assert page.get("/api/page", headers={"host": name}).status_code == 421, name


@pytest.mark.parametrize(
    ("host", "written"),
    [("LocalHost", "localhost"), ("127.1", "127.0.0.1"), ("[::1]", "::1"), ("0:0:0:0:0:0:0:1", "::1"), ("A.b", "a.b")],
)
def test_hosts_are_written_as_browsers_do(host: str, written: str) -> None:
    assert Address.at(host, 1).host == written


@pytest.mark.parametrize("host", ["", "nonsense.invalid", "192.0.2.1", "x" * 300, "2001:db8::1"])
def test_what_is_no_address_of_this_machine_is_named(shelf: Shelf, host: str) -> None:
    with pytest.raises(InputError, match=f"^--host '{host[:40]}.*' is no address of this machine"):
        serve(shelf, Address.at(host, 8640), opened=False)


def test_a_port_that_is_taken_is_named_once(shelf: Shelf, capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(InputError, match=f"^the page cannot be served at 127.0.0.1:{port}: choose another --port$"):
            serve(shelf, Address.at("127.0.0.1", port), opened=False)
    assert capfd.readouterr() == ("", "")


def test_an_address_is_listened_at() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    with Address.at("localhost", port).bound() as made, socket.create_connection(("127.0.0.1", port), 5.0):
        assert made.getsockname() == ("127.0.0.1", port)
