#!/usr/bin/env bash
# Opens the demo in one real window under Xvfb and drives it with key and mouse, through everything that the window is for.
# What came of a key or a click is read from the session and the settings, which the program saves as it goes.
# STEPBACK=path/to/stepback uses a program that is built already.
set -euo pipefail
cd "$(dirname "$0")/.."

. tests/built_program.sh
home=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$home"' EXIT
export XDG_CONFIG_HOME=$home/config XDG_DATA_HOME=$home/data XDG_CACHE_HOME=$home/cache LIBGL_ALWAYS_SOFTWARE=1 LC_ALL=C.UTF-8
session=$home/now.session.toml
settings=$XDG_CONFIG_HOME/stepback/settings.toml

for number in $(seq 90 120); do [ -e "/tmp/.X11-unix/X$number" ] || break; done
export DISPLAY=:$number
Xvfb "$DISPLAY" -screen 0 1600x1000x24 >"$home/xvfb.log" 2>&1 &
for _ in $(seq 100); do xdpyinfo >/dev/null 2>&1 && break; sleep 0.1; done
openbox >"$home/openbox.log" 2>&1 &

"$STEPBACK" --demo --size 1280x800 >"$home/out.log" 2>"$home/err.log" &
stepback=$!
window=$(timeout 120 xdotool search --sync --onlyvisible --name overflow_bare | sed -n 1p)
xdotool windowactivate --sync "$window"

fail() {
    echo "$1" >&2
    cat "$home/out.log" "$home/err.log" >&2
    [ -e "$session" ] && cat "$session" >&2
    if [ -n "${STEPBACK_PICTURE:-}" ]; then import -window root "$STEPBACK_PICTURE"; fi
    exit 1
}

# until SECONDS COMMAND…: whether the command succeeds within so long.
until_is() {
    local end=$((SECONDS + $1))
    shift
    until "$@" 2>/dev/null; do
        ((SECONDS < end)) || return 1
        sleep 0.2
    done
}

press() { xdotool key --delay 60 "$@"; sleep 0.5; }
typed() { xdotool type --delay 30 "$1"; sleep 0.7; }
run() { press ctrl+shift+p; typed "$1"; press Return; }
click() { xdotool mousemove --window "$window" "$1" "$2" click "${3:-1}"; sleep 0.5; }
# A regular expression over a whole file, so that lines can be told one after another.
holds() { grep -Pzq "(?m)$2" "$1"; }
saves_with() { run "Save session as… $session" && until_is 3 holds "$session" "$1"; }
kept() { until_is 20 saves_with "$1" || fail "$2: the session lacks $1"; echo "ok: $2"; }
saves_without() { rm -f "$session" && run "Save session as… $session" && until_is 3 test -s "$session" && ! holds "$session" "$1"; }
gone() { until_is 20 saves_without "$1" || fail "$2: the session still has $1"; echo "ok: $2"; }
chosen() { until_is 10 holds "$settings" "$1" || fail "$2: the settings lack $1"; echo "ok: $2"; }
windows_are() { [ "$(xdotool search --onlyvisible --pid "$stepback" | wc -l)" -eq "$1" ]; }
colours() { import -window "$window" png:- | identify -format '%k' png:-; }
is_drawn() { [ "$(colours)" -gt 200 ]; }

until_is 60 is_drawn || fail "the window shows only $(colours) colours"
at() { kept "^number = 1\nposition = $1\$" "$2"; }

press End
at 44013 "End goes to the end"
click 400 120
kept '^number = 1\nposition = (?!44013)' "a click into the timeline travels"

# Places are typed as they are shown.
press ctrl+g; typed decode_field; press Return
at 907 "a function is a place to go to"
press alt+Left
kept '^number = 1\nposition = (?!907)' "the history goes back"

# Stepping, forward and backward.
press Home F11 F11 F11 F11
at 4 "F11 steps"
press F10
at 5 "F10 steps over a call"
press shift+F12
at 3 "Shift+F12 goes out backward"
press F9
kept '^number = 1\nposition = (?!3$)' "F9 goes to the next line"
run 'Next where x0 == 0x80020340'
kept '^number = 1\nposition = 1' "a condition is found"

# Find: hits, keys, a name.
press ctrl+f; typed 'blr x2'; press Return
sleep 1; press Escape Home F3
at 4315 "F3 goes to a hit"
run 'Save search as… calls'
kept '^\[\[searches\]\](\n.*)*name = "calls"' "a search is kept under its name"
press h Down
kept '^number = 1\nposition = (?!431[56]$)' "only hits are shown: the next row is the next hit"
press h

# Functions, and the flame graph of the same range.
press alt+0
kept 'Functions\(' "the functions are shown"
run 'Show flame graph'
kept 'FlameGraph\(' "the flame graph is shown"

# Watches, waveforms, values.
run 'Watch u64 x2'
kept '^\[\[watches\]\]\nexpression = "x2"' "an expression is watched"
press End; click 1000 350; press shift+w
kept '^\[\[waves\]\]' "a register is a waveform"
press alt+a
kept 'kind: Accesses' "all values are listed"
# On a busy machine the rows may be there only after a while.
goes_back() {
    xdotool mousemove --window "$window" 240 509 click --repeat 2 --delay 80 1
    saves_with '^number = 1\nposition = (?!44013)'
}
until_is 30 goes_back || fail "a double click on a register of a row did not go to its last write"
echo "ok: a double click on a register of a row goes to its last write"

# Memory.
run 'Show memory x0'
kept 'address: "x0"' "memory is shown at a register"
run 'Show memory regions'
kept 'Regions' "regions of memory are shown"

# A range of the timeline.
xdotool mousemove --window "$window" 300 120 keydown shift sleep 0.3 mousedown 1
xdotool mousemove --window "$window" 400 120 sleep 0.3 mousemove --window "$window" 500 120 mouseup 1 sleep 0.3 keyup shift
sleep 0.5
press shift+b
kept '^first = ' "Shift and a drag select a range, which is bookmarked"
press ctrl+z

# Bookmarks, notes, and what takes them back.
press b
kept '^\[\[bookmarks\]\]' "b bookmarks the position"
run 'Note… who was it?'
kept 'note = "who was it\?"' "a bookmark has a note"
press ctrl+z ctrl+z
gone '^\[\[bookmarks\]\]' "Ctrl+Z takes a bookmark back"

# Two windows, compared.
press ctrl+b
kept '^number = 2' "Ctrl+B shows two positions"
run 'Compare with… 100'
kept 'before: Some' "two moments are compared"

# A panel in a window of its own, and back.
windows_are 1 || fail "there is more than one window"
run 'Move panel to its own window'
until_is 20 windows_are 2 || fail "the panel got no window of its own"
echo "ok: a panel has a window of its own"
xdotool windowactivate --sync "$window"
run 'Put panels back'
until_is 20 windows_are 1 || fail "the panel was not put back"
echo "ok: the panel is back"

# Settings, and the file browser.
run 'Built-in file browser'
chosen '^own-file-browser = true' "the file browser is chosen"
cp "$XDG_CACHE_HOME/stepback/demo/overflow_bare.small.tarmac" "$home/again.tarmac"
# The dialog may take a while to list the folder on a busy machine: then it is opened again.
opens_again() {
    press Escape ctrl+o; sleep 1; press ctrl+l ctrl+a; typed "$home/again.tarmac"; press Return
    sleep 1; saves_with 'path = .*again.tarmac'
}
until_is 60 opens_again || fail "the file browser opened no trace"
echo "ok: a trace is opened by the file browser"
run 'Theme light'
chosen '^theme = "light"' "the theme is kept"
run 'Language French'
chosen '^language = "french"' "the language is kept"

press ctrl+q
timeout 20 tail --pid="$stepback" -f /dev/null || fail "Ctrl+Q did not end the program"
wait "$stepback" || fail "the program ended with an error"
echo "one window opened, answered key and mouse, and closed"
