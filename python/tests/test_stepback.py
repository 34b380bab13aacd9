"""Tests of the Python module `stepback`.

    STEPBACK=PROGRAM python python/tests/test_stepback.py

It runs the examples of the documentation, compares 1,000 random answers and whole tables with those
of the program, and reads each table with polars, pyarrow, DuckDB and pandas. A library that is not
installed is skipped with a message.
"""

import doctest
import importlib
import json
import os
import random
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import stepback

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
PROGRAM = os.environ["STEPBACK"]
QUESTIONS = 1000
TRACES = {
    "demo": None,
    "qsort": "qsort.es.tiny.tarmac",
    "amp": "amp.head.tarmac",
    "m3": "cm3.tiny.tarmac",
    "threads": "drmemtrace/threads",
    "rst": "rst/small.rst",
}
TABLES = ["steps", "register_writes", "accesses", "calls", "pcs", "markers", "threads", "runs"]
# Largest number that every JSON reader represents exactly: a greater time is a string.
EXACT_LIMIT = 1 << 53


def library(name):
    """Returns a library, or None with a message if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"skipped: there is no {name}")
        return None


def program(*arguments):
    """Returns the exit status of the program, its rows of JSON, and its errors."""
    command = [PROGRAM, *arguments, "--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=FIXTURES)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return done.returncode, rows, done.stderr


def step_json(step):
    """Returns a step as the program prints it."""
    time = step.time
    found = {
        "step": step.step,
        "line": step.line,
        "time": str(time) if time is not None and time > EXACT_LIMIT else time,
        "thread": step.thread,
        "pc": hex(step.pc),
        "executed": step.executed,
        "text": step.text,
    }
    return found | ({"remarks": step.remarks} if step.remarks else {})


def checked_hex(value):
    """Returns the text of a value, and checks its number."""
    text = value.hex
    is_known = text is not None and "?" not in text
    assert value.value == (int(text, 16) if is_known else None), (text, value.value)
    return text


def access_json(access):
    found = {
        "kind": access.kind,
        "cell": access.cell,
        "address": None if access.address is None else hex(access.address),
        "size": access.size,
        "value": checked_hex(access),
        "inferred": access.inferred,
        "decoded": access.decoded,
        "external": access.external,
    }
    return found | ({"host": access.host} if access.host else {})


def effect_json(effect):
    if isinstance(effect, stepback.RegisterWrite):
        return {"reg": effect.register, "value": checked_hex(effect)}
    if isinstance(effect, stepback.Access):
        return access_json(effect)
    if isinstance(effect, stepback.ExceptionEntry):
        return {"exception": effect.exception}
    if isinstance(effect, stepback.Note):
        return {"note": effect.text}
    return {"marker": effect.marker, "value": hex(effect.value)}


def listed_json(step):
    more = [{"more": step.more_effects}] if step.more_effects else []
    return step_json(step) | {"effects": [effect_json(effect) for effect in step.effects] + more}


def hit_json(hit):
    found = step_json(hit) | {"position": hit.position}
    found |= {"access": access_json(hit.access)} if hit.access else {}
    return found | ({"doubt": hit.doubt} if hit.doubt else {})


def first_json(found):
    if isinstance(found, stepback.Initial):
        return {"hit": None, "initial": {"line": found.line}}
    return {"hit": None if found is None else hit_json(found)}


def slice_json(row):
    if isinstance(row, stepback.SliceEnd):
        found = {"step": None, "end": row.end, "cell": row.cell, "for": row.wanted_by}
        return found | {"detail": row.detail}
    defines = [
        {"cell": defined.cell, "value": checked_hex(defined), "inferred": defined.inferred}
        for defined in row.defines
    ]
    found = step_json(row) | {"defines": defines, "why": row.why, "for": row.wanted_by}
    return found | ({"doubt": row.doubt} if row.doubt else {})


def call_json(call):
    found = {
        "depth": call.depth,
        "thread": call.thread,
        "function": hex(call.function),
        "name": call.name,
        "call_step": call.call_step,
        "entry_step": call.entry_step,
        "exit_step": call.exit_step,
        "entered": call.entered,
        "left": call.left,
        "evidence": call.evidence,
    }
    return found | ({"trap": call.trap} if call.trap is not None else {})


def plain(row):
    """Returns a row of the program with the details that the module leaves out removed."""
    if isinstance(row, dict):
        row = {key: plain(value) for key, value in row.items()}
        if isinstance(row.get("doubt"), dict):
            row["doubt"] = row["doubt"]["kind"]
        if isinstance(row.get("trap"), dict):
            row["trap"] = row["trap"]["number"]
        if isinstance(row.get("function"), dict):
            row["name"] = row["function"]["name"]
            row["function"] = row["function"]["address"]
    return row


class Traces:
    """The fixtures, opened once, and the options that open the same in the program."""

    def __init__(self, folder):
        self.open, self.options = {}, {}
        for name, path in TRACES.items():
            if path is None:
                self.open[name], self.options[name] = stepback.open_demo(), ["--demo"]
                continue
            # The fixtures get no index beside them.
            index = Path(folder) / f"{name}.sbi"
            self.open[name] = stepback.open(FIXTURES / path, index=index)
            self.options[name] = [str(FIXTURES / path), "--index", str(index)]


def setUpModule():
    global folder, traces
    folder = tempfile.TemporaryDirectory()
    traces = Traces(folder.name)


def tearDownModule():
    folder.cleanup()


class Question:
    """A random question: what the module answers, and what the program is asked."""

    def __init__(self, dice, cells):
        self.name = dice.choice(list(TRACES))
        trace, options = traces.open[self.name], traces.options[self.name]
        position = dice.randrange(len(trace) + 1)
        self.arguments, self.answer = None, None
        kind = dice.choice(["step", "state", "write", "accesses", "why"])
        cell = self.cell(dice, *cells[self.name])
        at = ["--at", str(position)]
        if kind == "step":
            count = dice.randrange(1, 4)
            self.arguments = ["list", *options, "--from", str(position), "--count", str(count)]
            self.answer = lambda: [listed_json(step) for step in trace.steps(position, count)]
        elif kind == "state":
            address, length = dice.choice(cells[self.name][1]), dice.randrange(1, 17)
            memory = ["--mem", f"{address:#x}:{length}"]
            self.arguments = ["at", *options, str(position), *memory]
            self.answer = lambda: self.state(trace.at(position), address, length)
        elif kind == "write":
            self.arguments = ["find", *options, "last-write", cell, *at]
            self.answer = lambda: [first_json(trace.last_write(cell, position))]
        elif kind == "accesses":
            search = ["next-access", cell, *at, "--all", "--limit", "3"]
            self.arguments = ["find", *options, *search]
            self.answer = lambda: self.hits(trace.accesses(cell, position=position))
        else:
            search = [cell, *at, "--limit", "4"]
            self.arguments = ["why", *options, *search]
            self.answer = lambda: [slice_json(row) for row in trace.why(cell, position, limit=4)]

    @staticmethod
    def cell(dice, registers, addresses):
        if registers and dice.random() < 0.5:
            return dice.choice(registers)
        return f"{max(dice.choice(addresses) + dice.randrange(-2, 3), 0):#x}:{dice.choice([1, 2, 4, 8])}"

    @staticmethod
    def state(state, address, length):
        for name, text in state.hex.items():
            is_known = text is not None and "?" not in text
            assert state.registers[name] == (int(text, 16) if is_known else None), name
        memory = state.memory(address, length)
        texts = ["??" if byte is None else f"{byte:02x}" for byte in memory]
        return [{
            "position": state.position,
            "registers": state.hex,
            "register_sources": state.sources,
            "bytes": " ".join(texts),
            "sources": state.memory_sources(address, length),
        }]

    @staticmethod
    def hits(rows):
        hits = (row for row in rows if isinstance(row, stepback.Hit))
        return [hit_json(hit) for hit, _ in zip(hits, range(3))]

    def expected(self):
        """Returns what the program says: whether it could, and the rows or the error."""
        status, rows, error = program(*self.arguments)
        if status != 0:
            return error
        rows = [plain(row) for row in rows]
        if self.arguments[0] == "at":
            names = ["position", "registers", "register_sources"]
            memory = {name: rows[0]["memory"][0][name] for name in ["bytes", "sources"]}
            return [{name: rows[0][name] for name in names} | memory]
        return rows

    def found(self):
        try:
            return self.answer()
        except (stepback.Error, ValueError, IndexError) as error:
            return str(error)


class Answers(unittest.TestCase):
    maxDiff = None

    def test_the_examples_of_the_documentation_run(self):
        finder = doctest.DocTestFinder()
        runner = doctest.DocTestRunner()
        for example in finder.find(stepback, "stepback"):
            runner.run(example)
        self.assertEqual(runner.failures, 0)
        self.assertGreater(runner.tries, 25)

    def test_a_thousand_random_answers_are_those_of_the_program(self):
        dice = random.Random(20261128)
        cells = {}
        for name, trace in traces.open.items():
            registers = list(trace.at("50%").registers)
            steps = list(trace.steps(0, 20000))
            accesses = (effect for step in steps for effect in step.effects)
            places = {effect.address for effect in accesses if isinstance(effect, stepback.Access)}
            cells[name] = (registers, sorted(place for place in places if place is not None))
        questions = [Question(dice, cells) for _ in range(QUESTIONS)]
        with ThreadPoolExecutor() as pool:
            expected = list(pool.map(Question.expected, questions))
        kinds = set()
        for question, expects in zip(questions, expected):
            found = question.found()
            with self.subTest(question.arguments):
                if isinstance(expects, str):
                    # The program adds how its own arguments are spelled.
                    self.assertIsInstance(found, str, expects)
                    self.assertIn(found.split(": ", 1)[1], expects)
                else:
                    self.assertEqual(found, expects)
            kinds.add((question.name, question.arguments[0]))
        self.assertEqual(len(kinds), 4 * len(TRACES))

    def test_all_calls_are_those_of_the_program(self):
        for name, trace in traces.open.items():
            with self.subTest(name):
                _, rows, _ = program("calltree", *traces.options[name])
                self.assertEqual([call_json(call) for call in trace.calls()], [plain(row) for row in rows])

    def test_the_summary_is_that_of_the_program(self):
        for name, trace in traces.open.items():
            with self.subTest(name):
                _, [row], _ = program("info", *traces.options[name])
                row["warnings"] = row["warnings"]["count"]
                info = json.loads(json.dumps(trace.info()))
                self.assertEqual(info, {key: row[key] for key in info})
                self.assertEqual(trace.threads, [thread["id"] for thread in row["threads"]])
                self.assertEqual(len(trace), row["steps"])

    def test_values_are_those_of_the_writes(self):
        trace = traces.open["demo"]
        for cell in ["x2", (0x80020340, 8), 0x80020347]:
            writes = [(hit.position, hit.access.value) for hit in trace.accesses(cell, kind="write")
                      if isinstance(hit, stepback.Hit)]
            self.assertEqual(list(trace.values(cell)), writes)
            self.assertGreater(len(writes), 1)
        *back, first = trace.accesses("x2", kind="write", direction="back")
        forward = list(trace.accesses("x2", kind="write"))
        self.assertEqual([hit.position for hit in back], [hit.position for hit in forward][::-1])
        self.assertIsInstance(first, stepback.Initial)

    def test_what_is_unknown_is_none(self):
        state = traces.open["threads"].at("50%")
        self.assertIn(None, state.registers.values())
        self.assertEqual(state.memory(8, 2), [None, None])
        self.assertEqual(state.memory_sources(8, 2), "??")

    def test_errors_are_exceptions(self):
        trace = traces.open["demo"]
        with self.assertRaises(FileNotFoundError):
            stepback.open(Path(folder.name) / "missing.tarmac")
        with self.assertRaisesRegex(stepback.Error, "README.md"):
            stepback.open(FIXTURES / "README.md")
        with self.assertRaisesRegex(IndexError, "44,?014"):
            trace.at(44014)
        with self.assertRaises(IndexError):
            trace.at(-1)
        with self.assertRaisesRegex(ValueError, "not a position"):
            trace.at("7th")
        with self.assertRaisesRegex(ValueError, "no thread"):
            trace.at(0, "cpu7")
        with self.assertRaisesRegex(ValueError, "no table"):
            trace.table("step")
        with self.assertRaisesRegex(ValueError, "direction"):
            trace.accesses("x2", direction="up")
        with self.assertRaises(ValueError):
            next(trace.accesses("x2 +"))

    def test_an_iterator_ends_early_without_a_word(self):
        for _ in range(20):
            rows = traces.open["demo"].steps()
            self.assertEqual([next(rows).step, next(rows).step], [0, 1])
            del rows


class Tables(unittest.TestCase):
    """Tables as other libraries read them."""

    def test_the_notebook_runs(self):
        if library("polars") is None:
            return
        notebook = json.loads((FIXTURES.parent / "docs/notebook.ipynb").read_text())
        names = {}
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)
        self.assertEqual(len(names["writes"]), 9)
        self.assertEqual(names["hottest"]["name"][0], "make_request")

    def test_tables_are_those_that_the_program_exports(self):
        polars = library("polars")
        if polars is None:
            return
        for name, trace in traces.open.items():
            dataset = Path(folder.name) / "dataset"
            status, _, error = program(
                "export", *traces.options[name], "--parquet", str(dataset), "--run", name)
            self.assertEqual(status, 0, error)
            for table in TABLES:
                with self.subTest(f"{name} {table}"):
                    exported = polars.read_parquet(
                        sorted((dataset / table / f"run={name}").glob("*.parquet")),
                        hive_partitioning=False)
                    found = polars.DataFrame(trace.table(table))
                    found = found.with_columns(polars.col(polars.Categorical).cast(polars.String))
                    self.assertEqual(found.columns, exported.columns)
                    self.assertTrue(found.equals(exported.cast(found.schema)))

    def test_every_library_reads_every_table(self):
        readers = {
            "polars": lambda polars, rows: polars.DataFrame(rows).height,
            "pyarrow": lambda pyarrow, rows: pyarrow.table(rows).num_rows,
            "duckdb": lambda duckdb, rows: duckdb.sql("FROM rows SELECT count(*)").fetchall()[0][0],
            "pandas": lambda pandas, rows: len(pandas.DataFrame.from_arrow(rows)),
        }
        trace = traces.open["demo"]
        for name, count in readers.items():
            found = library(name)
            if found is None:
                continue
            for table in TABLES:
                with self.subTest(f"{name} {table}"):
                    self.assertEqual(count(found, trace.table(table)), rows_of(trace, table))

    def test_a_query_reads_a_table(self):
        duckdb = library("duckdb")
        if duckdb is None:
            return
        trace = traces.open["demo"]
        steps, calls = trace.table("steps"), trace.table("calls")
        [row] = duckdb.sql(
            "SELECT calls.name, count(*) FROM steps JOIN calls ON calls.call = steps.call"
            " GROUP BY ALL ORDER BY 2 DESC LIMIT 1").fetchall()
        self.assertEqual(row, ("make_request", 13833))


def rows_of(trace, table):
    """Returns the number of rows of a table, counted by other means."""
    effects = [effect for step in trace.steps() for effect in step.effects]
    counts = {
        "steps": len(trace),
        "calls": len(list(trace.calls())),
        "accesses": sum(isinstance(effect, stepback.Access) for effect in effects),
        "pcs": len({step.pc for step in trace.steps()}),
        "threads": len(trace.threads),
        "runs": 1,
    }
    if table in counts:
        return counts[table]
    return library("pyarrow").table(trace.table(table)).num_rows


if __name__ == "__main__":
    unittest.main()
