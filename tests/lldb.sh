#!/usr/bin/env bash
# Debugs traces with a real LLDB that can run in reverse (22 and later): the demo is solved from its crash, and registers
# that a trace does not show are unavailable.
#
#     tests/lldb.sh     STEPBACK=path/to/stepback uses a program that is built already, LLDB=lldb another debugger
set -euo pipefail
cd "$(dirname "$0")/.."

lldb=${LLDB:-lldb-22}
command -v "$lldb" >/dev/null || { echo "skipped: there is no $lldb"; exit 0; }
. tests/built_program.sh
folder=$(mktemp -d)
server=
cleanup() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$folder"
}
trap cleanup EXIT
export XDG_CACHE_HOME=$folder/cache

# Runs commands of LLDB on one trace: IMAGE, then the arguments of stepback; the commands on standard input.
debug() {
    local image=$1 address=
    shift
    : >"$folder/server.log"
    "$STEPBACK" gdbserver "$@" --index "$folder/trace.sbi" --port 0 --once 2>"$folder/server.log" &
    server=$!
    for _ in $(seq 600); do
        address=$(sed -n 's/.*target remote //p' "$folder/server.log")
        [ -z "$address" ] || break
        sleep 0.1
    done
    # The cache shows nothing after the first unknown byte of a line.
    { echo "settings set target.process.disable-memory-cache true"; echo "gdb-remote $address"; cat; echo "process detach"; } \
        >"$folder/commands"
    timeout 300 "$lldb" --batch --no-lldbinit --source "$folder/commands" "$image" >"$folder/lldb.log" 2>&1
    wait "$server" || true
    server=
    rm -f "$folder/trace.sbi"
}

shows() {
    if ! grep -qE -- "$1" "$folder/lldb.log"; then
        echo "LLDB did not show: $1" >&2
        cat "$folder/lldb.log" >&2
        exit 1
    fi
    echo "  ok: $1"
}

echo "-- demo"
"$STEPBACK" info --demo >/dev/null
debug "$XDG_CACHE_HOME/stepback/demo/overflow_bare.elf" --demo <<'COMMANDS'
process continue
memory read --format x --size 4 --count 1 0x8ffff5d0
watchpoint set expression -w write -s 8 -- $x0
process continue --reverse
bt
process plugin packet monitor position
process continue --reverse
process plugin packet monitor position
watchpoint delete --force 1
breakpoint set -n decode_field
process continue --reverse
COMMANDS
shows "stop reason = history boundary"
# The bytes before this address are unknown.
shows "0x8ffff5d0: 0x"
shows "overflow_bare.elf.dispatch\(.* at overflow.c:95"
shows "watchpoint .*"
shows "decode_field\(s=\"%u589a\"\) at overflow.c:43"
# The two last steps that store there: `stepback find --demo last-write 0x80020340:8`.
shows "position 20,344 of"
shows "position 20,341 of"
shows "stop reason = breakpoint 1.1"
if grep -q "Assertion failed" "$folder/lldb.log"; then cat "$folder/lldb.log" >&2; exit 1; fi

echo "-- unknown registers"
debug fixtures/small/two_helpers.elf fixtures/small/two_helpers.tarmac --image fixtures/small/two_helpers.elf <<'COMMANDS'
register read x5
register read pc
COMMANDS
shows "x5.* (unavailable|error)"
echo "LLDB runs traces in both directions"
