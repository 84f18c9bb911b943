"""What a short command imports. Each of these libraries costs a tenth of a second or more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow
HEAVY = {
    "alembic",
    "jieba",
    "jinja2",
    "networkx",
    "numpy",
    "opencc",
    "psycopg",
    "pyarrow",
    "pygal",
    "resiliparse",
    "rich",
    "rjieba",
    "scipy",
    "sklearn",
    "sqlalchemy",
    "tantivy",
    "warcio",
    "zstandard",
    "crawler.reader.html.tree",
    "lab",
}
SCRIPT = """
import sys
from scrapy.cmdline import execute
try:
    execute(["scrapy", *sys.argv[1:]])
finally:
    print(*sys.modules, file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        (("--help",), set()),
        (("crawl", "--help"), set()),
        (("store", "--help"), set()),
        (("harvest", "--help"), set()),
        (("news", "--help"), set()),
        (("store", "stats"), {"sqlalchemy", "opencc", "numpy", "scipy", "sklearn"}),  # the outlook
    ],
)
def test_imports(arguments: tuple[str, ...], needed: set[str], harvest: Path) -> None:
    store = ("-s", f"STORE_URL=sqlite:///{harvest}") if "stats" in arguments else ()
    command = [sys.executable, "-c", SCRIPT, *arguments, *store]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout
    loaded = HEAVY & set(done.stderr.split())
    assert loaded <= needed


def test_the_extensions_of_a_crawl_load_no_aiohttp() -> None:
    """Scrapy loads what it is told to turn off."""
    script = "from scrapy.utils.project import get_project_settings as of; import sys;"
    script += "print(len(of().get_component_priority_dict_with_base('EXTENSIONS')), 'aiohttp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    number, is_loaded = done.stdout.split()
    assert int(number) > 5
    assert is_loaded == "False"
