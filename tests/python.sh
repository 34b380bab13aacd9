#!/usr/bin/env bash
# Builds the Python module `stepback` with maturin in a virtual environment, and compares its answers and tables with
# those of the program. STEPBACK=path/to/stepback uses a program that is built already.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 0; }
python3 -c 'import ensurepip' 2>/dev/null || { echo "skipped: Python cannot make virtual environments"; exit 0; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

python3 -m venv "$place/python"
export PATH="$place/python/bin:$PATH"
pip index versions maturin >/dev/null 2>&1 || { echo "skipped: PyPI does not answer"; exit 0; }
pip install --quiet 'maturin>=1.9,<2'
# A library without a wheel for this machine is left out: the tests say so.
for library in polars pyarrow duckdb pandas; do
    pip install --quiet --only-binary :all: "$library" || echo "there is no wheel of $library for this machine" >&2
done

. tests/built_program.sh
maturin build --quiet --locked --profile dev --manifest-path python/Cargo.toml --out "$place/wheels"
pip install --quiet --no-index --no-deps "$place"/wheels/*.whl
python python/tests/test_stepback.py
echo "ok: the Python module answers as the program does"
