#!/usr/bin/env bash
# Installs the wheel into a bare virtual environment, without a toolchain in the path, and opens the demo with it: on the
# command line, in a terminal and in a window.
set -euo pipefail
cd "$(dirname "$0")/.."

for needed in python3 tmux Xvfb identify; do
    command -v "$needed" >/dev/null || { echo "skipped: there is no $needed"; exit 0; }
done
python3 -c 'import ensurepip' 2>/dev/null || { echo "skipped: Python cannot make virtual environments"; exit 0; }
place=$(mktemp -d)
trap 'tmux -L stepback-wheel kill-server 2>/dev/null || true; kill $(jobs -p) 2>/dev/null || true; rm -rf "$place"' EXIT

python3 -m venv "$place/python"
wheel=${1:-}
if [ -z "$wheel" ]; then
    "$place/python/bin/pip" index versions maturin >/dev/null 2>&1 || { echo "skipped: PyPI does not answer"; exit 0; }
    wheel=$(assets/linux/make-wheel dev | tail -n 1)
fi
mkdir "$place/home"
bare=(env -i "PATH=$place/python/bin:/usr/bin:/bin" "HOME=$place/home" LC_ALL=C.UTF-8)
started=$(date +%s%N)
"${bare[@]}" pip install --quiet --no-index "$wheel"
grep -q overflow_bare <<<"$("${bare[@]}" stepback --demo 2>&1)" || { echo "the demo does not answer" >&2; exit 1; }
echo "ok: from the wheel to the demo's first answer in $((($(date +%s%N) - started) / 1000000)) ms"

tmux -L stepback-wheel new-session -d -x 120 -y 40 "${bare[@]}" TERM=screen-256color stepback browse --demo
screen() { tmux -L stepback-wheel capture-pane -p; }
for _ in $(seq 100); do grep -q mini_atoi <<<"$(screen)" && break; sleep 0.1; done
grep -q mini_atoi <<<"$(screen)" || { screen >&2; echo "the terminal browser does not show the demo" >&2; exit 1; }
echo "ok: the terminal browser shows the demo"

"${bare[@]}" stepback --version
if ! grep -q -- --screenshot <<<"$("${bare[@]}" stepback --help)"; then echo "skipped: this wheel has no window"; exit 0; fi
for number in $(seq 90 120); do [ -e "/tmp/.X11-unix/X$number" ] || break; done
Xvfb ":$number" -screen 0 1600x1000x24 >"$place/xvfb.log" 2>&1 &
for _ in $(seq 100); do [ -e "/tmp/.X11-unix/X$number" ] && break; sleep 0.1; done
"${bare[@]}" "DISPLAY=:$number" LIBGL_ALWAYS_SOFTWARE=1 \
    stepback --demo --size 1280x800 --screenshot "$place/demo.png" --quit
colours=$(identify -format '%k' "$place/demo.png")
[ "$colours" -gt 200 ] || { echo "the window shows only $colours colours" >&2; exit 1; }
echo "ok: the window shows the demo"
