"""The web that is served: a recording, its hosts' other names, and what is answered where nothing was recorded.

The other names are a file next to the recording:

{"a note": {"host": "blog.example", "aliases": ["www.blog.example", "old.example"]}, ...}
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from http import HTTPStatus

from zhuti.demo.recorded.base import Answer, Recording, ReplayError, error_page, redirect

ALIASES_FILE = "aliases.json"


def load_aliases(text: bytes, where: str) -> Mapping[str, str]:
    """The host behind each other name, both lower case. `where` names the file in messages. Raises ReplayError."""
    try:
        entries = json.loads(text)
    except ValueError as error:
        raise ReplayError(f"{where}: is not valid JSON ({error}); fix or remove it") from error
    try:
        return {alias.lower(): entry["host"].lower() for entry in entries.values() for alias in entry["aliases"]}
    except (AttributeError, KeyError, TypeError) as error:
        shape = '{"name": {"host": "a.example", "aliases": ["www.a.example"]}}'
        raise ReplayError(f"{where}: must have the form {shape}") from error


def www_aliases(hosts: Collection[str]) -> Mapping[str, str]:
    """Each host with "www." put before it, or taken away, where that name was not recorded itself."""
    pairs = ((host[4:] if host.startswith("www.") else f"www.{host}", host) for host in hosts)
    return {alias: host for alias, host in pairs if alias not in hosts}


class Site:
    def __init__(self, recording: Recording, aliases: Mapping[str, str]) -> None:
        self.recording = recording
        self._aliases = {
            alias: host
            for alias, host in {**www_aliases(recording.hosts), **aliases}.items()
            if host in recording.hosts and alias not in recording.hosts
        }

    def knows(self, host: str) -> bool:
        """Whether the host was recorded, under this name or another."""
        return host in self._aliases or host in self.recording.hosts

    def answer(self, scheme: str, host: str, target: str) -> Answer:
        """The answer to GET scheme://host + target. `host` may have a port, which is not looked at. A host that was
        not recorded gives 502, as a proxy does that cannot reach it; a missing page gives 404."""
        name = host.partition(":")[0].lower()
        target = target.partition("#")[0]
        if name in self._aliases:
            return redirect(f"http://{self._aliases[name]}{target}")
        if name not in self.recording.hosts:
            return error_page(HTTPStatus.BAD_GATEWAY)
        if "/../" in f"{target.partition('?')[0]}/":
            return error_page(HTTPStatus.BAD_REQUEST)
        return self.recording.find(scheme, name, target) or error_page(HTTPStatus.NOT_FOUND)
