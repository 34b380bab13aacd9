# Sourced by the scripts beside it: sets STEPBACK to the absolute path of the program. If it names a program already, that
# one is used; otherwise the program is built.
if [ -z "${STEPBACK:-}" ]; then
    cargo build --quiet --locked --bin stepback
    STEPBACK=${CARGO_TARGET_DIR:-target}/debug/stepback
fi
export STEPBACK=$(realpath "$STEPBACK")
