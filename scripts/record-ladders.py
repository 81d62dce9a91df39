#!/usr/bin/env python3
"""Copies what run.sh of the GPU bundle measured of ladders and studies into results/, with a file for each experiment.
Runs with hardware counters go to a folder of their own, without the single readings from which the comparison was
computed.

  scripts/record-ladders.py LADDERS.json... FOLDER       FOLDER is results/<device>
"""
import json
import pathlib
import sys


def refuse_unusable(report, path):
    if report["machine"]["commit"].endswith("-dirty"):
        sys.exit(f"record-ladders.py: {path} was measured with changes that are not committed; "
                 "a figure belongs to a commit")
    if report.get("interrupted"):
        sys.exit(f"record-ladders.py: {path} holds a run that was interrupted")
    if "unavailable" in report.get("counters", {}):
        sys.exit(f"record-ladders.py: {path} was to have counters: {report['counters']['unavailable']}")


def rungs_of(report):
    return {row["rung"] for row in report["results"]}


def record(report, path, folder):
    target = folder / ("counters" if "counters" in report else "ladders" if "ladder" in report else "studies")
    parts = [report.get("ladder") or report["study"], report.get("experiment")]
    file = target / ("-".join(filter(None, parts)) + ".json")
    lost = rungs_of(json.loads(file.read_text(encoding="utf-8"))) - rungs_of(report) if file.exists() else set()
    if lost:
        sys.exit(f"record-ladders.py: {path} holds a part of what {file} has: not {', '.join(sorted(lost))}; "
                 "remove that file if these are gone")
    for row in report["results"]:
        row.get("counters_of_counts", {}).pop("launches", None)
    target.mkdir(parents=True, exist_ok=True)
    # Writes one row a line, so that the differences to a later run are readable.
    rows = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in report.pop("results"))
    head = json.dumps(report, indent=1, ensure_ascii=False)[:-2]
    file.write_text(f'{head},\n "results": [\n{rows}\n ]\n}}\n', encoding="utf-8")
    print(file)


def main():
    *reports, folder = map(pathlib.Path, sys.argv[1:])
    for path in reports:
        for line in path.read_text(encoding="utf-8").splitlines():
            report = json.loads(line)
            refuse_unusable(report, path)
            record(report, path, folder)


if __name__ == "__main__":
    main()
