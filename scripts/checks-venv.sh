#!/usr/bin/env bash
# Installs the tools of scripts/checks-requirements.txt into build/checks-venv, unless they are installed already. If
# pip cannot install them, the script says why and ends with status 3.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=build/checks-venv
stamp=$venv/pinned
pinned=$(cat scripts/checks-requirements.txt)
[ "$(cat "$stamp" 2>/dev/null)" = "$pinned" ] && exit 0
mkdir -p build
if ! { python3 -m venv "$venv" &&
       "$venv/bin/pip" install --quiet --disable-pip-version-check -r scripts/checks-requirements.txt
     } >build/checks-venv.log 2>&1; then
  echo "the tools of scripts/checks-requirements.txt could not be installed (build/checks-venv.log): $(tail -n 1 build/checks-venv.log)"
  exit 3
fi
echo "$pinned" >"$stamp"
