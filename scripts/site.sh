#!/usr/bin/env bash
# Makes a site of all pages, with a menu and a search: build/site/index.html, which a browser opens as a file. A link that leads nowhere is
# an error. Sphinx does it, with the settings of scripts/site/conf.py; it takes about 20 s.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/checks-venv.sh
mkdir -p build
build/checks-venv/bin/sphinx-build -W --keep-going -q -j auto -E -c scripts/site -d build/site-cache -b html . build/site
cp build/site/README.html build/site/index.html
