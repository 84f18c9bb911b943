"""What a link scorer has learned as bytes, so that a start need not teach it every page again.

The bytes are a checksum and an .npz file of arrays, one of which is JSON: plain values, and the attributes of objects
of this package. There is no code in them, and reading them runs none: this is not a pickle. A scorer that holds
anything else is taught again.
"""

from __future__ import annotations

import inspect
import json
from array import array
from collections import Counter
from collections.abc import Callable, Mapping
from enum import Enum
from hashlib import blake2b
from importlib.metadata import version
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from pkgutil import resolve_name
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import networkx as nx
import numpy as np

from crawler.bounded_dict import BoundedDict
from crawler.rank.graph import REST, WEIGHT
from crawler.scorers.base import LinkScorer

ROOMS = ("crawler.scorers.", "crawler.rank.")  # whose classes may be in it
OURS = "crawler."  # whose enumerations
MAPPINGS = (Counter, BoundedDict)  # their own attributes beside their entries
PLAIN = frozenset({str, int, float, bool, type(None)})
CHECKSUM = 16  # bytes
TREE = "tree"  # the entry that holds all but the arrays


def _source() -> str:
    """A hash of all modules whose objects may be in it: fields, columns, constants and how they learn."""
    rooms = [Path(str(files(room.rstrip(".")))) for room in ROOMS]
    modules = [Path(inspect.getfile(BoundedDict)), *sorted(path for room in rooms for path in room.rglob("*.py"))]
    return blake2b(b"".join(path.read_bytes() for path in modules), digest_size=8).hexdigest()


VERSION = f"{version('zhuti')} {_source()}"  # what another one has written is learned again


class NoForm(TypeError):
    """The scorer holds something that has no form here."""


def packed(scorer: LinkScorer) -> bytes:
    """Raises NoForm."""
    writer = _Writer()
    tree = json.dumps(writer.tree(scorer), separators=(",", ":")).encode()
    stream = BytesIO()
    writer.arrays[TREE] = np.frombuffer(tree, np.uint8)
    np.savez(stream, allow_pickle=False, **writer.arrays)
    return with_checksum(stream.getvalue())


def with_checksum(content: bytes) -> bytes:
    return blake2b(content, digest_size=CHECKSUM).digest() + content


def unpacked(content: bytes) -> LinkScorer:
    """What was packed. Raises ValueError and its like for bytes that were changed."""
    if with_checksum(content[CHECKSUM:]) != content:
        raise ValueError("its checksum is another")
    content = content[CHECKSUM:]
    with ZipFile(BytesIO(content)) as members:
        if any(member.compress_type != ZIP_STORED for member in members.infolist()):
            raise ValueError("its arrays are compressed: they may be of any size")
    with np.load(BytesIO(content), allow_pickle=False) as arrays:
        scorer = _Reader(arrays).value(json.loads(arrays[TREE].tobytes()))
    if not isinstance(scorer, LinkScorer):
        raise ValueError("no link scorer")
    return scorer


class _Writer:
    """Values as JSON: a plain one as itself, a list of them as a list, any other as {form: content}."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self._met: dict[int, tuple[int, object]] = {}  # by id; the object stays alive while its id is in here

    def tree(self, value: Any) -> Any:
        kind = type(value)
        if kind in PLAIN:
            return value
        if kind is list:
            return value if PLAIN.issuperset(map(type, value)) else [self.tree(item) for item in value]
        if kind is tuple:
            return {"tuple": [self.tree(item) for item in value]}
        if kind in (set, frozenset):
            return {kind.__name__: self.tree(sorted(value))}
        if kind is dict:
            return {"dict": [self.tree(list(value)), self.tree(list(value.values()))]}
        if kind is bytearray:
            return {"bytearray": self._array(np.frombuffer(value, np.uint8))}
        if kind is array:
            return {"array": [value.typecode, self._array(np.frombuffer(value, value.typecode))]}
        if isinstance(value, np.ndarray):
            return {"ndarray": self._array(value)}
        if isinstance(value, nx.DiGraph):
            return {"graph": [self.tree(list(value.nodes(data=REST))), self.tree(list(value.edges(data=WEIGHT)))]}
        if isinstance(value, np.generic):
            return {"scalar": self._array(np.asarray(value))}
        if isinstance(value, Enum) and kind.__module__.startswith(OURS):
            return {"enum": [_name(kind), value.value]}
        return self._object(value)

    def _array(self, values: np.ndarray[Any, Any]) -> str:
        name = str(len(self.arrays))
        self.arrays[name] = values
        return name

    def _object(self, value: Any) -> Any:
        if not type(value).__module__.startswith(ROOMS) and not isinstance(value, MAPPINGS):
            raise NoForm(f"{type(value).__qualname__} cannot be kept")
        if id(value) in self._met:
            return {"again": self._met[id(value)][0]}
        self._met[id(value)] = len(self._met), value
        state = self.tree(value.__getstate__())
        return {"object": [_name(type(value)), state, self.tree(dict(value)) if isinstance(value, MAPPINGS) else None]}


class _Reader:
    def __init__(self, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        self._arrays = arrays
        self._left = set(arrays)  # each is named once: a short content could name a large one any number of times
        self._met: list[object] = []

    def value(self, tree: Any) -> Any:
        if isinstance(tree, list):
            return tree if PLAIN.issuperset(map(type, tree)) else [self.value(item) for item in tree]
        if not isinstance(tree, dict):
            return tree
        ((form, content),) = tree.items()
        if form not in FORMS:
            raise ValueError(f"{form!r} is not a form")
        return FORMS[form](self, content)

    def _named(self, name: str) -> np.ndarray[Any, Any]:
        if name not in self._left:
            raise ValueError(f"it names the array {name} twice, or has none of that name")
        self._left.remove(name)
        return self._arrays[name]

    def _dict(self, content: list[Any]) -> dict[Any, Any]:
        keys, values = map(self.value, content)
        return dict(zip(keys, values, strict=True))

    def _array(self, content: list[str]) -> array[Any]:
        code, name = content
        return array(code, self._named(name).tobytes())

    def _graph(self, content: list[Any]) -> nx.DiGraph[Any]:
        nodes, edges = map(self.value, content)
        graph: nx.DiGraph[Any] = nx.DiGraph()
        graph.add_nodes_from((node, {} if rest is None else {REST: rest}) for node, rest in nodes)
        graph.add_weighted_edges_from(edges)
        return graph

    def _enum(self, content: list[Any]) -> Any:
        name, value = content
        kind = _found(name) if name.startswith(OURS) else None
        if kind is None or not issubclass(kind, Enum):
            raise ValueError(f"{name} is not an enumeration of a link scorer")
        return kind(value)

    def _object(self, content: list[Any]) -> Any:
        name, state, entries = content
        kind = _class(name)
        made = kind.__new__(kind)
        self._met.append(made)
        _restore(made, self.value(state))
        if entries is not None:
            made.update(self.value(entries))
        return made


FORMS: dict[str, Callable[[_Reader, Any], Any]] = {
    "tuple": lambda reader, content: tuple(map(reader.value, content)),
    "set": lambda reader, content: set(reader.value(content)),
    "frozenset": lambda reader, content: frozenset(reader.value(content)),
    "dict": _Reader._dict,
    "bytearray": lambda reader, name: bytearray(reader._named(name).tobytes()),
    "array": _Reader._array,
    "ndarray": lambda reader, name: reader._named(name).copy(),  # its own memory, so that it can grow
    "scalar": lambda reader, name: reader._named(name)[()],
    "enum": _Reader._enum,
    "graph": _Reader._graph,
    "again": lambda reader, number: reader._met[number],
    "object": _Reader._object,
}


def _restore(made: Any, state: Any) -> None:
    """The reverse of __getstate__."""
    if hasattr(made, "__setstate__"):
        made.__setstate__(state)
        return
    for part in state if isinstance(state, tuple) else (state,):
        for name, value in (part or {}).items():
            setattr(made, name, value)


def _name(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _class(name: str) -> Any:
    if not name.startswith(ROOMS) and name not in map(_name, MAPPINGS):
        raise ValueError(f"{name} is not a part of a link scorer")
    return _found(name)


def _found(name: str) -> Any:
    found = resolve_name(name)
    if not isinstance(found, type) or _name(found) != name:  # what a module imports is not its own
        raise ValueError(f"{name} is not a part of a link scorer")
    return found
