"""Compares the answers of DuckDB, polars and Spark over exported tables with those of the program.

    engines.py PROGRAM [--update]

It exports fixtures as one dataset, asks the program 1,000 random questions with `--json` (last
writes of memory and registers, steps, calls around a step), and asks each engine the same in one
query. Then it runs the SQL of docs/guide/src/columns.md and compares what DuckDB prints with the
page; `--update` writes that into the page. An engine that is not installed is skipped with a message.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = sys.argv[1]
QUESTIONS = 1000
# Runs of the dataset. Registers of other architectures have banks or windows, whose plain names
# mean another register at another time, so only those of AArch64 are asked about.
RUNS = {
    "demo": (["--demo"], True),
    "qsort": (["qsort.es.tiny.tarmac"], False),
    "amp": (["amp.head.tarmac"], True),
    "m3": (["cm3.tiny.tarmac"], False),
    "threads": (["drmemtrace/threads"], False),
    "rst": (["rst/small.rst"], False),
}


def call(*arguments):
    """Returns what the program prints as JSON, line by line."""
    command = [PROGRAM, *arguments, "--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "fixtures")
    if done.returncode != 0:
        raise SystemExit(f"{command}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def export(folder):
    """Exports all runs into a dataset, and returns the index options of each."""
    options = {}
    for run, (trace, _) in RUNS.items():
        # The fixtures get no index next to them.
        index = [] if run == "demo" else ["--index", str(folder / f"{run}.sbi")]
        options[run] = [*trace, *index]
        call("export", *options[run], "--parquet", str(folder / "d"), "--run", run)
    return options


def questions(dice, options, db):
    """Makes random questions: each a dictionary with the run, the kind and its parameters."""
    made = []
    steps = dict(db.sql("SELECT run, steps FROM runs").fetchall())
    threads = {run: names for run, names in db.sql(
        "SELECT run, list(thread ORDER BY thread) FROM threads GROUP BY run").fetchall()}
    written = {run: cells for run, cells in db.sql(
        "SELECT run, list(address ORDER BY address) FROM"
        " (SELECT DISTINCT run, address FROM accesses WHERE size <= 64) GROUP BY run").fetchall()}
    while len(made) < QUESTIONS:
        run = dice.choice(list(options))
        position = dice.randrange(steps[run] + 1)
        kind = dice.choice(["memory", "register", "step", "stack"])
        asked = {"id": len(made), "run": run, "kind": kind, "position": position}
        if kind == "memory":
            address = dice.choice(written[run]) + dice.randrange(-2, 3)
            asked |= {"address": max(address, 0), "size": dice.choice([1, 2, 4, 8])}
        elif kind == "register":
            if not RUNS[run][1]:
                continue
            asked |= {"thread": dice.choice(threads[run]), "register": f"x{dice.randrange(31)}"}
        else:
            asked["step"] = dice.randrange(steps[run])
            asked["has_writes"] = RUNS[run][1]
        made.append(asked)
    return made


def answer(asked, options):
    """Returns the program's answer in the form in which the engines give it."""
    trace, position = options[asked["run"]], str(asked["position"])
    if asked["kind"] == "step":
        step = call("list", *trace, "--from", str(asked["step"]), "--count", "1")[0]
        writes = [effect for effect in step["effects"] if "reg" in effect]
        accesses = [effect for effect in step["effects"] if "kind" in effect]
        count = len(writes) if asked["has_writes"] else 0
        return (step["step"], int(step["pc"], 16), step["executed"], count, len(accesses))
    if asked["kind"] == "stack":
        step = call("list", *trace, "--from", str(asked["step"]), "--count", "1")[0]
        place = [str(asked["step"]), "--thread", step["thread"]]
        return (len(call("at", *trace, *place, "--stack")[0]["stack"]),)
    what = asked.get("register") or f"{asked['address']:#x}:{asked['size']}"
    thread = ["--thread", asked["thread"]] if "thread" in asked else []
    found = call("find", *trace, "last-write", what, "--at", position, *thread)[0]
    hit = found["hit"]
    if hit is None:
        return (-1,) if found.get("initial") else (None,)
    # The cell shows which of several writes of the step it is.
    return (hit["step"], int(hit["access"]["address"] or hit["access"]["value"], 16))


# One query for all questions of a kind, in SQL that DuckDB and Spark share. A line that names a bank
# in use is a row for `sp` and one for `sp_el3`; the program lists it once.
MEMORY = """
SELECT asked.id, max_by(coalesce(found.step, -1), found.position * 1000000 + found.nth) AS step,
       max_by(found.address, found.position * 1000000 + found.nth) AS address
FROM asked JOIN accesses AS found
  ON found.run = asked.run AND found.position <= asked.position
 AND found.address < asked.address + asked.size AND found.address + found.size > asked.address
WHERE asked.kind = 'memory' AND found.kind = 'write'
GROUP BY asked.id"""
REGISTER = """
SELECT asked.id, max_by(coalesce(found.step, -1), found.position * 1000000 + found.nth) AS step,
       max_by(found.value, found.position * 1000000 + found.nth) AS value
FROM asked JOIN register_writes AS found
  ON found.run = asked.run AND found.position <= asked.position
 AND found.thread = asked.thread AND found.register = asked.register
WHERE asked.kind = 'register'
GROUP BY asked.id"""
STEP = """
SELECT asked.id, steps.step, steps.pc, steps.executed,
       CASE WHEN asked.has_writes THEN coalesce(writes.count, 0) ELSE 0 END AS writes,
       coalesce(touches.count, 0) AS accesses
FROM asked JOIN steps ON steps.run = asked.run AND steps.step = asked.step
LEFT JOIN (
    SELECT run, step, count(*) AS count FROM register_writes
    WHERE register NOT LIKE 'sp_el%' GROUP BY run, step) AS writes
  ON writes.run = asked.run AND writes.step = asked.step
LEFT JOIN (SELECT run, step, count(*) AS count FROM accesses GROUP BY run, step) AS touches
  ON touches.run = asked.run AND touches.step = asked.step
WHERE asked.kind = 'step'"""
STACK = """
SELECT asked.id, steps.depth + 1 AS frames
FROM asked JOIN steps ON steps.run = asked.run AND steps.step = asked.step
WHERE asked.kind = 'stack'"""
FIELDS = ["id", "run", "kind", "position", "address", "size", "thread", "register", "step", "has_writes"]


def compare(engine, rows, made, expected):
    """Fails unless the rows of an engine are the expected answers."""
    found = {row[0]: tuple(int(cell) for cell in row[1:]) for row in rows}
    # The program gives no value of a state before the first step.
    found = {number: (-1,) if answer[0] == -1 else answer for number, answer in found.items()}
    wrong = 0
    for asked in made:
        here = found.get(asked["id"], (None,))
        if here != expected[asked["id"]]:
            wrong += 1
            print(f"{engine}: {asked}: {here}, the program says {expected[asked['id']]}")
    if wrong:
        raise SystemExit(f"{engine}: {wrong} of {len(made)} answers differ")
    print(f"ok: {engine} gives the same {len(made)} answers as the program")


def of_duckdb(db):
    return [row for query in (MEMORY, REGISTER, STEP, STACK) for row in db.sql(query).fetchall()]


def of_polars(folder, made):
    import polars as pl

    def table(name):
        return pl.scan_parquet(folder / name, hive_partitioning=True)

    position = (pl.col("step").fill_null(-1) + 1 + pl.col("late")).alias("position")
    asked = pl.LazyFrame([{name: row.get(name) for name in FIELDS} for row in made],
                         schema_overrides={"address": pl.UInt64, "has_writes": pl.Boolean,
                                           "thread": pl.String, "register": pl.String},
                         infer_schema_length=None)

    def last(name, kind, keys, condition, shown):
        found = table(name).with_columns(position)
        found = found.join(asked.filter(pl.col("kind") == kind).drop("step"),
                           on=["run", *keys], suffix="_asked")
        found = found.filter((pl.col("position") <= pl.col("position_asked")) & condition)
        found = found.sort("position", "nth").group_by("id", maintain_order=True)
        return found.agg(pl.col("step").fill_null(-1).last(), pl.col(shown).last()).collect().rows()

    end, end_asked = pl.col("address") + pl.col("size"), pl.col("address_asked") + pl.col("size_asked")
    overlaps = (pl.col("address") < end_asked) & (end > pl.col("address_asked"))
    memory = last("accesses", "memory", [], overlaps & (pl.col("kind") == "write"), "address")
    register = last("register_writes", "register", ["thread", "register"], pl.lit(True), "value")

    def count(name):
        rows = table(name)
        if name == "register_writes":
            rows = rows.filter(~pl.col("register").str.starts_with("sp_el"))
        return rows.group_by("run", "step").len(name)

    steps = table("steps").join(asked.filter(pl.col("kind") == "step"), on=["run", "step"])
    for name in ("register_writes", "accesses"):
        steps = steps.join(count(name), on=["run", "step"], how="left")
    writes = pl.when("has_writes").then(pl.col("register_writes").fill_null(0)).otherwise(0)
    step = steps.select("id", "step", "pc", "executed", writes, pl.col("accesses").fill_null(0))
    stack = table("steps").join(asked.filter(pl.col("kind") == "stack"), on=["run", "step"])
    stack = stack.select("id", pl.col("depth") + 1)
    return memory + register + step.collect().rows() + stack.collect().rows()


def of_spark(folder, made, master):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "4")
    spark = spark.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.conf.set("stepback", str(folder))
    for statement in (folder / "views.spark.sql").read_text().split(";\n"):
        if statement.strip():
            spark.sql(statement)
    schema = ("id INT, run STRING, kind STRING, position LONG, address DECIMAL(20, 0), size LONG,"
              " thread STRING, register STRING, step LONG, has_writes BOOLEAN")
    from decimal import Decimal

    def cell(row, name):
        value = row.get(name)
        return Decimal(value) if name == "address" and value is not None else value

    rows = [tuple(cell(row, name) for name in FIELDS) for row in made]
    spark.createDataFrame(rows, schema).createOrReplaceTempView("asked")
    found = [tuple(row) for query in (MEMORY, REGISTER, STEP, STACK) for row in spark.sql(query).collect()]
    # Each function of the views answers.
    for query in (
        "SELECT * FROM hottest_functions LIMIT 3",
        "SELECT * FROM hottest_instructions LIMIT 3",
        "SELECT * FROM values_of('demo', address('80020340'), 8)",
        "SELECT * FROM last_write('demo', address('0x80020340'), 8, 30000)",
        "SELECT * FROM last_register_write('demo', 'cpu0', 'x2', 44013)",
        "SELECT * FROM first_writers('demo', 4096)",
        "SELECT * FROM stack_at('demo', 20340)",
        "SELECT * FROM callers_of_writers('demo', address('80020340'), 8)",
        "SELECT * FROM written_before(address('80020340'), 8, address('80020348'), 8)",
        "SELECT * FROM divergence('demo', 'amp')",
    ):
        if not spark.sql(query).collect():
            raise SystemExit(f"Spark: {query}: no row")
    spark.stop()
    return found


def run_page(folder, db):
    """Runs the SQL of the guide's page, and compares what DuckDB prints with it; then its Python."""
    page = ROOT / "docs/guide/src/columns.md"
    text = page.read_text()

    def printed(block):
        result = db.sql(block[1])
        cells = [[str(cell) for cell in row] for row in [result.columns, *result.fetchall()]]
        widths = [max(len(row[place]) for row in cells) for place in range(len(cells[0]))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells]
        return f"```sql\n{block[1]}```\n```text\n" + "\n".join(lines) + "\n```\n"

    now = re.sub(r"```sql\n(.*?)```\n```text\n.*?```\n", printed, text, flags=re.DOTALL)
    if "--update" in sys.argv:
        page.write_text(now)
    elif now != text:
        raise SystemExit(f"{page}: the SQL prints something else today: --update writes it")
    print(f"ok: the SQL of {page.name} prints what the page says")
    # The Python of the page runs where the dataset is named as there; Spark ran before.
    os.chdir(folder)
    names = {}
    for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        if "spark" not in block:
            exec(block, names)
    print(f"ok: the Python of {page.name} runs")


def read_profile(folder):
    """Lets gprof2dot, which draws callgrind files, read one."""
    try:
        import gprof2dot
    except ImportError:
        print("skipped: gprof2dot is not installed")
        return
    file = folder / "demo.callgrind"
    subprocess.run([PROGRAM, "profile", "--demo", "--to", "callgrind", "-o", file, "--quiet"], check=True)
    with open(file) as lines:
        profile = gprof2dot.CallgrindParser(lines).parse()
    expected = {row["symbol"] or f"{int(row['address'], 16):#x}" for row in call("profile", "--demo")[0]}
    found = {function.name for function in profile.functions.values()}
    if found != expected:
        raise SystemExit(f"gprof2dot: {found ^ expected}")
    print(f"ok: gprof2dot reads the {len(found)} functions of the profile")


def main():
    import duckdb

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        options = export(folder)
        db = duckdb.connect()
        db.execute(f"SET VARIABLE stepback = '{folder}/d'")
        db.execute((folder / "d/views.sql").read_text())
        made = questions(random.Random(os.environ.get("STEPBACK_SEED", "1")), options, db)
        with ThreadPoolExecutor(4) as pool:
            answers = pool.map(lambda asked: answer(asked, options), made)
            expected = {asked["id"]: found for asked, found in zip(made, answers)}
        db.execute("CREATE TABLE asked (id INTEGER, run VARCHAR, kind VARCHAR, position BIGINT,"
                   " address UBIGINT, size BIGINT, thread VARCHAR, register VARCHAR, step BIGINT,"
                   " has_writes BOOLEAN)")
        db.executemany("INSERT INTO asked VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                       [[row.get(name) for name in FIELDS] for row in made])
        compare("DuckDB", of_duckdb(db), made, expected)
        try:
            compare("polars", of_polars(folder / "d", made), made, expected)
        except ImportError:
            print("skipped: polars is not installed")
        try:
            import pyspark
        except ImportError:
            print("skipped: PySpark is not installed")
        else:
            for master in os.environ.get("STEPBACK_SPARK", "local[2]").split():
                rows = of_spark(folder / "d", made, master)
                compare(f"Spark {pyspark.__version__} ({master})", rows, made, expected)
        for run in ("first", "second"):
            call("export", "--demo", "--parquet", str(folder / "traces"), "--run", run, "--sorted")
        db.execute(f"SET VARIABLE stepback = '{folder}/traces'")
        read_profile(folder)
        run_page(folder, db)


main()
