"""The walls of the house (docs/architecture.md): who may import whom."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

HOUSE = Path(__file__).parent.parent
ROOT = HOUSE / "crawler"

# Top to bottom: a room imports only rooms above it, or itself. Scrapy is imported below the line only.
ABOVE = (
    "errors",
    "messages",
    "reasons",
    "clock",
    "bounded_dict",
    "records",
    "document",
    "bundled",
    "mistakes",
    "plugins",
    "processes",
    "reader",
    "discovery",
    "extractors",
    "topic",
    "rank",
    "scorers",
    "database",
    "exits",
    "frontier",
    "store",
    "questions",
    "labels",
    "archive",
    "analyse",
)
BELOW = (
    "settings",
    "addon",
    "options",
    "runs",
    "tell",
    "crawl",
    "middlewares",
    "spiders",
    "pipelines",
    "scheduler",
    "extensions",
    "commands",
    "main",
)
ROOMS = ABOVE + BELOW
READER = ("text", "html", "extract", "papers")  # its own rooms, in the same order
WORDS = ("records", "messages", "reasons", "errors", "mistakes", "clock", "bundled")  # all that the reader asks for
NO_BODIES = ("topic", "rank", "discovery")  # rooms that ask the reader for text and markup, never for bodies
KNOW_THE_SCHEMA = ("database", "frontier", "store", "questions", "labels")
# What a crawl does not need, in the same order; the modules beside these rooms are the public interface.
PARTS = (
    *("whole_file", "keywords", "aside", "archive", "extraction", "identity", "consent", "init"),
    *("topics", "why", "upkeep", "label"),
    *("remote", "news", "corpus", "labeller", "quality", "rejudge", "export", "search", "seeding"),
    *("metrics", "board", "demo"),
)
ASK_THE_SCHEMA = {  # modules of the parts that do, and no others
    "board/facts.py",
    "consent/withdrawn.py",
    "corpus/export.py",
    "corpus/sql.py",
    "export/corpus.py",
    "export/joined.py",
    "export/linkgraph.py",
    "export/increments.py",
    "export/lock.py",
    "export/selection.py",
    "label/questions.py",
    "label/session.py",
    "labeller/session.py",
    "news/news.py",
    "news/run_facts.py",
    "rejudge/stored.py",
    "search/query.py",
    "seeding/new_hosts.py",
    "topics/suggestions.py",
    "upkeep/forget.py",
    "upkeep/housekeeping.py",
    "upkeep/vacuum.py",
    "why/explanation.py",
    "why/score_history.py",
}


@cache
def parsed(path: Path) -> ast.Module:
    """A file is read once for all walls."""
    return ast.parse(path.read_text(encoding="utf-8"))


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported_names(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names


MODULES = sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT or path.stem != "__init__")


def faults(path: Path) -> list[str]:
    """What is wrong with the imports of a module."""
    room, found = room_of(path), []
    for name in imported_names(parsed(path)):
        top, *rest = name.split(".")
        other, inner = (*rest, "", "")[:2]
        if name == "crawler":
            found.append("write `from crawler.x import y`")
        elif top == "scrapy" and room in ABOVE:
            found.append("scrapy is imported below the line only")
        elif top == "lab":
            found.append("the laboratory may import the crawler, never the other way round")
        elif top == "zhuti":
            found.append("zhuti/ stands on the crawler, never the other way round")
        elif name == "crawler.database.schema" and room not in KNOW_THE_SCHEMA:
            found.append("the schema is known to few rooms; ask `questions`")
        elif top == "crawler" and ROOMS.index(other) > ROOMS.index(room):
            found.append(f"{other} lies below {room}")
        elif room == "reader" and top == "sqlalchemy":
            found.append("the reader knows no database")
        elif room == "reader" and top == "crawler" and other not in (*WORDS, "reader"):
            found.append(f"the reader asks the crawler for words only, not for {other}")
        elif room == other == "reader" and READER.index(inner) > READER.index(path.relative_to(ROOT).parts[1]):
            found.append(f"reader/{inner} lies below reader/{path.relative_to(ROOT).parts[1]}")
        elif room in NO_BODIES and other == "reader" and inner in ("extract", "papers"):
            found.append(f"{room} and reader/{inner} stand apart; `analyse` joins them")
    return [f"{path.relative_to(HOUSE)}: {fault}" for fault in found]


def test_imports() -> None:
    assert [fault for path in MODULES for fault in faults(path)] == []


@pytest.mark.parametrize("part", PARTS)
def test_parts(part: str) -> None:
    """They import parts above them, and never what is public, which stands on them."""
    root = HOUSE / "zhuti"
    below = PARTS[PARTS.index(part) + 1 :]
    for path in (root / part).rglob("*.py"):
        names = imported_names(parsed(path))
        rooms = {name.split(".")[1] for name in names if name.startswith("zhuti.")}
        assert rooms <= set(PARTS) - set(below), path
        assert "zhuti" not in names, path
        assert "crawler.database.schema" not in names or str(path.relative_to(root)) in ASK_THE_SCHEMA, path


@pytest.mark.parametrize(
    ("module", "line", "fault"),
    [
        ("reader/html/page.py", "import crawler", "write `from"),
        ("reader/html/page.py", "from scrapy import Request", "below the line"),
        ("pipelines.py", "from lab.errors import ReplayError", "laboratory"),
        ("pipelines.py", "from zhuti.search.beside import open_index", "stands on the crawler"),
        ("tell/summary.py", "from crawler.database.schema import pages", "ask `questions`"),
        ("reader/html/page.py", "from crawler.topic.files import Topic", "topic lies below reader"),
        ("topic/files.py", "from crawler.reader.papers.plain import plain", "topic and reader/papers stand apart"),
        (
            "reader/html/page.py",
            "from crawler.reader.papers.plain import plain",
            "reader/papers lies below reader/html",
        ),
        ("reader/html/page.py", "from crawler.plugins import loaded", "words only, not for plugins"),
        ("reader/html/page.py", "from sqlalchemy import select", "no database"),
        ("reader/html/page.py", "from crawler.records import Link", ""),
        ("pipelines.py", "from scrapy import Request", ""),
        ("topic/files.py", "from crawler.reader.html.page import Page", ""),
    ],
)
def test_a_wall_that_is_crossed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, line: str, fault: str
) -> None:
    path = tmp_path / module
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(line, encoding="utf-8")
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    monkeypatch.setattr(f"{__name__}.HOUSE", tmp_path)
    found = faults(path)
    assert (fault in found[0]) if fault else (found == [])


def test_no_circles() -> None:
    """Between modules, those of one room too."""
    paths = [*ROOT.rglob("*.py"), *(HOUSE / "zhuti").rglob("*.py"), *(HOUSE / "lab").rglob("*.py")]
    modules = {".".join(path.relative_to(HOUSE).with_suffix("").parts): path for path in paths}
    imports: nx.DiGraph[str] = nx.DiGraph()
    for name, path in modules.items():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ImportFrom):
                whole = {f"{node.module}.{alias.name}" for alias in node.names} | {node.module or ""}
                imports.add_edges_from((name, other) for other in whole & modules.keys())
    assert [sorted(circle) for circle in nx.strongly_connected_components(imports) if len(circle) > 1] == []


MARKS = ("_", "N_", "ngettext", "translated", "told", "clause")  # what they give is read by people
SEARCHES = {
    *("startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition", "split", "rsplit"),
    *("splitlines", "find", "rfind", "index", "rindex", "count", "replace", "like", "ilike", "contains"),
    *("match", "fullmatch", "search", "sub", "strip", "lstrip", "rstrip"),
}


def is_said(node: ast.AST, names: set[str]) -> bool:
    """Whether it is a message: what one of MARKS gives, or `str` of a reason, or a name for that."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        is_reason = node.func.id == "str" and isinstance(node.args[0] if node.args else None, ast.Attribute)
        return node.func.id in MARKS or (is_reason and node.args[0].attr in ("reason", "ended"))  # type: ignore[attr-defined]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return is_said(node.func.value, names)
    if isinstance(node, ast.IfExp):
        return is_said(node.body, names) or is_said(node.orelse, names)
    return isinstance(node, ast.Name) and node.id in names


def scopes(tree: ast.Module) -> Iterator[list[ast.AST]]:
    """What stands in the module and in each function, without what is in functions within it. Classes are left out: a
    member of an enumeration is a code, though its value is a word for people too."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        scope = waiting.pop()
        inside, around = list[ast.AST](), list(ast.iter_child_nodes(scope))
        while around:
            node = around.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                waiting.append(node)
            else:
                inside.append(node)
                around += ast.iter_child_nodes(node)
        if not isinstance(scope, ast.ClassDef):
            yield inside


def read_in(node: ast.AST) -> list[ast.expr]:
    """What the code compares, searches or cuts here."""
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Subscript):
        return [node.value]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SEARCHES:
        return [node.func.value, *node.args]
    return []


def messages_that_are_read(tree: ast.Module, imported: frozenset[str] = frozenset()) -> list[str]:
    """Where code compares, searches or cuts what is said to people. `imported`: messages of other modules, by name."""
    found = []
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    others = {alias.name for node in froms for alias in node.names if f"{node.module}.{alias.name}" in imported}
    others |= constants(tree)
    for nodes in scopes(tree):
        names = set(others)
        for node in nodes:
            if isinstance(node, ast.Assign) and is_said(node.value, names):
                names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        read = [node for node in nodes if any(is_said(part, names) for part in read_in(node))]
        found += [f"{getattr(node, 'lineno', 0)}: {ast.unparse(node)}" for node in read]
    return found


def constants(tree: ast.Module) -> set[str]:
    """Names of the module that stand for messages."""
    return {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and is_said(node.value, set())
        for target in node.targets
        if isinstance(target, ast.Name)
    }


OURS = sorted([*ROOT.rglob("*.py"), *(HOUSE / "zhuti").rglob("*.py")])


def test_what_people_read_is_not_read_by_code() -> None:
    """Or a sentence could not be reworded, and would mean something else in each language. Reasons have codes."""
    imported = frozenset(
        f"{'.'.join(path.relative_to(HOUSE).with_suffix('').parts)}.{name}"
        for path in OURS
        for name in constants(parsed(path))
    )
    found = {str(path): messages_that_are_read(parsed(path), imported) for path in OURS}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "code",
    [
        'SPENT = N_("budget spent")\ndef f(ended):\n    return ended == SPENT',
        'def f(ended):\n    return ended == translated("budget spent")',
        'def f(ended):\n    return ended in (_("budget spent"), "x") or _("a") in ended',
        'TO = N_("redirects to {url}").partition("{")[0]',
        'TO = N_("redirects to ")\ndef f(reason):\n    return reason.removeprefix(TO)',
        'def f(column):\n    form = N_("it says {what}")\n    return column.startswith(form)',
        "def f(visit):\n    return str(visit.reason).startswith('redirects')",
        "def f(run):\n    why = told(run.ended)\n    return why[:5]",
        "from crawler.store.totals import NO_ROBOTS\ndef f(reason):\n    return reason == NO_ROBOTS",
    ],
)
def test_a_message_that_is_read_is_found(code: str) -> None:
    assert len(messages_that_are_read(ast.parse(code), frozenset({"crawler.store.totals.NO_ROBOTS"}))) >= 1


@pytest.mark.parametrize(
    "code",
    [
        'class Outcome(StrEnum):\n    KEPT = N_("kept")\ndef f(one):\n    return one == Outcome.KEPT',
        "def f(run):\n    return run.ended.code is Code.BUDGET and told(run.ended)",
        'def f(words):\n    return words.split()[0] + _("a")',
    ],
)
def test_what_is_no_message_may_be_read(code: str) -> None:
    assert messages_that_are_read(ast.parse(code)) == []


MOST_METHODS = 15  # public ones of a class; with more it is several


def classes() -> Iterator[tuple[str, ast.ClassDef]]:
    """Of crawler/ and zhuti/, with their places."""
    for path in [*ROOT.rglob("*.py"), *(HOUSE / "zhuti").rglob("*.py")]:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef):
                yield f"{path.relative_to(HOUSE)}: {node.name}", node


def public_methods(node: ast.ClassDef) -> list[str]:
    methods = (each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
    return [method.name for method in methods if not method.name.startswith("_")]


def test_no_class_is_several() -> None:
    found = {place: public_methods(node) for place, node in classes()}
    assert len(found) > 100
    assert {place: methods for place, methods in found.items() if len(methods) > MOST_METHODS} == {}


def written(tree: ast.AST) -> Iterator[ast.Attribute]:
    """The attributes that are assigned to."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
            yield node


def writes_session(tree: ast.AST) -> list[int]:
    """The lines that write a field of a crawl's session: an attribute of `session`, `self._session` or the like."""
    if "crawler.crawl.session" not in imported_names(tree):
        return []
    owners = ((node.lineno, ast.unparse(node.value)) for node in written(tree))
    return [line for line, owner in owners if owner.rpartition(".")[2] in ("session", "_session")]


def changes_settings(tree: ast.AST) -> list[int]:
    """The lines that change Scrapy's settings."""
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    methods = (call for call in calls if isinstance(call, ast.Attribute))
    changing = (
        "set",
        "setdict",
        "setmodule",
        "update",
        "add_to_list",
        "setdefault",
        "replace_in_component_priority_dict",
    )
    owned = ((call.lineno, call.attr, ast.unparse(call.value).rpartition(".")[2]) for call in methods)
    return [line for line, name, owner in owned if owner == "settings" and name in changing]


OF_CRAWL = "from crawler.crawl.session import Session"
ONE_PLACE = [(writes_session, "crawl/session.py"), (changes_settings, "addon.py")]


@pytest.mark.parametrize(("finds", "place"), ONE_PLACE)
def test_what_only_one_module_changes(finds: Callable[[ast.AST], list[int]], place: str) -> None:
    others = [path for path in MODULES if path != ROOT / place]
    found = {str(path.relative_to(HOUSE)): finds(parsed(path)) for path in others}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    ("finds", "line", "is_found"),
    [
        (writes_session, f"{OF_CRAWL}; self._session.error = error", True),
        (writes_session, f"{OF_CRAWL}; session.topic, session.seeds = 1, 2", True),
        (writes_session, f"{OF_CRAWL}; session.count += 1", True),
        (writes_session, f"{OF_CRAWL}; self._session = session", False),
        (writes_session, f"{OF_CRAWL}; known = session.topic", False),
        (writes_session, "session.count += 1", False),
        (changes_settings, "crawler.settings.set('A', 1, priority='cmdline')", True),
        (changes_settings, "settings.add_to_list('A', 1)", True),
        (changes_settings, "settings.getint('A')", False),
        (changes_settings, "names.update(settings)", False),
    ],
)
def test_changes_are_seen(finds: Callable[[ast.AST], list[int]], line: str, is_found: bool) -> None:
    assert bool(finds(ast.parse(line))) is is_found


LEANS = re.compile(r"(The same|Of|Those|As|It)\b")  # first words of a docstring that needs the one above it


def test_docstrings_can_be_read_alone() -> None:
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)
    nodes = ((path, node) for path in OURS for node in ast.walk(parsed(path)) if isinstance(node, defined))
    said = [(path, ast.get_docstring(node) or "") for path, node in nodes]
    assert [f"{path.relative_to(HOUSE)}: {text[:80]}" for path, text in said if LEANS.match(text)] == []
