"""The web that is served: a recording, its hosts' other names, and what is answered where nothing was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from zhuti.demo.recorded.aliases import www_aliases
from zhuti.demo.recorded.base import Answer, Recording, error_page, redirect


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
