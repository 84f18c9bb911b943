"""deploy/: every file is read by a parser, and what the containers run is run here, without containers."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from subprocess import PIPE
from typing import Any
from urllib.parse import quote

import pytest
import yaml
from sqlalchemy import select

from crawler.database.database import Database
from crawler.database.schema import fetches
from tests.conftest import LOOPBACK, ROOT
from tests.postgres import PASSWORD
from tests.steps.conftest import write_warc
from tests.test_readme import options_of

DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
RAY: dict[str, Any] = yaml.safe_load((DEPLOY / "ray.yaml").read_text(encoding="utf-8"))
KUBERNETES: list[dict[str, Any]] = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8")))
OURS = {name: service for name, service in COMPOSE["services"].items() if "build" in service}
KNOWN = "FROM WORKDIR COPY RUN ENV USER VOLUME HEALTHCHECK STOPSIGNAL ENTRYPOINT CMD"


def dockerfile() -> list[tuple[str, str]]:
    """Instruction and value, of lines as Docker joins them."""
    text = re.sub(r"^#.*\n", "", (DEPLOY / "Dockerfile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = filter(None, text.replace("\\\n", " ").splitlines())
    return [(name, value) for name, _, value in (line.partition(" ") for line in lines)]


def pods() -> Iterator[dict[str, Any]]:
    for part in KUBERNETES:
        spec = part.get("spec", {})
        template = spec.get("jobTemplate", {}).get("spec", spec).get("template")
        if template:
            yield template["spec"]


def commands() -> dict[str, list[str]]:
    """Arguments of `zhuti`, by the file and part that give them."""
    found = {f"compose {name}": service["command"] for name, service in OURS.items()}
    found |= {f"pod {n}": pod["containers"][0]["args"] for n, pod in enumerate(pods())}
    unit = (DEPLOY / "zhuti-worker@.service").read_text(encoding="utf-8")
    found["unit"] = shlex.split(re.findall(r"^ExecStart=(.*)$", unit, re.MULTILINE)[0])[1:]
    return found


def test_dockerfile() -> None:
    found = dockerfile()
    assert {name for name, _ in found} <= set(KNOWN.split())
    for name, value in found:
        if name == "COPY" and not value.startswith("--from"):
            assert all((ROOT / source).exists() for source in value.split()[:-1]), value
    last = max(place for place, (name, _) in enumerate(found) if name == "FROM")
    stage = dict(found[last:])
    assert stage["USER"] not in ("root", "0")
    assert "HEALTHCHECK" in stage
    assert stage["ENTRYPOINT"] == '["zhuti"]'


def test_health_check(tmp_path: Path) -> None:
    """It fails where no harvest at, and succeeds where there is one."""
    from crawler.database.database import Database

    check = dict(dockerfile())["HEALTHCHECK"].partition("CMD ")[2]
    _, *arguments = yaml.safe_load(check)
    environment = {"STORE_URL": f"sqlite:///{tmp_path / 'harvest.db'}", "PYTHONPATH": str(ROOT)}
    statuses = []
    for _ in range(2):
        statuses.append(subprocess.run([sys.executable, *arguments], env=environment, capture_output=True).returncode)
        Database(environment["STORE_URL"]).close()
    assert statuses == [1, 0]


@pytest.mark.parametrize("place", commands())
def test_commands_exist(place: str) -> None:
    name, *rest = commands()[place]
    if name == "harvest" and not (ROOT / "crawler" / "commands" / "harvest.py").exists():
        pytest.skip("the command comes with schedules")
    known = options_of(import_module(f"crawler.commands.{name}").Command())
    assert {word for word in rest if word.startswith("--")} <= known


@pytest.mark.parametrize("made", [COMPOSE, RAY], ids=["compose", "ray"])
def test_compose(made: dict[str, Any]) -> None:
    assert set(made) <= {"name", "services", "volumes", "x-zhuti", "x-node"}
    for name, service in made["services"].items():
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert source.startswith("./") or source in made["volumes"], name
        for other in service.get("depends_on", {}):
            assert "healthcheck" in made["services"][other]
        assert service["restart"] in ("on-failure:3", "unless-stopped", "no")
    build = made["services"]["worker"]["build"]
    assert (DEPLOY / build["context"] / build.get("dockerfile", "deploy/corpus.py")).is_file()


def test_a_corpus_on_ray(tmp_path: Path) -> None:
    """The script of deploy/ray.yaml as a process, with a cluster of this machine."""
    pytest.importorskip("ray")
    write_warc(tmp_path / "warc" / "1.warc.gz", {"https://a.example/1": "<h1>集合</h1>".encode()})
    environment = {**os.environ, "PLACE": str(tmp_path), "TASKS": "2"}
    subprocess.run([sys.executable, str(DEPLOY / "corpus.py"), "java"], env=environment, check=True, timeout=300)
    assert len(list((tmp_path / "logs" / "completions").iterdir())) == 2


ZHUTI = (sys.executable, "-c", "from crawler.main import main; main()")


def project(folder: Path, seeds: str) -> Path:
    """What `zhuti init` makes, with a topic file for each of the services."""
    subprocess.run([*ZHUTI, "init", str(folder)], cwd=ROOT, check=True, capture_output=True)
    java = (ROOT / "topics" / "java.toml").read_text(encoding="utf-8")
    (folder / "topics" / "java.toml").write_text(f'seeds = ["{seeds}"]\n{java}', encoding="utf-8")
    return folder


def shown_to_others(process: subprocess.Popen[str]) -> str:
    """The command lines of the process and of its children, as `ps` shows them, once its program has taken the place of
    this one."""
    while "crawler.main" not in Path(f"/proc/{process.pid}/cmdline").read_text() and process.poll() is None:
        time.sleep(0.01)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return "".join(Path(f"/proc/{pid}/cmdline").read_text() for pid in (str(process.pid), *children))


@pytest.mark.parametrize("place", ["compose worker", "pod 0", "unit"])
def test_two_workers_as_they_are_deployed(place: str, postgres_url: str, site: str, tmp_path: Path) -> None:
    """The command line and the environment of each, in a project of `zhuti init`, against a real PostgreSQL: they crawl
    into one database, and nobody sees its password."""
    command = [re.sub(r"^topic=.+", "topic=java", word) for word in commands()[place]]
    command = command[: command.index("-s")] if "-s" in command else command  # METRICS_PORT would be taken twice here
    folder = project(tmp_path / "my-harvest", site)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "STORE_URL": postgres_url}
    workers = [
        subprocess.Popen(
            [*ZHUTI, *command, *LOOPBACK], cwd=folder, env=environment, stdout=PIPE, stderr=PIPE, text=True
        )
        for _ in range(2)
    ]
    shown = [shown_to_others(worker) for worker in workers]
    ended = [worker.communicate(timeout=200) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0], ended
    assert all(command[0] in line for line in shown)
    for told in (*shown, *(text for pair in ended for text in pair)):
        assert (
            PASSWORD not in told and quote(PASSWORD, safe="") not in told and "***@" not in told.partition("Next:")[2]
        )
    assert not (folder / "data" / "harvest.db").exists()
    database = Database(postgres_url)
    with database.transaction() as connection:
        outcomes = connection.execute(select(fetches.c.outcome).where(fetches.c.outcome == "kept")).all()
    database.close()
    assert len(outcomes) == 2, "the two posts, once"


def test_a_project_that_names_another_database_says_so(tmp_path: Path) -> None:
    folder = project(tmp_path / "my-harvest", "http://a.example/")
    with (folder / "settings.py").open("a", encoding="utf-8") as file:
        file.write('STORE_URL = "sqlite:///mine.db"\n')
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "STORE_URL": f"postgresql://me:{PASSWORD}@db.example/zhuti"}
    done = subprocess.run([*ZHUTI, "topics"], cwd=folder, env=environment, capture_output=True, text=True)
    assert "sqlite:///mine.db, as settings.py says, not postgresql://me:***@db.example/zhuti" in done.stderr
    assert PASSWORD not in done.stderr


def test_kubernetes() -> None:
    assert [part["kind"] for part in KUBERNETES] == ["Secret", "ConfigMap", "Job", "CronJob"]
    assert {part["metadata"]["namespace"] for part in KUBERNETES} == {"zhuti"}
    secret, config = KUBERNETES[:2]
    for pod in pods():
        assert pod["securityContext"]["runAsNonRoot"]
        volumes = {volume["name"] for volume in pod["volumes"]}
        for container in (*pod["initContainers"], *pod["containers"]):
            assert {mount["name"] for mount in container["volumeMounts"]} <= volumes
        given = {variable["name"]: variable for variable in pod["containers"][0]["env"]}
        assert set(re.findall(r"\$\((\w+)\)", str(pod["containers"][0]["args"]))) == set(given) - {"STORE_URL"}
        variable = given["STORE_URL"]
        assert variable["valueFrom"]["secretKeyRef"]["name"] == secret["metadata"]["name"]
        assert variable["valueFrom"]["secretKeyRef"]["key"] in secret["stringData"]
        assert config["metadata"]["name"] in str(pod["volumes"])


def test_the_topic_of_the_config_map(tmp_path: Path) -> None:
    from crawler.topic.files import Topic

    for name, text in KUBERNETES[1]["data"].items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert Topic.load(tmp_path / name).seeds


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_systemd_units(tmp_path: Path) -> None:
    """Those of deploy/, and those that `zhuti init` writes."""
    from crawler.tell import command

    units = [*DEPLOY.glob("*.service"), *(Path(command.__file__).parent / "project").glob("zhuti.*")]
    for unit in units:
        text = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", unit.read_text(encoding="utf-8"), flags=re.MULTILINE)
        text = text.replace("$folder", str(tmp_path)).replace("$name", "mine")
        (tmp_path / unit.name.replace("@", "@a")).write_text(text, encoding="utf-8")
    files = sorted(str(path) for path in tmp_path.iterdir() if path.suffix in (".service", ".timer"))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", *files], capture_output=True, text=True)
    assert [line for line in done.stderr.splitlines() if str(tmp_path) in line] == []
