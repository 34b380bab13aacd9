-- Views and functions over a dataset of traces, for Spark 4. ${stepback} is the directory of the
-- dataset, on a disk or in an object store:
--     spark-sql --hivevar stepback=s3a://traces/nightly -i views.spark.sql
--     spark.conf.set("stepback", "s3a://traces/nightly")          in Python, before
--     [spark.sql(s) for s in open("views.spark.sql").read().split(";\n") if s.strip()]
-- Spark reads addresses and values as DECIMAL(20, 0), because it has no unsigned numbers:
--     SELECT * FROM last_write('boot', address('0x80020340'), 8, 30000)
-- The names and answers are those of views.sql.

SET spark.sql.sources.partitionColumnTypeInference.enabled = false;

-- The tables. An effect is visible from `position` on.

CREATE OR REPLACE TEMPORARY VIEW runs USING parquet OPTIONS (path '${stepback}/runs');
CREATE OR REPLACE TEMPORARY VIEW threads USING parquet OPTIONS (path '${stepback}/threads');
CREATE OR REPLACE TEMPORARY VIEW steps USING parquet OPTIONS (path '${stepback}/steps');
CREATE OR REPLACE TEMPORARY VIEW pcs USING parquet OPTIONS (path '${stepback}/pcs');
CREATE OR REPLACE TEMPORARY VIEW recorded_register_writes
    USING parquet OPTIONS (path '${stepback}/register_writes');
CREATE OR REPLACE TEMPORARY VIEW register_writes AS
SELECT *, coalesce(step + 1, 0) + late AS position FROM recorded_register_writes;
CREATE OR REPLACE TEMPORARY VIEW recorded_accesses
    USING parquet OPTIONS (path '${stepback}/accesses');
CREATE OR REPLACE TEMPORARY VIEW accesses AS
SELECT *, coalesce(step + 1, 0) + late AS position FROM recorded_accesses;
CREATE OR REPLACE TEMPORARY VIEW calls USING parquet OPTIONS (path '${stepback}/calls');
CREATE OR REPLACE TEMPORARY VIEW recorded_markers
    USING parquet OPTIONS (path '${stepback}/markers');
CREATE OR REPLACE TEMPORARY VIEW markers AS
SELECT *, coalesce(step + 1, 0) + late AS position FROM recorded_markers;

-- An address in hexadecimal digits, with or without 0x.
CREATE OR REPLACE TEMPORARY FUNCTION address(digits STRING) RETURNS DECIMAL(20, 0)
RETURN CAST(conv(regexp_replace(digits, '^0[xX]', ''), 16, 10) AS DECIMAL(20, 0));

-- Where the time goes.

-- Steps of each function itself, without its callees.
CREATE OR REPLACE TEMPORARY VIEW hottest_functions AS
SELECT run, pcs.function, any_value(pcs.name) AS name, sum(hits.steps) AS steps
FROM (SELECT run, pc, variant, count(*) AS steps FROM steps GROUP BY run, pc, variant) AS hits
JOIN pcs USING (run, pc, variant)
GROUP BY run, pcs.function
ORDER BY steps DESC;

-- Executions of each instruction.
CREATE OR REPLACE TEMPORARY VIEW hottest_instructions AS
SELECT run, pc, variant, hits.steps, pcs.text, pcs.name, pcs.file, pcs.source_line
FROM (SELECT run, pc, variant, count(*) AS steps FROM steps GROUP BY run, pc, variant) AS hits
JOIN pcs USING (run, pc, variant)
ORDER BY hits.steps DESC;

-- Memory. All processes of a run count as one memory: filter by thread where there are several.

-- Accesses that share a byte with `size_` bytes at `address_`.
CREATE OR REPLACE TEMPORARY FUNCTION accesses_of(
    run_ STRING, address_ DECIMAL(20, 0), size_ BIGINT)
RETURNS TABLE RETURN
SELECT * FROM accesses
WHERE run = run_ AND address < address_ + size_ AND address + size > address_;

-- All values of a cell: its writes in order, with the instruction and function.
CREATE OR REPLACE TEMPORARY FUNCTION values_of(
    run_ STRING, address_ DECIMAL(20, 0), size_ BIGINT)
RETURNS TABLE RETURN
SELECT found.step, found.position, found.nth, found.thread, found.address, found.size, found.value,
       found.provenance, steps.pc, pcs.text, pcs.name, steps.call
FROM (SELECT * FROM accesses_of(run_, address_, size_) WHERE kind = 'write') AS found
LEFT JOIN steps ON steps.run = run_ AND steps.step = found.step
LEFT JOIN pcs ON pcs.run = run_ AND pcs.pc = steps.pc AND pcs.variant = steps.variant
ORDER BY found.position, found.nth;

-- The last write of a cell before a position.
CREATE OR REPLACE TEMPORARY FUNCTION last_write(
    run_ STRING, address_ DECIMAL(20, 0), size_ BIGINT, position_ BIGINT)
RETURNS TABLE RETURN
SELECT * FROM accesses_of(run_, address_, size_)
WHERE kind = 'write' AND position <= position_
  AND (step < position_ OR step IS NULL) -- follows from the rest, and skips row groups
ORDER BY position DESC, nth DESC
LIMIT 1;

-- The last write of a register of a thread before a position. `w3` is a part of `x3`.
CREATE OR REPLACE TEMPORARY FUNCTION last_register_write(
    run_ STRING, thread_ STRING, register_ STRING, position_ BIGINT)
RETURNS TABLE RETURN
SELECT * FROM register_writes
WHERE run = run_ AND thread = thread_ AND register = register_ AND position <= position_
  AND (step < position_ OR step IS NULL) -- follows from the rest, and skips row groups
ORDER BY position DESC, nth DESC
LIMIT 1;

-- The first write into each page of memory; a write counts for the page of its lowest address.
CREATE OR REPLACE TEMPORARY FUNCTION first_writers(run_ STRING, page_bytes BIGINT)
RETURNS TABLE RETURN
SELECT first.page, first.position, first.step, steps.pc, pcs.text, pcs.name
FROM (
    SELECT CAST(address - address % page_bytes AS DECIMAL(20, 0)) AS page,
           min(position) AS position, min_by(step, position) AS step
    FROM accesses
    WHERE run = run_ AND kind = 'write'
    GROUP BY 1
) AS first
LEFT JOIN steps ON steps.run = run_ AND steps.step = first.step
LEFT JOIN pcs ON pcs.run = run_ AND pcs.pc = steps.pc AND pcs.variant = steps.variant
ORDER BY first.position;

-- Calls.

-- The calls around a step, innermost first.
CREATE OR REPLACE TEMPORARY FUNCTION stack_at(run_ STRING, step_ BIGINT)
RETURNS TABLE RETURN
WITH RECURSIVE frames(call, parent) AS (
    SELECT calls.call, calls.parent FROM steps
    JOIN calls ON calls.run = steps.run AND calls.call = steps.call
    WHERE steps.run = run_ AND steps.step = step_
    UNION ALL
    SELECT calls.call, calls.parent FROM calls
    JOIN frames ON calls.run = run_ AND calls.call = frames.parent
)
SELECT calls.call, calls.depth, calls.thread, calls.function, calls.name, calls.call_step,
       calls.entry_step, calls.exit_step, calls.entered_by, calls.left_by
FROM frames
JOIN calls ON calls.run = run_ AND calls.call = frames.call
ORDER BY calls.depth DESC;

-- The functions that write a cell, with their callers and the number of writes.
CREATE OR REPLACE TEMPORARY FUNCTION callers_of_writers(
    run_ STRING, address_ DECIMAL(20, 0), size_ BIGINT)
RETURNS TABLE RETURN
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
CREATE OR REPLACE TEMPORARY FUNCTION divergence(run_a STRING, run_b STRING)
RETURNS TABLE RETURN
WITH a AS (
    SELECT thread, step, pc, executed,
           row_number() OVER (PARTITION BY thread ORDER BY step) - 1 AS index_in_thread
    FROM steps WHERE run = run_a
), b AS (
    SELECT thread, step, pc, executed,
           row_number() OVER (PARTITION BY thread ORDER BY step) - 1 AS index_in_thread
    FROM steps WHERE run = run_b
), parted AS (
    SELECT thread, index_in_thread,
           named_struct('step_a', a.step, 'step_b', b.step, 'pc_a', a.pc, 'pc_b', b.pc) AS here
    FROM a FULL JOIN b USING (thread, index_in_thread)
    WHERE NOT (a.pc <=> b.pc AND a.executed <=> b.executed)
), first AS (
    SELECT thread, min(index_in_thread) AS index_in_thread,
           min_by(here, index_in_thread) AS here
    FROM parted
    GROUP BY thread
)
SELECT thread, index_in_thread, here.step_a, here.step_b, here.pc_a, here.pc_b
FROM first
ORDER BY thread;

-- The runs in which a step writes one cell before any step writes another, with the positions.
CREATE OR REPLACE TEMPORARY FUNCTION written_before(
    address_x DECIMAL(20, 0), size_x BIGINT, address_y DECIMAL(20, 0), size_y BIGINT)
RETURNS TABLE RETURN
SELECT x.run, x.position AS first_x, y.position AS first_y
FROM (
    SELECT run, min(position) AS position FROM accesses
    WHERE kind = 'write' AND step IS NOT NULL
      AND address < address_x + size_x AND address + size > address_x
    GROUP BY run
) AS x
LEFT JOIN (
    SELECT run, min(position) AS position FROM accesses
    WHERE kind = 'write' AND step IS NOT NULL
      AND address < address_y + size_y AND address + size > address_y
    GROUP BY run
) AS y ON y.run = x.run
WHERE y.position IS NULL OR x.position < y.position
ORDER BY x.run;
