"""Selects the service and the key, like the command line `drs`."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from drs_client.errors import ConfigurationError
from drs_client.folder import address_of_folder, is_same_place


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Address of the service, and the key for it."""

    server: str
    """Address without a trailing slash."""
    api_key: str | None
    workspace: str | None
    """Id or name of the workspace for calls with a personal token; None for the organisation's oldest."""


def read_settings(
    *,
    server: str | None = None,
    api_key: str | None = None,
    profile: str | None = None,
    data_dir: str | os.PathLike[str] | None = None,
    workspace: str | None = None,
    env: Mapping[str, str] | None = None,
) -> Settings:
    """Reads the settings by argument, else by environment, profile in use, or this machine's data folder.

    Raises `ConfigurationError` if no service or no key can be found.
    """
    env = os.environ if env is None else env
    if profile and data_dir:
        raise ConfigurationError("profile and data_dir each name a server; leave one of them out")
    places = _Places(env, data_dir)
    key = api_key or env.get("DRS_API_KEY") or None
    in_workspace = workspace or env.get("DRS_WORKSPACE") or None
    address, name = _target(server, profile, data_dir, places)
    if address is None:
        return Settings(server=places.folder_server(), api_key=key or places.folder_key(), workspace=in_workspace)
    checked = _checked(address)
    if key is None:
        key = places.key_for(checked, name or profile or env.get("DRS_PROFILE") or places.current())
    if key is None:
        raise ConfigurationError(
            f"no API key for {checked}: pass api_key, or set DRS_API_KEY, or log in with: drs login --server {checked}"
        )
    return Settings(server=checked, api_key=key, workspace=in_workspace)


def _target(
    server: str | None, profile: str | None, data_dir: str | os.PathLike[str] | None, places: _Places
) -> tuple[str | None, str | None]:
    """Returns the address and its profile; no address means the data folder."""
    env = places.env
    if server:
        return server, None
    if profile:
        return places.server_of(profile)
    if data_dir:
        return None, None
    if env.get("DRS_SERVER"):
        return env["DRS_SERVER"], None
    if env.get("DRS_PROFILE"):
        return places.server_of(env["DRS_PROFILE"])
    if env.get("DRS_DATA_DIR"):
        return None, None
    current = places.current()
    return (None, None) if current is None else places.server_of(current)


class _Places:
    """The files of the command line and of the server."""

    def __init__(self, env: Mapping[str, str], data_dir: str | os.PathLike[str] | None) -> None:
        self.env = env
        data_home = env.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
        self.folder = Path(data_dir or env.get("DRS_DATA_DIR") or Path(data_home) / "drs").absolute()
        self._config_path = Path(env.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "drs" / "config.json"

    def current(self) -> str | None:
        """Returns the profile in use; None for the data folder."""
        name = self._config().get("current")
        return name if isinstance(name, str) and name in self._profiles() else None

    def server_of(self, name: str) -> tuple[str | None, str | None]:
        """Returns the address of a profile, and its name. `local` stands for the data folder."""
        if name == "local":
            return None, None
        profiles = self._profiles()
        if name not in profiles:
            known = ", ".join(["local", *profiles])
            raise ConfigurationError(f'there is no profile "{name}"; there are: {known}')
        return profiles[name][0], name

    def key_for(self, server: str, profile: str | None) -> str | None:
        """Returns the key of the profile if it is for that server, else that of the folder if it has that server."""
        own = self._profiles().get(profile or "")
        if own is not None and _origin(own[0]) == _origin(server):
            return own[1]
        url = address_of_folder(self.folder)
        return self.folder_key() if url is not None and is_same_place(server, url) else None

    def folder_server(self) -> str:
        """Returns the address of the data folder's server, after the server has proved its identity."""
        url = address_of_folder(self.folder)
        if url is None:
            raise ConfigurationError(
                f"no server runs on the data folder {self.folder}: start one with drs serve, "
                "or name another with server=… or DRS_SERVER"
            )
        return url.rstrip("/")

    def folder_key(self) -> str:
        """Returns the key that the first start of the server has left there."""
        path = self.folder / "credentials.json"
        try:
            key = json.loads(path.read_text()).get("apiKey")
        except FileNotFoundError:
            key = None
        except (ValueError, AttributeError) as cause:
            raise ConfigurationError(f"{path} is damaged: remove it and start the server again") from cause
        if not isinstance(key, str) or key == "":
            raise ConfigurationError(f"the data folder {self.folder} has no API key: start its server again")
        return key

    def _profiles(self) -> dict[str, tuple[str, str]]:
        profiles = self._config().get("profiles")
        found: dict[str, tuple[str, str]] = {}
        for name, entry in (profiles if isinstance(profiles, dict) else {}).items():
            if not isinstance(entry, dict):
                continue
            server, key = entry.get("server"), entry.get("apiKey")
            if isinstance(server, str) and isinstance(key, str):
                found[name] = (server, key)
        return found

    def _config(self) -> dict[str, object]:
        path = self._config_path
        try:
            with path.open() as file:
                mode = os.fstat(file.fileno()).st_mode
                if os.name != "nt" and stat.S_IMODE(mode) & 0o077:
                    raise ConfigurationError(f"others on this machine may read the keys in {path}: chmod 600 {path}")
                config = json.load(file)
        except FileNotFoundError:
            return {}
        except ValueError as cause:
            raise ConfigurationError(f"{path} is damaged: repair or remove it, then log in again") from cause
        return config if isinstance(config, dict) else {}


def _checked(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigurationError(f'"{address}" is not the address of a server; write it like http://127.0.0.1:8420')
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigurationError(
            f"the address of the server {parts.hostname} has more in it than scheme, host, port and path"
        )
    return address.rstrip("/")


def _origin(address: str) -> tuple[str, str | None, int]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
