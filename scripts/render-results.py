#!/usr/bin/env python3
"""Renders the tables of recorded measurements into the documents, between the markers
<!-- results: NAME --> and <!-- end -->, so that no figure is typed by hand.

  scripts/render-results.py           rewrites the documents
  scripts/render-results.py --check   fails when a document differs from what is recorded
"""
import json
import pathlib
import re
import statistics
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = ["README.md", "docs/emulator.md", "docs/performance.md"]
# What the README shows: the main case of each primitive, at the sizes of the documents.
IMAGE = (4096, 3072)
HEADLINES = [("copy", "u8 image", IMAGE), ("convert", "rgb24 to ycbcr32", IMAGE),
             ("sobel", "u8 magnitude l1", IMAGE), ("threshold", "u8 mean window 31", IMAGE),
             ("match", "sad 32x32 search -16:15", (12000, 1024)), ("gemv", "f32", (16384, 16384))]


def load(name):
    return json.loads((REPOSITORY / "results" / name).read_text(encoding="utf-8"))


def time_text(row):
    return f"{row['median_us']:.1f} µs [{row['p5_us']:.1f}, {row['p95_us']:.1f}]"


def measured_cells(row):
    return [time_text(row), f"{row['gb_per_s']:.0f}", f"{100 * row['share_of_roof']:.0f} %"]


def table(header, rows):
    lines = [" | ".join(header), " | ".join("---" for _ in header)]
    lines += [" | ".join(row) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


def origin(report):
    machine = report["machine"]
    return (f"{machine['gpu']}, driver {machine['driver']}, CUDA {machine['toolkit']}, "
            f"commit {machine['commit']}, {machine['date'][:10]}")


def peers_of(report, row):
    """Peers that did the same work on the same size in the same run."""
    same = ("primitive", "variant", "width", "height")
    return [other for other in report["rows"] if other["implementation"] != "warpwise"
            and all(other[key] == row[key] for key in same)]


def headline(report):
    rows = []
    for primitive, variant, size in HEADLINES:
        for row in report["rows"]:
            if (row["primitive"], row["variant"], (row["width"], row["height"]),
                    row["implementation"]) == (primitive, variant, size, "warpwise"):
                peers = [f"{peer['implementation']}: {peer['median_us']:.1f} µs"
                         for peer in peers_of(report, row)]
                rows.append([f"{primitive}, {variant}", f"{size[0]}×{size[1]}", *measured_cells(row),
                             "; ".join(peers) or "none does the same"])
    text = table(["", "size", "median [5 %, 95 %]", "GB/s", "of the copy roof", "peer"], rows)
    return f"{text}\n\n{origin(report)}; the roof is {report['roof_gb_per_s']:.0f} GB/s."


def everything(report):
    rows = [[row["primitive"], row["variant"], f"{row['width']}×{row['height']}",
             row["implementation"], *measured_cells(row)]
            for row in report["rows"] if row["primitive"] != "roof"]
    text = table(["primitive", "what", "size", "by", "median [5 %, 95 %]", "GB/s",
                  "of the roof"], rows)
    method = report["method"][0].upper() + report["method"][1:]
    return (f"{origin(report)}. Roof: {report['roof_gb_per_s']:.0f} GB/s.\n\n"
            f"Method: {method}.\n\n{text}")


def cpu_row(row):
    """What the name of a row of cpu_bench says, and its figures."""
    primitive, what, size, threads = row["name"].split("/")[:4]
    counters = {key: value for key, value in row.items() if key.endswith("_%")}
    roof, share = next(iter(counters.items()))
    return {**row, "primitive": primitive, "what": what, "size": size.replace("x", "×"),
            "threads": int(threads.split()[0]), "roof": roof.removesuffix("_%").replace("_", " "),
            "share": share, "ms": row.get("ours_ms", row["real_time"]),
            "peer": row.get("label", "").removeprefix("x ")}


def milliseconds(value):
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def cpu_origin(report):
    machine = report["machine"]
    return (f"{machine['cpu']}, {machine['compiler']}, commit {machine['commit']}, "
            f"{machine['date'][:10]}." + (f" Note: {machine['note']}." if "note" in machine else ""))


def cpu(report):
    rows = []
    for row in map(cpu_row, report["rows"]):
        if row["primitive"] == "gemv":
            continue
        beside = (f"{row['ratio']:.2f} [{row['ratio_p5']:.2f}, {row['ratio_p95']:.2f}]"
                  if "ratio" in row else "none does the same")
        rows.append([row["primitive"], row["what"], row["size"], str(row["threads"]),
                     milliseconds(row["ms"]), f"{row['share']:.0f} % of {row['roof']}", beside,
                     row["peer"] if "ratio" in row else ""])
    text = table(["primitive", "what", "size", "threads", "ms", "of the roof",
                  "times as fast as the peer", "peer"], rows)
    text = f"{cpu_origin(report)}\n\nMethod: {report['machine']['method']}.\n\n{text}"
    other = report.get("ffmpeg")
    if other:
        text += (f"\n\nBeside ffmpeg, by CPU time, one thread each: {other['name']}, "
                 f"{other['size'].replace('x', '×')}, {other['searches']} searches: warpwise "
                 f"{other['ours_s']:.2f} s, {other['peer']} {other['peer_s']:.2f} s, "
                 f"{other['ratio']:.0f} times as long.")
    return text


def gemv_cpu(report):
    """Ratios to OpenBLAS: a line a shape, and their medians."""
    columns = {}
    shapes = {}
    for row in map(cpu_row, report["rows"]):
        if row["primitive"] != "gemv":
            continue
        kind, _, transposed = row["what"].partition(" ")
        case = (row["threads"], "Aᵀx" if transposed else "Ax")
        columns.setdefault(case, []).append(row["ratio"])
        shapes.setdefault((kind, row["size"]), {})[case] = row
    if not columns:
        return "Not recorded yet."
    cases = sorted(columns)
    header = ["shape", "columns × rows",
              *(f"{what}, {threads} thread{'s' if threads > 1 else ''}" for threads, what in cases)]
    rows = [[kind, size, *(f"{found[case]['ratio']:.2f} ({found[case]['share']:.0f} %)"
                           if case in found else "" for case in cases)]
            for (kind, size), found in shapes.items()]
    rows.append(["all", "median", *(f"{statistics.median(columns[case]):.2f}" for case in cases)])
    rows.append(["all", "at least 1", *(f"{sum(ratio >= 1 for ratio in columns[case])} of "
                                        f"{len(columns[case])}" for case in cases)])
    return f"{cpu_origin(report)}\n\n{table(header, rows)}"


def emulator(report):
    machine = report["machine"]
    rows = [[row["name"].split("/")[-1].replace("_", " "),
             f"{row['warp_instructions_per_s'] / 1e6:.0f}",
             f"{row['least'] / 1e6:.0f} to {row['most'] / 1e6:.0f}"] for row in report["rows"]]
    text = table(["kernel, counts", "median", f"of {report['rows'][0]['runs']} runs"], rows)
    return f"{text}\n\n{machine['cpu']}, commit {machine['commit']}, {machine['date'][:10]}."


def render(text, reports):
    gpu, host, emulated = reports
    renderers = {"headline": lambda: headline(gpu), "everything": lambda: everything(gpu),
                 "cpu": lambda: cpu(host), "gemv_cpu": lambda: gemv_cpu(host), "emulator": lambda: emulator(emulated)}

    def replace(match):
        name = match.group(1)
        return f"<!-- results: {name} -->\n{renderers[name]()}\n<!-- end -->"

    return re.sub(r"<!-- results: (\w+) -->\n.*?<!-- end -->", replace, text, flags=re.DOTALL)


def main():
    reports = (load("nvidia-h200/gpu_bench.json"), load("amd-epyc/cpu_bench.json"),
               load("amd-epyc/emulator_bench.json"))
    stale = []
    for name in DOCUMENTS:
        path = REPOSITORY / name
        text = path.read_text(encoding="utf-8")
        rendered = render(text, reports)
        if rendered == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv[1:]:
            path.write_text(rendered, encoding="utf-8")
    if stale and "--check" in sys.argv[1:]:
        sys.exit(f"not what is recorded, run scripts/render-results.py: {', '.join(stale)}")


if __name__ == "__main__":
    main()
