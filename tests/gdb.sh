#!/usr/bin/env bash
# Debugs traces with a real gdb: source-level reverse-step and reverse-finish, watchpoints that find a store, backtraces,
# registers and memory, all compared with what the command line says. Takes the demo and programs of `fixtures/`, and
# the real programs of STEPBACK_TRACES, or of ../shared/traces where that exists.
#
#     tests/gdb.sh [PROGRAM]     STEPBACK=path/to/stepback uses a program that is built already
set -euo pipefail
cd "$(dirname "$0")/.."

gdb=${GDB:-gdb-multiarch}
command -v "$gdb" >/dev/null || { echo "there is no $gdb" >&2; exit 1; }
. tests/built_program.sh
traces=${STEPBACK_TRACES:-../shared/traces}
folder=$(mktemp -d)
server=
cleanup() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$folder"
}
trap cleanup EXIT
export XDG_CACHE_HOME=$folder/cache
failures=0

# Debugs one trace: NAME, CHECKS, then the arguments of stepback that name the trace.
debug() {
    local name=$1 checks=$2
    shift 2
    [ -z "$wanted" ] || [ "$wanted" = "$name" ] || return 0
    echo "-- $name: $checks"
    : >"$folder/server.log"
    "$STEPBACK" gdbserver "$@" --index "$folder/$name.sbi" --port 0 --once 2>"$folder/server.log" &
    server=$!
    local address=
    for _ in $(seq 600); do
        address=$(sed -n 's/.*target remote //p' "$folder/server.log")
        [ -z "$address" ] || break
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    if [ -z "$address" ]; then
        cat "$folder/server.log" >&2
        failures=$((failures + 1))
        return 0
    fi
    local arguments=("$STEPBACK" "$@")
    printf '%s\n' "${arguments[@]}" "--index" "$folder/$name.sbi" >"$folder/arguments"
    : >"$folder/results"
    local passed=1
    STEPBACK_ARGUMENTS=$folder/arguments STEPBACK_CHECKS=$checks STEPBACK_SERVER=$address STEPBACK_RESULTS=$folder/results \
        timeout 900 "$gdb" -q -nx -batch -x tests/gdb_checks.py >"$folder/gdb.log" 2>&1 || passed=0
    cat "$folder/results"
    if [ $passed = 0 ] || [ ! -s "$folder/results" ]; then
        tail -n 5 "$folder/gdb.log" >&2
        failures=$((failures + 1))
    fi
    wait "$server" || true
    server=
}

# Unpacks a file into the folder and prints its name.
unpacked() {
    local name
    name=$folder/$(basename "${1%.zst}")
    [ -e "$name" ] || zstd -dq "$1" -o "$name"
    echo "$name"
}

# Checks a recorded session: gdb must print each of its lines, in which … stands for anything.
session() {
    local page=$1 session line pattern
    local -a commands=()
    echo "-- the session of $page"
    session=$(sed -n '/^(gdb) target remote | stepback/,/^```/p' "$page" | grep -v '^```')
    while IFS= read -r line; do commands+=(-ex "${line#(gdb) }"); done < <(grep '^(gdb) ' <<<"$session")
    PATH=$(dirname "$STEPBACK"):$PATH timeout 300 "$gdb" -q -nx -batch "${commands[@]}" >"$folder/gdb.log" 2>&1 || true
    while IFS= read -r line; do
        pattern=$(sed 's/[][\\.*^$]/\\&/g; s/…/.*/g' <<<"$line")
        if ! grep -q -- "$pattern" "$folder/gdb.log"; then
            echo "gdb did not print: $line" >&2
            cat "$folder/gdb.log" >&2
            failures=$((failures + 1))
            return 0
        fi
    done < <(grep -v '^(gdb) ' <<<"$session" | grep .)
    echo "   gdb prints the same"
}

wanted=${1:-}
if [ -z "$wanted" ]; then
    session docs/guide/src/gdb.md
    session docs/tour.md
fi
debug demo "locals cells frames watch watches finish step" --demo
debug helpers "cells frames finish" fixtures/small/two_helpers.tarmac --image fixtures/small/two_helpers.elf
debug arrays "locals" fixtures/locals/arrays.tenet.zst --image fixtures/locals/arrays.elf
debug lists "cells watch" fixtures/moved/a.execlog.log.zst
debug sparc "start" fixtures/btrace/hello.btf
if [ -d "$traces" ]; then
    own=$traces/tarmac/own
    debug qsort "locals cells frames watch watches finish step" "$(unpacked "$own/qsort.small.tarmac.zst")" --image "$own/qsort.elf"
    debug recurse "locals cells frames watch watches finish step" "$(unpacked "$own/recurse.small.tarmac.zst")" --image "$own/recurse.elf"
    debug fp32 "locals cells frames watch watches finish step" "$own/fp32.tiny.tarmac" --image "$own/fp32.elf"
    debug cm3 "locals cells frames watch watches finish step" "$own/cm3.tiny.tarmac" --image "$own/cm3.elf"
    debug riscv "locals cells frames watch watches finish step" "$(unpacked "$traces/riscv/rvtiny.spike.log.zst")" \
        --image "$traces/riscv/rvtiny.elf"
    for name in x86_64 arm; do
        log=$(unpacked "$traces/qemu/qmix.$name.execlog.log.zst")
        debug "qmix-$name" "locals" "$log" --image "$traces/qemu/qmix.$name.elf"
    done
    debug rst "locals" "$traces/rst/small.rst" --image "$traces/rst/small"
    debug cores "cells threads" "$(unpacked "$own/amp.small.tarmac.zst")"
    debug threads "threads" "$traces/drmemtrace/threads4"
fi
[ "$failures" = 0 ] || { echo "$failures programs failed" >&2; exit 1; }
echo "gdb agrees with the command line"
