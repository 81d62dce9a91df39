#!/usr/bin/env python3
"""Takes what run.sh of the GPU bundle measured of the ladders into results/: a file for each experiment.

  scripts/record-ladders.py LADDERS.json... FOLDER       FOLDER is results/<device>
"""
import json
import pathlib
import sys


def main():
    *reports, folder = map(pathlib.Path, sys.argv[1:])
    target = folder / "ladders"
    target.mkdir(parents=True, exist_ok=True)
    for path in reports:
        for line in path.read_text(encoding="utf-8").splitlines():
            report = json.loads(line)
            # One row a line: a later run's differences can be read.
            rows = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in report.pop("results"))
            head = json.dumps(report, indent=1, ensure_ascii=False)[:-2]
            name = f"{report['ladder']}-{report['experiment']}.json"
            (target / name).write_text(f'{head},\n "results": [\n{rows}\n ]\n}}\n', encoding="utf-8")
            print(target / name)


if __name__ == "__main__":
    main()
