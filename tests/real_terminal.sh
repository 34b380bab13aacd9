#!/usr/bin/env bash
# One real terminal: the demo is solved under tmux by keys alone, from the crash to the store that caused it; then the terminal
# is resized, the program stopped and continued, and ended by a signal. Needs tmux.
# STEPBACK=path/to/stepback uses a program that is built already.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v tmux >/dev/null; then
    echo "skipped: there is no tmux"
    exit 0
fi
. tests/built_program.sh
place=$(mktemp -d)
socket="$place/tmux"
trap 'tmux -S "$socket" kill-server 2>/dev/null || true; sleep 0.5; rm -rf "$place" || true' EXIT
# Nothing that a user keeps is read or written, and there is no display.
export HOME="$place" XDG_CACHE_HOME="$place/cache" XDG_CONFIG_HOME="$place/config" XDG_DATA_HOME="$place/data"
export LANG=C.UTF-8 LC_ALL=C.UTF-8
unset DISPLAY WAYLAND_DISPLAY WAYLAND_SOCKET NO_COLOR

mux() { tmux -S "$socket" -f /dev/null "$@"; }
screen() { mux capture-pane -p -t it; }
keys() { mux send-keys -t it "$@"; }
text() { mux send-keys -t it -l "$1"; }

# Waits until the screen has a text.
sees() {
    for _ in $(seq 200); do
        if grep -qF -- "$1" <<<"$(screen)"; then
            echo "  ok: $1"
            return
        fi
        sleep 0.1
    done
    echo "not on the screen: $1" >&2
    screen >&2
    exit 1
}

echo "== the demo, where no window is possible"
mux new-session -d -s it -x 100 -y 32 "bash --norc"
text "PS1='shell> '; $STEPBACK --demo"
keys Enter
sees "── 0 ──"

echo "== solved: the crash, the register, the load, the store"
keys End
sees "End of trace"
sees "blr    x2"
# x2 is the third of the registers: who wrote it?
keys Tab
keys Down Down
sees "x2 "
keys Enter
sees "ldr    x2, [x0]"
# What that loaded: who wrote it?
keys BTab
text "a"
sees "[80020340]"
keys Enter
sees "strb"
sees "decode_field"

echo "== another size, and a prompt"
mux resize-window -t it -x 160 -y 50
sees "decode_field"
mux resize-window -t it -x 80 -y 24
text "l"
sees "Go to line:"
keys C-g
sees "· position "

echo "== more keys at once than crossterm reads in one go"
keys Home
sees "position 0"
mux send-keys -t it -N 1000 Down
sees "After step 999 · position 1,000"

echo "== gdb moves the position"
if command -v gdb-multiarch >/dev/null; then
    keys Home
    text ":"
    text "Serve to gdb"
    keys Enter
    sees "target remote 127.0.0.1:"
    address=$(screen | grep -oE "127.0.0.1:[0-9]+" | sed -n 1p)
    gdb-multiarch -q -nx -batch -ex "set confirm off" -ex "target remote $address" -ex "stepi 1000" >"$place/gdb.log" 2>&1
    sees "── 1,000 ──"
else
    echo "skipped: there is no gdb-multiarch"
fi

echo "== stopped and continued"
keys C-z
sees "Stopped"
text "fg"
keys Enter
sees "decode_field"

echo "== ended by a signal, the terminal is as it was"
pkill -TERM -f "$STEPBACK --demo"
sees "Terminated"
text "echo still"' here'
keys Enter
sees "still here"

echo "== in the language of the system"
text "LC_ALL=fr_FR.UTF-8 $STEPBACK browse --demo"
keys Enter
sees "Après le pas"
text "l"
sees "Aller à la ligne"
keys C-g
text "q"

echo "== a terminal that cannot move its cursor is refused"
text "TERM=dumb $STEPBACK browse --demo; echo status \$?"
keys Enter
sees "set TERM to the type"
sees "status 1"

echo "== a script and a screen as text, without a terminal"
printf 'Go to end\nGo to 1250\n' >"$place/script"
"$STEPBACK" browse --demo --run "$place/script" --screenshot - --quit --size 100x20 </dev/null >"$place/screen.txt"
grep -qF "── 1,250 ──" "$place/screen.txt"
echo "  ok"
