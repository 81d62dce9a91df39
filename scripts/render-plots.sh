#!/usr/bin/env bash
# Draws the plot of every recorded run of a ladder, a study or `bench --growth`, and writes the figures that it shows:
# NAME.svg and NAME.csv beside NAME.json. scripts/render-results.py then puts the plots into the documents. Measurements
# of transfers get no plot there, but one table of all ladders.
#
#   scripts/render-plots.sh [WARPWISE]     the command, build/release/bin/warpwise unless given
set -euo pipefail
cd "$(dirname "$0")/.."
warpwise=${1:-build/release/bin/warpwise}
for record in results/*/ladders/*.json results/*/studies/*.json results/*/growth*.json; do
  [[ $record == *-transfers* ]] && continue
  "$warpwise" lab plot "$record" --out "${record%.json}.svg"
done
