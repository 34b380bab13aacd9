#!/usr/bin/env bash
# Installs the Debian package into a system that has nothing but what the package asks for, and opens the demo there.
set -euo pipefail
cd "$(dirname "$0")/.."

for needed in cargo-deb mmdebstrap Xvfb; do
    command -v "$needed" >/dev/null || { echo "skipped: there is no $needed"; exit 0; }
done
[ "$(id -u)" -eq 0 ] || { echo "skipped: only root can make a system of its own"; exit 0; }

place=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$place"' EXIT
chmod 755 "$place"
(cd "$place" && apt-get download -qq hostname >/dev/null 2>&1) || { echo "skipped: no mirror of Debian answers"; exit 0; }

package=$(assets/linux/make-deb dev | tail -n 1)
sources=(/etc/apt/sources.list.d/debian.sources)
[ -e "${sources[0]}" ] || sources=(/etc/apt/sources.list)
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
# Software rendering is the one thing that a real machine has of its own: there it is the driver of its card.
if ! mmdebstrap --quiet --variant=apt --aptopt='APT::Install-Recommends "false"' \
    --customize-hook="copy-in $package /tmp" \
    --customize-hook='chroot "$1" sh -c "apt-get install -y -qq /tmp/*.deb libgl1-mesa-dri >/dev/null"' \
    "$codename" "$place/system" "${sources[@]}" 2>"$place/install.log"; then
    cat "$place/install.log" >&2
    echo "the package could not be installed" >&2
    exit 1
fi
# Without a display it answers on the command line.
grep -q overflow_bare <<<"$(chroot "$place/system" stepback --demo 2>&1)" || { echo "the demo does not answer" >&2; exit 1; }

for number in $(seq 90 120); do [ -e "/tmp/.X11-unix/X$number" ] || break; done
Xvfb ":$number" -screen 0 1600x1000x24 >"$place/xvfb.log" 2>&1 &
for _ in $(seq 100); do [ -e "/tmp/.X11-unix/X$number" ] && break; sleep 0.1; done
# Its socket has a name that does not lie in any file system, too.
chroot "$place/system" env DISPLAY=":$number" LIBGL_ALWAYS_SOFTWARE=1 HOME=/tmp \
    stepback --demo --size 1280x800 --screenshot /tmp/demo.png --quit
colours=$(identify -format '%k' "$place/system/tmp/demo.png")
[ "$colours" -gt 200 ] || { echo "the window shows only $colours colours" >&2; exit 1; }
# A pipe to `grep -q` fails now and then: it stops reading at the first match.
installed=$(chroot "$place/system" dpkg -L stepback)
for file in applications/stepback.desktop metainfo/stepback.metainfo.xml mime/packages/stepback.xml man/man1/stepback-find.1.gz \
    bash-completion/completions/stepback icons/hicolor/scalable/apps/stepback.svg; do
    # Man pages are left out of small systems on purpose.
    grep -q "/usr/share/$file" <<<"$installed" || { echo "not in the package: $file" >&2; exit 1; }
done
echo "the package was installed into a bare system and opened the demo there"
