#!/usr/bin/env bash
# Tests the first hour of a user who has only Debian 12 with git and bash. Makes such a system in a folder, clones the
# last commit into it, and takes every step of tests/newcomer there, from scripts/demo.sh on. warpwise is installed in
# /usr/local, and used as a part of another project. The nightly test newcomer takes the same steps in a built tree.
#
#   scripts/newcomer.sh FOLDER     FOLDER: not there yet, or a Debian system that debootstrap made; it is kept
#
# Needs root, debootstrap, a network and 3 GB. scripts/record-build.py times scripts/demo.sh in such a system. Changes nothing outside of FOLDER.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# = 1 ] || { echo "scripts/newcomer.sh FOLDER" >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "newcomer.sh: only root can make a system in a folder" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "newcomer.sh: debootstrap is not installed" >&2; exit 1; }
root=$(realpath -m "$1")
if ! [ -e "$root/etc/debian_version" ]; then
  debootstrap --variant=minbase --include=git,ca-certificates bookworm "$root" http://deb.debian.org/debian >/dev/null
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"
git clone --quiet --no-hardlinks . "$root/root/warpwise"

unmount() { umount -l "$root/proc" "$root/dev/pts" "$root/dev"; }
trap unmount EXIT
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -t devpts devpts "$root/dev/pts"

newcomer() {  # newcomer COMMAND: in the new system, as its user types it
  chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    ${CI:+CI=$CI} bash -c "cd ~/warpwise && $1"
}
start=$SECONDS
newcomer scripts/demo.sh
echo "From a clean system to the demo's results: $((SECONDS - start)) s"
newcomer 'scripts/packages.sh --test'
newcomer 'tests/newcomer/newcomer.py --build build/release --work /root/first-hour --own-root'
echo "All of it: $((SECONDS - start)) s"
