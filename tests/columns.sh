#!/usr/bin/env bash
# Asks DuckDB, polars and Spark, installed into a virtual environment, what the program answers, over exported tables:
# `columns.sh [PROGRAM]`. STEPBACK_SPARK names a Spark master; by default Spark runs inside the test.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 0; }
python3 -c 'import ensurepip' 2>/dev/null || { echo "skipped: Python cannot make virtual environments"; exit 0; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/python"
pip=("$place/python/bin/pip" --quiet --disable-pip-version-check)
"${pip[@]}" index versions duckdb >/dev/null 2>&1 || { echo "skipped: PyPI does not answer"; exit 0; }
"${pip[@]}" install duckdb polars gprof2dot
if java -version 2>&1 | grep -q 'version "\(17\|2[1-9]\)'; then
    "${pip[@]}" install pyspark
else
    echo "skipped: Spark needs Java 17 or 21"
fi
program=${1:-}
if [ -z "$program" ]; then
    cargo build --locked --bin stepback
    program=${CARGO_TARGET_DIR:-target}/debug/stepback
fi
"$place/python/bin/python" tests/columns/engines.py "$(realpath "$program")"
