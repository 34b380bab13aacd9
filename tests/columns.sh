#!/usr/bin/env bash
# Asks DuckDB, polars and Spark, installed into a virtual environment, what the program answers, over exported tables.
# Spark runs inside the test, and as a cluster of a master and two workers on this machine. STEPBACK=path/to/stepback uses
# a program that is built already.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 0; }
python3 -c 'import ensurepip' 2>/dev/null || { echo "skipped: Python cannot make virtual environments"; exit 0; }
place=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$place"' EXIT
python3 -m venv "$place/python"
pip=("$place/python/bin/pip" --quiet --disable-pip-version-check)
"${pip[@]}" index versions duckdb >/dev/null 2>&1 || { echo "skipped: PyPI does not answer"; exit 0; }
"${pip[@]}" install duckdb polars gprof2dot
if grep -q 'version "\(17\|2[1-9]\)' <<<"$(java -version 2>&1)"; then
    "${pip[@]}" install pyspark
    spark=$(echo "$place"/python/lib/python3*/site-packages/pyspark/bin/spark-class)
    port=$("$place/python/bin/python" -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])')
    export SPARK_LOCAL_IP=127.0.0.1 PYSPARK_PYTHON=$place/python/bin/python
    start() { SPARK_WORKER_DIR=$place/work "$spark" "org.apache.spark.deploy.$@" >>"$place/spark.log" 2>&1 & }
    start master.Master --host 127.0.0.1 --port "$port" --webui-port 0
    for _ in 1 2; do start worker.Worker --host 127.0.0.1 --webui-port 0 --cores 1 --memory 1g "spark://127.0.0.1:$port"; done
    for _ in $(seq 60); do [ "$(grep -c 'Successfully registered with master' "$place/spark.log")" -ge 2 ] && break; sleep 1; done
    export STEPBACK_SPARK="local[2] spark://127.0.0.1:$port"
else
    echo "skipped: Spark needs Java 17 or 21"
fi
. tests/built_program.sh
"$place/python/bin/python" tests/columns/engines.py "$STEPBACK"
