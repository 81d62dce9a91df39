#!/usr/bin/env bash
# Compares the symbols that the shared libraries export with the lists in tests/package/abi.
#
#   scripts/abi.sh [BUILD]             fails if the libraries of BUILD (build/release) differ from the lists
#   scripts/abi.sh --write [BUILD]     writes the lists
#   scripts/abi.sh --since TAG         fails if a symbol of TAG's lists is missing in today's lists. A new minor version
#                                      may drop symbols, because it changes the libraries' file names
set -euo pipefail
cd "$(dirname "$0")/.."

libraries=(libwarpwise libwarpwise_emulator libwarpwise_testbench)
# Weak symbols are left out: inline functions and templates, which each program compiles for itself.
symbols() { nm -D --defined-only "$1" | awk '$2 ~ /^[TBDR]$/ { print $3 }' | LC_ALL=C sort; }
minor() { sed -nE 's/^project\(warpwise VERSION ([0-9]+\.[0-9]+)\..*/\1/p'; }

if [ "${1:-}" = --since ]; then
  [ "$(git show "$2:CMakeLists.txt" | minor)" = "$(minor <CMakeLists.txt)" ] || exit 0
  status=0
  for library in "${libraries[@]}"; do
    gone=$(LC_ALL=C comm -23 <(git show "$2:tests/package/abi/$library.symbols") "tests/package/abi/$library.symbols" | c++filt)
    [ -z "$gone" ] || { echo "$library has lost since $2:"; echo "$gone"; status=1; }
  done
  exit $status
fi

write=
if [ "${1:-}" = --write ]; then write=1; shift; fi
build=${1:-build/release}
mkdir -p tests/package/abi
for library in "${libraries[@]}"; do
  if [ -n "$write" ]; then
    symbols "$build/lib/$library.so" >"tests/package/abi/$library.symbols"
  elif ! difference=$(diff "tests/package/abi/$library.symbols" <(symbols "$build/lib/$library.so")); then
    echo "$difference" | grep '^[<>]' | c++filt | head -n 20
    echo "$library exports other symbols (>) than tests/package/abi says (<): scripts/abi.sh --write if the change is intended" >&2
    exit 1
  fi
done
