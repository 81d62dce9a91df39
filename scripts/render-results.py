#!/usr/bin/env python3
"""Renders the tables of recorded measurements into the documents, between the markers
<!-- results: NAME --> and <!-- end -->, so that no figure is typed by hand. Above the table of a
ladder or a study stands its plot, which scripts/render-plots.sh has drawn beside the record.

  scripts/render-results.py           rewrites the documents
  scripts/render-results.py --check   fails when a document differs from what is recorded
"""
import html
import json
import os
import pathlib
import re
import sys

import advice_tables
import bench_tables
import build_tables
import counter_tables
import coverage_tables
import fault_tables
import flopbench_tables
import form_tables
import format_tables
import ladder_tables
import opencv_tables
import pair_tables
import prediction_tables
import program_tables
import python_speed_tables
import python_stack_tables
import python_suite_tables
import race_tables
import stream_tables
import study_tables
import trust_tables

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = ["README.md", "README.ko.md", "CONTRIBUTING.md", "docs/advice.md", "docs/emulator.md", "docs/emulator-host-code.md", "docs/formats.md", "docs/gpu-python.md", "docs/how-it-is-tested.md", "docs/ko/gpu-python.md", "docs/ko/how-it-is-tested.md", "docs/live.md", "docs/measurements.md", "docs/performance.md",
             "docs/prediction.md",
             *sorted(str(path.relative_to(REPOSITORY))
                     for pages in ("primitives/*/ladder", "studies/*")
                     for path in REPOSITORY.glob(f"warpwise/{pages}/README.md"))]
# Functions that make the text of one experiment of a ladder or a study, by the first word of a marker's name.
OF_ONE_RECORD = {"ladder": ladder_tables.ladder, "experiment": ladder_tables.experiment,
                 "branches": ladder_tables.branches, "plot": ladder_tables.ladder_origin,
                 "planes": study_tables.planes, "figures": study_tables.figures, "curves": study_tables.curves,
                 "shares": study_tables.shares, "halved": study_tables.halved}
# Functions that make a table of hardware counters, by the same first word.
OF_COUNTERS = {"counters": counter_tables.counters, "waits": counter_tables.waits}
NOT_RECORDED = "Not recorded yet."


SCALING = REPOSITORY / "results/nvidia-h100/cpu_scaling.json"
GROWTH = sorted((REPOSITORY / "results/nvidia-h100").glob("growth*.json"))


def load(name):
    return json.loads((REPOSITORY / "results" / name).read_text(encoding="utf-8"))


def record_path(name):
    """Returns the record of an experiment of a ladder or a study, LADDER-EXPERIMENT: an H200's, or else an H100's."""
    for device in ("nvidia-h200", "nvidia-h100"):
        for folder in ("ladders", "studies"):
            path = REPOSITORY / "results" / device / folder / f"{name}.json"
            if path.exists():
                return path
    return None


def read_record(name):
    path = record_path(name)
    return json.loads(path.read_text(encoding="utf-8")) if path else None


def picture(name, folder):
    """Returns the plot of a record for a document in this folder, and the link to its figures."""
    path = record_path(name)
    plot = path.with_suffix(".svg")
    svg = plot.read_text(encoding="utf-8") if plot.exists() else ""
    if json.loads(path.read_text(encoding="utf-8"))["machine"]["commit"] not in svg:
        sys.exit(f"{plot} is not of what is recorded: run scripts/render-plots.sh")
    title, description = (html.unescape(re.search(f"<{tag} [^>]*>(.*?)</{tag}>", svg, re.DOTALL)[1])
                          for tag in ("title", "desc"))
    says = re.sub(r"[\[\]\\<>]", "", f"{title}. {description}")
    there = os.path.relpath(plot, REPOSITORY / folder)
    return f"![{says}]({there})\n\n[The plot's figures]({there.removesuffix('.svg')}.csv)\n\n"


def record_of(kind, what):
    """Returns the record that a marker names; for a ladder, the experiment with all its rungs."""
    return f"{what}-ladder" if kind == "ladder" else what


def rendered(name, benches):
    """Returns the text between a marker of this name and its end, without the plot."""
    kind, _, what = name.partition(" ")
    if kind in benches:
        return benches[kind]()
    if kind == "build":
        return build_tables.rendered(REPOSITORY / "results", what)
    if kind == "stream":
        return stream_tables.rendered(REPOSITORY / "results/amd-epyc/stream.json")
    if kind == "predictions":
        return prediction_tables.rendered(REPOSITORY / "results/predictions.json", what)
    if kind == "flopbench":
        return flopbench_tables.rendered(REPOSITORY / "results/flopbench.json", what)
    if kind == "pairs":
        return pair_tables.rendered(what)
    if kind == "programs":
        return program_tables.rendered(REPOSITORY / "results/emulator/programs", what)
    if kind == "python_suites":
        return python_suite_tables.rendered(REPOSITORY / "results/emulator/python", what)
    if kind == "python_speed":
        return python_speed_tables.rendered(load("emulator/python-speed.json"))
    if kind == "python_stacks":
        return python_stack_tables.rendered(load("emulator/python-stacks.json"))
    if kind == "advice":
        return advice_tables.rendered(REPOSITORY / "results/advice.json", what)
    if kind == "forms":
        return form_tables.rendered(REPOSITORY / "tests/emulator/ptx_forms.txt", REPOSITORY / "tests/golden/golden_forms.json", what)
    if kind == "formats":
        return format_tables.rendered(load("formats.json"), what)
    if kind == "faults":
        return fault_tables.rendered(load("emulator/faults.json"), load("emulator/sanitizer.json"), what)
    if kind == "races":
        return race_tables.rendered(REPOSITORY / "results/emulator/races", what)
    if kind == "decoding":
        return stream_tables.decoding(REPOSITORY / "results/nvidia-h200/decoding.json")
    if kind == "decoding_films":
        return stream_tables.decoding_films(REPOSITORY / "results/nvidia-h200/decoding_films.json")
    if kind == "end_to_end":
        return stream_tables.end_to_end(REPOSITORY / "results" / what / "end_to_end.json")
    if kind == "live":
        return stream_tables.live(REPOSITORY / "results/nvidia-h200/live.json", what)
    if kind == "opencv":
        return opencv_tables.rendered(opencv_tables.read(REPOSITORY / "results/amd-epyc/opencv_agreement.json"), what)
    if kind in OF_COUNTERS:
        return OF_COUNTERS[kind](load(f"nvidia-h200/counters/{what}.json"))
    if kind == "transfers":
        records = [record for record in map(read_record, what.split()) if record]
        return study_tables.transfers(records) if records else NOT_RECORDED
    record = read_record(record_of(kind, what))
    return OF_ONE_RECORD[kind](record) if record else NOT_RECORDED


def render(text, benches, folder):
    def replace(match):
        name = match.group(1)
        kind, _, what = name.partition(" ")
        record = record_of(kind, what)
        plot = picture(record, folder) if kind in OF_ONE_RECORD and record_path(record) else ""
        return f"<!-- results: {name} -->\n{plot}{rendered(name, benches)}\n<!-- end -->"

    return re.sub(r"<!-- results: ([\w -]+?) -->\n.*?<!-- end -->", replace, text, flags=re.DOTALL)


def main():
    benches = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((REPOSITORY / "results/nvidia-h200/gpu_bench").glob("*.json"))]
    gpu, python = [each for each in benches if each["rows"]], benches
    cpu = load("amd-epyc/cpu_bench.json")
    emulator = load("amd-epyc/emulator_bench.json")
    tables = {"headline": lambda: bench_tables.headline(gpu), "everything": lambda: bench_tables.everything(gpu),
               "growth": lambda: bench_tables.growth(GROWTH),
               "beside_python": lambda: bench_tables.beside_python(python),
               "cpu": lambda: bench_tables.cpu(cpu), "gemv_cpu": lambda: bench_tables.gemv_cpu(cpu),
               "cpu_scaling": lambda: bench_tables.cpu_scaling(load("nvidia-h100/cpu_scaling.json")) if SCALING.exists() else NOT_RECORDED,
               "gemv_gpu": lambda: bench_tables.gemv_gpu(load("nvidia-h200/gemv_shapes.json")),
               "emulator": lambda: bench_tables.emulator(emulator),
               "engines": lambda: bench_tables.engines(load("emulator/engines.json")),
               "trust": trust_tables.rendered, "coverage": lambda: coverage_tables.coverage(load("coverage.json")),
               "soak": lambda: coverage_tables.soak(load("soak.json"))}
    stale = []
    for name in DOCUMENTS:
        path = REPOSITORY / name
        text = path.read_text(encoding="utf-8")
        result = render(text, tables, path.parent)
        if result == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv[1:]:
            path.write_text(result, encoding="utf-8")
    if stale and "--check" in sys.argv[1:]:
        sys.exit(f"not what is recorded, run scripts/render-results.py: {', '.join(stale)}")


if __name__ == "__main__":
    main()
