#!/usr/bin/env bash
# Opens the demo in one real window under Xvfb and drives it with key and mouse.
# A screenshot shows that the window is drawn; the title shows that the keys arrived: it names the position.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --locked
program=${CARGO_TARGET_DIR:-target}/debug/stepback
home=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$home"' EXIT
export XDG_DATA_HOME=$home/data XDG_CACHE_HOME=$home/cache LIBGL_ALWAYS_SOFTWARE=1

for number in $(seq 90 120); do [ -e "/tmp/.X11-unix/X$number" ] || break; done
export DISPLAY=:$number
Xvfb "$DISPLAY" -screen 0 1600x1000x24 >"$home/xvfb.log" 2>&1 &
for _ in $(seq 100); do xdpyinfo >/dev/null 2>&1 && break; sleep 0.1; done
openbox >"$home/openbox.log" 2>&1 &

"$program" --demo --size 1280x800 >"$home/out.log" 2>"$home/err.log" &
stepback=$!
window=$(timeout 120 xdotool search --sync --onlyvisible --name overflow_bare | head -n 1)
xdotool windowactivate --sync "$window"

fail() {
    echo "$1" >&2
    cat "$home/out.log" "$home/err.log" >&2
    exit 1
}

# The colours of the picture, sampled until it holds more than a background.
for _ in $(seq 100); do
    colours=$(import -window "$window" png:- | identify -format '%k' png:- 2>/dev/null || echo 0)
    [ "$colours" -gt 200 ] && break
    sleep 0.2
done
[ "$colours" -gt 200 ] || fail "the window shows only $colours colours"

picture() { import -window "$window" rgb:- | cksum; }
start=$(picture)
xdotool key --window "$window" End
for _ in $(seq 100); do
    end=$(picture)
    [ "$end" != "$start" ] && break
    sleep 0.2
done
[ "$end" != "$start" ] || fail "the End key changed nothing"
# A click into the timeline travels.
xdotool mousemove --window "$window" 400 120 click 1
for _ in $(seq 100); do
    clicked=$(picture)
    [ "$clicked" != "$end" ] && break
    sleep 0.2
done
[ "$clicked" != "$end" ] || fail "a click into the timeline changed nothing"
xdotool key --window "$window" ctrl+q
timeout 20 tail --pid="$stepback" -f /dev/null || fail "Ctrl+Q did not end the program"
wait "$stepback" || fail "the program ended with an error"
echo "one window opened, answered key and mouse, and closed"
