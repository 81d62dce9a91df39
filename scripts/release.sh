#!/usr/bin/env bash
# Runs the steps of a release in docs/releasing.md.
#
#   scripts/release.sh [--dry-run] [-- ARGUMENT...]    ARGUMENTs for scripts/package.sh: a preset, Pythons
set -euo pipefail
cd "$(dirname "$0")/.."

dry=
if [ "${1:-}" = --dry-run ]; then dry=1; shift; fi
[ "${1:-}" != -- ] || shift
preset=release
[ "${1:-}" != -p ] || preset=$2

say() { echo "== $*"; }
fail() { echo "release.sh: $*" >&2; exit 1; }
later() { if [ -n "$dry" ]; then echo "   before a release: $*"; else fail "$*"; fi; }

version=$(sed -nE 's/^project\(warpwise VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
[ -n "$version" ] || fail "CMakeLists.txt states no version"
say "version $version, commit $(git rev-parse --short HEAD)"
[ -z "$(git status --porcelain)" ] || fail "the tree is not clean: git status"
grep -qF "## [$version] - " CHANGELOG.md || later "CHANGELOG.md needs the heading '## [$version] - DATE'"
! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || later "there is a tag v$version already"

say packages
scripts/package.sh "$@"

say "exported symbols"
build=build/for-packages/$preset packages=build/packages
[ "$preset" != arm64 ] || build=build/arm64 packages=build/packages-arm64
scripts/abi.sh "$build"
if last=$(git describe --tags --match 'v*' --abbrev=0 2>/dev/null); then
  scripts/abi.sh --since "$last"
  echo "   nothing is missing since $last"
else
  echo "   as tests/package/abi has them; no release to compare with"
fi

say "packages in clean systems"
status=0
scripts/test-packages.sh $packages || status=$?
case $status in
  0) ;;
  77) later "scripts/test-packages.sh has to run, not to be skipped" ;;
  *) exit "$status" ;;
esac

say signature
if git config user.signingkey >/dev/null; then
  scripts/sign.sh $packages
else
  later "git config user.signingkey has to name the key that signs"
  scripts/sign.sh --rehearse $packages
fi

say tag
if [ -n "$dry" ]; then
  echo "   would tag $(git rev-parse --short HEAD) as v$version"
else
  git tag -s "v$version" -m "Warpwise $version"
  echo "   v$version; docs/releasing.md says what remains"
fi
