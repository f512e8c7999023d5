"""Which service is meant, and which key goes to it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from drs_client import ConfigurationError
from drs_client.settings import read_settings


def log_in(home: Path, *, current: str | None = "work", mode: int = 0o600) -> None:
    """What `drs login` writes."""
    path = home / "config" / "drs" / "config.json"
    path.parent.mkdir(parents=True)
    profiles = {
        "work": {"server": "https://drs.example/", "apiKey": "work key"},
        "other": {"server": "https://other.example", "apiKey": "other key"},
    }
    path.write_text(json.dumps({"current": current, "profiles": profiles}))
    path.chmod(mode)


def test_arguments_go_before_the_environment(bare_env: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRS_SERVER", "http://env.example")
    monkeypatch.setenv("DRS_API_KEY", "env key")
    monkeypatch.setenv("DRS_WORKSPACE", "lab")
    of_env = read_settings()
    assert (of_env.server, of_env.api_key, of_env.workspace) == ("http://env.example", "env key", "lab")
    given = read_settings(server="http://given.example/", api_key="given key", workspace="office")
    assert (given.server, given.api_key, given.workspace) == ("http://given.example", "given key", "office")


def test_the_profile_in_use_is_taken(bare_env: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log_in(bare_env)
    assert (read_settings().server, read_settings().api_key) == ("https://drs.example", "work key")
    monkeypatch.setenv("DRS_PROFILE", "other")
    assert read_settings().api_key == "other key"
    assert read_settings(profile="work").api_key == "work key"
    assert read_settings(server="https://other.example/base").api_key == "other key"


def test_the_key_of_a_profile_goes_to_its_server_alone(bare_env: Path) -> None:
    log_in(bare_env)
    with pytest.raises(ConfigurationError, match=r"no API key for https://elsewhere\.example"):
        read_settings(server="https://elsewhere.example")


def test_profiles_that_are_not_there_or_not_private_are_refused(bare_env: Path) -> None:
    log_in(bare_env, mode=0o644)
    with pytest.raises(ConfigurationError, match="others on this machine may read"):
        read_settings()
    (bare_env / "config" / "drs" / "config.json").chmod(0o600)
    with pytest.raises(ConfigurationError, match='no profile "home"; there are: local, work, other'):
        read_settings(profile="home")
    with pytest.raises(ConfigurationError, match="no server runs on the data folder"):
        read_settings(profile="local")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("localhost:8420", "is not the address of a server"),
        ("ftp://localhost", "is not the address of a server"),
        ("http://me:secret@localhost", "has more in it than scheme, host, port and path"),
        ("http://localhost/?key=secret", "has more in it than scheme, host, port and path"),
    ],
)
def test_what_is_no_address_is_refused(bare_env: Path, address: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said) as caught:
        read_settings(server=address, api_key="key")
    assert "secret" not in str(caught.value)


def test_without_anything_it_says_what_to_do(bare_env: Path) -> None:
    with pytest.raises(ConfigurationError, match="start one with drs serve, or name another"):
        read_settings()


def test_an_address_that_nobody_proves_gets_no_key(bare_env: Path) -> None:
    folder = bare_env / "data" / "drs"
    folder.mkdir(parents=True)
    (folder / "credentials.json").write_text('{"apiKey": "folder key"}')
    # Port 1 of the loopback has no server.
    (folder / "server.json").write_text('{"pid": 1, "kind": "server", "url": "http://127.0.0.1:1", "secret": "s"}')
    with pytest.raises(ConfigurationError, match="no API key"):
        read_settings(server="http://127.0.0.1:1")
