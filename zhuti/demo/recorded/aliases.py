"""Other names of recorded hosts, as a file next to the recording:

{"a note": {"host": "blog.example", "aliases": ["www.blog.example", "old.example"]}, ...}
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from zhuti.demo.recorded.errors import ReplayError

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
