"""Every engine maps, tells what is wrong with which item, and works on again where a worker was lost."""

from __future__ import annotations

import importlib
import os
import pickle
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import bytepair as bp
from bytepair.errors import EngineError, TextError
from bytepair.scale.engines import local, opened
from bytepair.scale.engines.interrupts import put_off
from bytepair.scale.engines.local import Local
from bytepair.scale.engines.on_spark import Spark, _started
from scale.running import ENGINES, run_on
from scale.working import Large, Task, work


@pytest.mark.parametrize("name", ENGINES)
def test_every_item_gives_its_result(name: Any) -> None:
    tasks = [Task(f"t{number}", "prints") for number in range(7)]
    with opened(name, **run_on(name)) as engine:
        assert sorted(engine.map(work, tasks)) == [(number, f"T{number}") for number in range(7)]
        assert list(engine.map(work, [])) == []
        assert list(engine.map(work, tasks[:1])) == [(0, "T0")]


@pytest.mark.parametrize("name", ENGINES)
def test_a_function_is_not_sent_with_each_item(name: Any) -> None:
    """It may hold a tokenizer of megabytes: what is sent does not grow with the items."""
    with opened(name, **run_on(name)) as engine:
        before = Large.packed
        assert len(list(engine.map(Large(), [Task("t")]))) == 1
        once = Large.packed - before
        assert len(list(engine.map(Large(), [Task(f"t{number}") for number in range(20)]))) == 20
        assert Large.packed - before - once == once
        assert once > 0


ERRORS = [
    ("text error", TextError, "`bad`: line 3 is no JSON\nhint: mend it"),
    ("placed error", TextError, "file `x`, line 3 is no JSON\nhint: mend it"),
    ("own file", PermissionError, "[Errno 13] Permission denied: 'bad'"),
    ("other file", EngineError, "`bad`: permission denied: `/out/1`\nhint: see what"),
    ("system error", OSError, "[Errno 5] Input/output error: 'bad'"),
    ("full disk", EngineError, "`bad`: no space left on device: `out/x.bin`\nhint: make room there, and try again"),
    ("broken pipe", EngineError, "`bad`: Broken pipe\nhint: try again"),  # one of the driver's would be no failure
    ("gone", EngineError, "`bad`: there is no file `x`\nhint: check the path"),
    ("library error", EngineError, "`bad`: AWS Error NETWORK_CONNECTION during GetObject\nhint: try again"),
    ("defect", TypeError, "can only concatenate str"),
    ("odd error", EngineError, "`bad`: _OddError: odd 1 2\nhint: try again"),  # as of a library of some file system
    ("odd defect", RuntimeError, "OddDefect: odd 1 2"),
]


@pytest.mark.parametrize("name", ENGINES)
def test_an_error_is_raised_as_it_was_and_names_its_item(name: Any) -> None:
    """Whatever the item is called: the text of an error does not say if it names it."""
    with opened(name, **run_on(name)) as engine:
        for does, kind, text in ERRORS:
            with pytest.raises(kind) as problem:
                list(engine.map(work, [Task("good"), Task("bad", does), Task("fine")]))
            assert str(problem.value).startswith(text)
            if does == "defect":
                notes = "".join(problem.value.__notes__)
                assert "return task.name + 3" in notes
                assert "while working on `bad`" in notes
        assert sorted(engine.map(work, [Task("good")])) == [(0, "GOOD")]  # it goes on


@pytest.mark.parametrize("called", ["3", "e", "is no JSON", "`"])
def test_an_item_whose_name_stands_in_an_error_by_chance(called: str) -> None:
    with opened("local", workers=1) as engine, pytest.raises(TextError) as problem:
        list(engine.map(work, [Task(called, "text error")]))
    assert str(problem.value) == f"`{called}`: line 3 is no JSON\nhint: mend it"
    assert problem.value.place == called


WITHOUT = """
from scale.working import Task, work
from bytepair.scale.engines import local, opened
with opened("local", workers=2) as engine:
    print(sorted(engine.map(work, [Task("a", "prints"), Task("b")])))
"""


@pytest.mark.parametrize("closed", ["2>&-", "<&- 2>&-", "2>/dev/full"])
def test_a_driver_without_stderr(closed: str) -> None:
    """What a worker prints goes nowhere, and is in no file that is opened."""
    command = f"exec {shlex.quote(sys.executable)} -c {shlex.quote(WITHOUT)} {closed}"
    paths = {"PYTHONPATH": ":".join(filter(None, sys.path))}
    done = subprocess.run(["/bin/sh", "-c", command], stdout=subprocess.PIPE, env=paths, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "[(0, 'A'), (1, 'B')]\n")


@pytest.mark.parametrize("name", ENGINES)
def test_a_lost_worker_loses_nothing(name: Any, tmp_path: Path) -> None:
    tasks = [
        Task(f"t{number}", "dies once" if number in {1, 4} else "nothing", str(tmp_path / f"mark{number}"))
        for number in range(6)
    ]
    with opened(name, **run_on(name)) as engine:
        assert sorted(engine.map(work, tasks)) == [(number, f"T{number}") for number in range(6)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mark1", "mark4"]


@pytest.mark.parametrize("name", ["local", *(pytest.param(name, marks=pytest.mark.soak) for name in ENGINES[1:])])
def test_an_item_that_kills_its_workers_ends_the_job(name: Any) -> None:
    with (
        opened(name, **run_on(name)) as engine,
        pytest.raises(EngineError, match="`deadly`: its worker was lost 4 times"),
    ):
        list(engine.map(work, [Task("good"), Task("deadly", "dies"), Task("fine")]))


def test_what_cannot_be_sent_is_an_error() -> None:
    with opened("local", workers=1) as engine:
        with pytest.raises(Exception, match=r"pickle|local object"):
            list(engine.map(lambda task: task.name, [Task("a")]))
        with pytest.raises(Exception, match=r"pickle|local object"):
            list(engine.map(work, [Task("a", "odd result")]))


def test_a_job_that_is_given_up_leaves_no_worker() -> None:
    with opened("local", workers=2) as engine:
        results = engine.map(work, [Task("quick"), Task("slow", "sleeps"), Task("slow", "sleeps")])
        assert next(results) == (0, "QUICK")
        results.close()  # type: ignore[attr-defined]
        assert isinstance(engine, Local)
        assert [worker._process for worker in engine._workers] == [None, None]  # noqa: SLF001
        assert list(engine.map(work, [Task("again")])) == [(0, "AGAIN")]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT for one process")
def test_ctrl_c_is_for_the_driver(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """A terminal gives Ctrl-C to all processes: no worker says anything of it, whether it runs or starts."""
    started: list[Any] = []

    class Interrupted(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **settings: Any) -> None:
            super().__init__(*arguments, **settings)
            self.send_signal(signal.SIGINT)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    with opened("local", workers=2) as engine:
        for _ in range(2):
            assert sorted(engine.map(work, [Task("a"), Task("b")])) == [(0, "A"), (1, "B")]
            for process in started:
                process.send_signal(signal.SIGINT)
    assert len(started) == 2
    assert capfd.readouterr().err == ""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT for one process")
def test_ctrl_c_waits_for_what_starts() -> None:
    """It is raised when that is there, and what was started never hears of it."""
    done = []

    def interrupted(*, fails: bool) -> None:
        with put_off():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
            done.append(fails)
            if fails:
                raise RuntimeError("what is interrupted fails, as it may")

    for fails in (False, True):
        with pytest.raises(KeyboardInterrupt):
            interrupted(fails=fails)
    assert done == [False, True]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with put_off():
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    child.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(0.3)
    child.kill()
    child.wait()
    thread = threading.Thread(target=lambda: done.append(put_off().__enter__() is None))
    thread.start()
    thread.join()
    assert done[-1] is True


DRIVER = """
import os
from scale.working import Task, work
from bytepair.scale.engines import local, opened
with opened("local", workers=2) as engine:
    for _ in engine.map(work, [Task("a"), Task("b"), Task("slow", "sleeps"), Task("slow", "sleeps")]):
        print(*(worker._process.pid for worker in engine._workers), flush=True)
"""


def test_workers_end_with_their_driver() -> None:
    psutil = pytest.importorskip("psutil")
    paths = {"PYTHONPATH": ":".join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, "-c", DRIVER], stdout=subprocess.PIPE, env=paths, text=True) as driver:
        assert driver.stdout is not None
        driver.stdout.readline()
        workers = [psutil.Process(int(pid)) for pid in driver.stdout.readline().split()]
        assert len(workers) == 2
        driver.kill()
    _, alive = psutil.wait_procs(workers, timeout=30)
    assert alive == []


@pytest.mark.parametrize("cut", [0, 1, 20, -1])
def test_a_worker_ends_with_its_pipe(cut: int) -> None:
    """Wherever in a message that ends: a driver may be killed while it writes one."""
    paths, message = pickle.dumps(sys.path), pickle.dumps((b"function" * 1000, b"item"))
    command = [sys.executable, "-P", "-c", local._START]  # noqa: SLF001
    done = subprocess.run(command, input=paths + message[:cut], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize(
    ("settings", "kind", "text"),
    [
        ({"name": "slurm"}, ValueError, 'engine is \'slurm\'\nhint: it is one of "local", "ray", "spark", "dask"'),
        ({"name": "local", "address": "auto"}, ValueError, "address is 'auto', but"),
        ({"name": "local", "workers": 0}, ValueError, "workers is 0"),
    ],
)
def test_wrong_settings(settings: dict[str, Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as problem:
        opened(settings.pop("name"), **settings)
    assert str(problem.value).startswith(text)


@pytest.mark.parametrize(("name", "module"), [("ray", "ray"), ("spark", "pyspark"), ("dask", "distributed")])
def test_an_engine_that_is_not_installed(name: Any, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError) as problem:
        opened(name)
    assert str(problem.value).endswith(f"hint: pip install 'bytepair[{name}]'")


def test_spark_without_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(EngineError, match='engine="spark" needs Java'):
        _started(None, 1, None)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "nowhere.invalid:6379", "127.0.0.1:99999"])
def test_a_ray_that_is_not_there(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not waited for."""
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", lambda *_, **__: pytest.fail("Ray would try for minutes"))
    with pytest.raises(
        EngineError, match=f"^Ray at `{re.escape(address)}` cannot be reached: .*\nhint: check address="
    ):
        opened("ray", address=address)


@pytest.mark.parametrize("fails", ["broadcast", "setJobGroup"])
def test_a_spark_that_has_ended(fails: str) -> None:
    """It cannot be told to end the job either; what it says is an error of the engine, and no defect."""
    pytest.importorskip("pyspark")
    error = importlib.import_module("py4j.protocol").Py4JError

    class Ended:
        def broadcast(self, value: object) -> object:
            self.setJobGroup("broadcast")
            return value

        def accumulator(self, value: list[object], _: object) -> SimpleNamespace:
            return SimpleNamespace(value=value)

        def setJobGroup(self, group: str, *_: object, **__: object) -> None:  # noqa: N802 - Spark's name
            if (group == "broadcast") == (fails == "broadcast"):
                raise error("Cannot call methods on a stopped SparkContext.")

        def cancelJobGroup(self, _: str) -> None:  # noqa: N802 - Spark's name
            raise error("Cannot call methods on a stopped SparkContext.")

    engine = object.__new__(Spark)
    engine._context, engine._pyspark = Ended(), importlib.import_module("pyspark")
    with pytest.raises(EngineError, match="Spark has given the job up: Cannot call methods on a stopped"):
        list(engine.map(work, [Task("a")]))


def test_another_version_is_refused() -> None:
    from bytepair.scale.engines.guarded import Guarded, unguarded  # noqa: PLC0415

    other = Guarded(work, version="0.0.0")
    with pytest.raises(EngineError, match=rf"a worker has bytepair {bp.__version__}, and the driver 0\.0\.0"):
        unguarded(Task("a"), other(Task("a")))


@pytest.mark.soak
@pytest.mark.parametrize("name", ["dask", "ray"])
def test_an_engine_of_its_own(name: Any) -> None:
    """Started for the job, in a process of its own, since here one runs already."""
    run_on(name)
    script = f"""
from scale.working import Task, work
from bytepair.scale.engines import local, opened
if __name__ == "__main__":
    with opened({name!r}, workers=1) as engine:
        print(list(engine.map(work, [Task("a")])))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[(0, 'A')]"
