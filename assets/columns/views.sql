-- Views and functions over a dataset of traces, for DuckDB. In the directory of the dataset:
--     duckdb -init views.sql
-- From elsewhere, or in Python, name the directory first (an object store works too):
--     SET VARIABLE stepback = 's3://traces/nightly';
-- Addresses may be numbers or text: last_write('boot', '0x80020340', 8, 30000).
-- A position n is after step n - 1 and before step n, as in `stepback help positions`.

SET VARIABLE stepback = coalesce(getvariable('stepback'), '.');

-- The tables. An effect is visible from `position` on.

CREATE OR REPLACE VIEW runs AS SELECT * FROM read_parquet(
    getvariable('stepback') || '/runs/*/*.parquet',
    hive_partitioning = true, hive_types_autocast = false, union_by_name = true);
CREATE OR REPLACE VIEW threads AS SELECT * FROM read_parquet(
    getvariable('stepback') || '/threads/*/*.parquet',
    hive_partitioning = true, hive_types_autocast = false);
CREATE OR REPLACE VIEW steps AS SELECT * FROM read_parquet(
    getvariable('stepback') || '/steps/*/*.parquet',
    hive_partitioning = true, hive_types_autocast = false);
CREATE OR REPLACE VIEW pcs AS SELECT * FROM read_parquet(
    getvariable('stepback') || '/pcs/*/*.parquet',
    hive_partitioning = true, hive_types_autocast = false);
CREATE OR REPLACE VIEW register_writes AS
SELECT *, coalesce(step + 1, 0) + late AS position FROM read_parquet(
    getvariable('stepback') || '/register_writes/*/*.parquet',
    hive_partitioning = true, hive_types_autocast = false);
CREATE OR REPLACE VIEW accesses AS
SELECT *, coalesce(step + 1, 0) + late AS position FROM read_parquet(
    getvariable('stepback') || '/accesses/*/*.parquet',
    hive_partitioning = true, hive_types_autocast = false);
CREATE OR REPLACE VIEW calls AS SELECT * FROM read_parquet(
    getvariable('stepback') || '/calls/*/*.parquet',
    hive_partitioning = true, hive_types_autocast = false);
CREATE OR REPLACE VIEW markers AS
SELECT *, coalesce(step + 1, 0) + late AS position FROM read_parquet(
    getvariable('stepback') || '/markers/*/*.parquet',
    hive_partitioning = true, hive_types_autocast = false);

-- Where the time goes.

-- Steps of each function itself, without its callees.
CREATE OR REPLACE VIEW hottest_functions AS
SELECT run, pcs.function, any_value(pcs.name) AS name, sum(hits.steps) AS steps
FROM (SELECT run, pc, variant, count(*) AS steps FROM steps GROUP BY ALL) AS hits
JOIN pcs USING (run, pc, variant)
GROUP BY run, pcs.function
ORDER BY steps DESC;

-- Executions of each instruction.
CREATE OR REPLACE VIEW hottest_instructions AS
SELECT run, pc, variant, hits.steps, pcs.text, pcs.name, pcs.file, pcs.source_line
FROM (SELECT run, pc, variant, count(*) AS steps FROM steps GROUP BY ALL) AS hits
JOIN pcs USING (run, pc, variant)
ORDER BY hits.steps DESC;

-- Memory. All processes of a run count as one memory: filter by thread where there are several.

-- Accesses that share a byte with `size_` bytes at `address_`. The first part lets DuckDB skip row
-- groups by their lowest and highest address; the second has the few longer accesses.
CREATE OR REPLACE MACRO accesses_of(run_, address_, size_) AS TABLE
SELECT * FROM accesses
WHERE run = run_
  AND address >= greatest(address_::UBIGINT, 63) - 63
  AND address::HUGEINT < address_::UBIGINT::HUGEINT + size_
  AND address::HUGEINT + size > address_::UBIGINT
  AND size <= 64
UNION ALL
SELECT * FROM accesses
WHERE run = run_
  AND address::HUGEINT < address_::UBIGINT::HUGEINT + size_
  AND address::HUGEINT + size > address_::UBIGINT
  AND size > 64;

-- All values of a cell: its writes in order, with the instruction and function.
CREATE OR REPLACE MACRO values_of(run_, address_, size_) AS TABLE
SELECT found.step, found.position, found.nth, found.thread, found.address, found.size, found.value,
       found.provenance, steps.pc, pcs.text, pcs.name, steps.call
FROM (FROM accesses_of(run_, address_, size_) WHERE kind = 'write') AS found
LEFT JOIN steps ON steps.run = run_ AND steps.step = found.step
LEFT JOIN pcs ON pcs.run = run_ AND pcs.pc = steps.pc AND pcs.variant = steps.variant
ORDER BY found.position, found.nth;

-- The last write of a cell before a position.
CREATE OR REPLACE MACRO last_write(run_, address_, size_, position_) AS TABLE
SELECT * FROM accesses_of(run_, address_, size_)
WHERE kind = 'write' AND position <= position_
  AND (step < position_ OR step IS NULL) -- follows from the rest, and skips row groups
ORDER BY position DESC, nth DESC
LIMIT 1;

-- The last write of a register of a thread before a position. `w3` is a part of `x3`.
CREATE OR REPLACE MACRO last_register_write(run_, thread_, register_, position_) AS TABLE
SELECT * FROM register_writes
WHERE run = run_ AND thread = thread_ AND register = register_ AND position <= position_
  AND (step < position_ OR step IS NULL) -- follows from the rest, and skips row groups
ORDER BY position DESC, nth DESC
LIMIT 1;

-- The first write into each page of memory; a write counts for the page of its lowest address.
CREATE OR REPLACE MACRO first_writers(run_, page_bytes) AS TABLE
SELECT first.page, first.position, first.step, steps.pc, pcs.text, pcs.name
FROM (
    SELECT address - address % page_bytes::UBIGINT AS page,
           min(position) AS position, arg_min_null(step, position) AS step
    FROM accesses
    WHERE run = run_ AND kind = 'write'
    GROUP BY page
) AS first
LEFT JOIN steps ON steps.run = run_ AND steps.step = first.step
LEFT JOIN pcs ON pcs.run = run_ AND pcs.pc = steps.pc AND pcs.variant = steps.variant
ORDER BY first.position;

-- Calls.

-- The calls around a step, innermost first.
CREATE OR REPLACE MACRO stack_at(run_, step_) AS TABLE
WITH RECURSIVE frames AS (
    SELECT calls.* FROM calls
    WHERE calls.run = run_
      AND calls.call = (SELECT any_value(call) FROM steps WHERE run = run_ AND step = step_)
    UNION ALL
    SELECT calls.* FROM calls
    JOIN frames ON calls.run = run_ AND calls.call = frames.parent
)
SELECT call, depth, thread, function, name, call_step,
       entry_step, exit_step, entered_by, left_by
FROM frames
ORDER BY depth DESC;

-- The functions that write a cell, with their callers and the number of writes.
CREATE OR REPLACE MACRO callers_of_writers(run_, address_, size_) AS TABLE
SELECT writer.function AS writer, any_value(writer.name) AS writer_name,
       caller.function AS caller, any_value(caller.name) AS caller_name, count(*) AS writes,
       min(found.position) AS first_position, max(found.position) AS last_position
FROM values_of(run_, address_, size_) AS found
LEFT JOIN calls AS writer ON writer.run = run_ AND writer.call = found.call
LEFT JOIN calls AS caller ON caller.run = run_ AND caller.call = writer.parent
GROUP BY writer.function, caller.function
ORDER BY writes DESC;

-- Two runs, and many.

-- The first step of each thread at which two runs differ: another address or another outcome.
-- `index_in_thread` counts the steps of the thread from 0.
CREATE OR REPLACE MACRO divergence(run_a, run_b) AS TABLE
WITH a AS (
    SELECT thread, step, pc, executed,
           row_number() OVER (PARTITION BY thread ORDER BY step) - 1 AS index_in_thread
    FROM steps WHERE run = run_a
), b AS (
    SELECT thread, step, pc, executed,
           row_number() OVER (PARTITION BY thread ORDER BY step) - 1 AS index_in_thread
    FROM steps WHERE run = run_b
)
SELECT thread, min(index_in_thread) AS index_in_thread,
       arg_min_null(a.step, index_in_thread) AS step_a,
       arg_min_null(b.step, index_in_thread) AS step_b,
       arg_min_null(a.pc, index_in_thread) AS pc_a, arg_min_null(b.pc, index_in_thread) AS pc_b
FROM a FULL JOIN b USING (thread, index_in_thread)
WHERE (a.pc, a.executed) IS DISTINCT FROM (b.pc, b.executed)
GROUP BY thread
ORDER BY thread;

-- The runs in which a step writes one cell before any step writes another, with the positions.
CREATE OR REPLACE MACRO written_before(address_x, size_x, address_y, size_y) AS TABLE
SELECT x.run, x.position AS first_x, y.position AS first_y
FROM (
    SELECT run, min(position) AS position FROM accesses
    WHERE kind = 'write' AND step IS NOT NULL
      AND address::HUGEINT < address_x::UBIGINT::HUGEINT + size_x
      AND address::HUGEINT + size > address_x::UBIGINT
    GROUP BY run
) AS x
LEFT JOIN (
    SELECT run, min(position) AS position FROM accesses
    WHERE kind = 'write' AND step IS NOT NULL
      AND address::HUGEINT < address_y::UBIGINT::HUGEINT + size_y
      AND address::HUGEINT + size > address_y::UBIGINT
    GROUP BY run
) AS y ON y.run = x.run
WHERE y.position IS NULL OR x.position < y.position
ORDER BY x.run;
