"""Commands in processes that have imported everything and loaded all models: start-up is most of what a crawl of ten
pages costs."""

from __future__ import annotations

import gc
import multiprocessing
import multiprocessing.forkserver as forkserver
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from pathlib import Path
from pkgutil import walk_packages

import scrapy.commands
from scrapy.cmdline import execute
from scrapy.settings import default_settings

ROOT = Path(__file__).parent.parent
OURS = ("tests.warm", "tests.harvester", "tests.preloaded")
OTHERS = (
    "sklearn.isotonic",
    "sklearn.linear_model",
    "twisted.conch.telnet",
    "scrapy.core.downloader.contextfactory",
    "scrapy.logformatter",
    "scrapy.statscollectors",
    *(module.name for module in walk_packages(scrapy.commands.__path__, "scrapy.commands.")),
)
SCRAPYS = [
    name.rpartition(".")[0]
    for names in (
        default_settings.DOWNLOADER_MIDDLEWARES_BASE,
        default_settings.SPIDER_MIDDLEWARES_BASE,
        default_settings.EXTENSIONS_BASE,
        default_settings.DOWNLOAD_HANDLERS_BASE.values(),
    )
    for name in names
]
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for package in ("crawler", "zhuti")
    for path in sorted((ROOT / package).rglob("*.py"))
    if path.name != "__init__.py" and not {"project", "steps", "assistants.py"} & {*path.parts}  # the last load extras
]
PATIENCE = 200  # seconds

# All processes of it are forks of one, which has imported what a command needs.
CONTEXT: ForkServerContext = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload([*OURS, *OTHERS, *SCRAPYS, *MODULES])


class Command:
    """A command under way, as `subprocess.Popen` would show it. It leads a process group of its own."""

    def __init__(
        self,
        arguments: list[str],
        environment: Mapping[str, str],
        cwd: Path,
        output: Path,
        file_size: int | None = None,
        before: Callable[[], object] | None = None,
    ) -> None:
        """`output`: a folder that is there for its output alone. `before`: what the process does first."""
        self.args = ["scrapy", *arguments]
        self._files = output / "out", output / "err"
        ready, theirs = CONTEXT.Pipe(duplex=False)
        self._process = CONTEXT.Process(
            target=_run, args=(arguments, dict(environment), cwd, *self._files, file_size, before, theirs)
        )
        self._process.start()
        theirs.close()
        ready.recv()  # it has its group

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def communicate(self, timeout: float = PATIENCE) -> tuple[str, str]:
        """What it printed, after its end; TimeoutError after so many seconds, when it is killed."""
        self._process.join(timeout)
        if self.returncode is None:
            os.killpg(self.pid, signal.SIGKILL)
            raise TimeoutError(" ".join(self.args))
        out, err = self._files
        return out.read_text(), err.read_text()

    def told(self) -> str:
        """What it has written to standard error so far."""
        return self._files[1].read_text(errors="replace")

    def send_signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Forked:
    """A run of `zhuti harvest`, as `multiprocessing` starts it, in a fork of the process that has imported everything.
    How Python starts for it anew, test_installed.py shows."""

    def __init__(self, target: Callable[[list[str]], None], args: tuple[list[str]]) -> None:
        self._run = partial(target, *args)

    def start(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        self._pid = os.fork()
        if self._pid:
            return
        status: object = 1
        try:
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
            self._run()
        except SystemExit as end:
            status = end.code or 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status if isinstance(status, int) else 1)

    def join(self) -> None:
        self.exitcode = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])

    def terminate(self) -> None:
        os.kill(self._pid, signal.SIGTERM)


def limit_files(size: int) -> None:
    """No file may grow beyond `size` bytes: what a full disk looks like to a process."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def _run(
    arguments: list[str],
    environment: Mapping[str, str],
    cwd: Path,
    out: Path,
    err: Path,
    file_size: int | None,
    before: Callable[[], object] | None,
    ready: Connection,
) -> None:
    gc.freeze()  # what is shared is not gone through, and so not copied
    os.setsid()
    # Its own children are forks of the same process: the standard library would start another server.
    forkserver._forkserver.ensure_running = lambda: None  # type: ignore[method-assign]
    for path, stream in ((out, sys.stdout), (err, sys.stderr)):
        with path.open("wb") as file:
            os.dup2(file.fileno(), stream.fileno())
    ready.send(None)
    if file_size:
        limit_files(file_size)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    if before:
        before()
    sys.argv = ["scrapy", *arguments]
    execute()
