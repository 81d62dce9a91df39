#!/usr/bin/env python3
"""Renders the tables of recorded measurements into the documents, between the markers
<!-- results: NAME --> and <!-- end -->, so that no figure is typed by hand.

  scripts/render-results.py           rewrites the documents
  scripts/render-results.py --check   fails when a document differs from what is recorded
"""
import json
import pathlib
import re
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = ["README.md", "docs/performance.md"]
# What the README shows: the main case of each primitive, at the sizes of the documents.
IMAGE = (4096, 3072)
HEADLINES = [("copy", "u8 image", IMAGE), ("convert", "rgb24 to ycbcr32", IMAGE),
             ("sobel", "u8 magnitude l1", IMAGE), ("threshold", "u8 mean window 31", IMAGE),
             ("match", "sad 32x32 search -16:15", (12000, 1024)), ("gemv", "f32", (16384, 16384))]


def load():
    path = REPOSITORY / "results" / "nvidia-h200" / "gpu_bench.json"
    return json.loads(path.read_text(encoding="utf-8"))


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


def render(text, report):
    renderers = {"headline": headline, "everything": everything}

    def replace(match):
        name = match.group(1)
        return f"<!-- results: {name} -->\n{renderers[name](report)}\n<!-- end -->"

    return re.sub(r"<!-- results: (\w+) -->\n.*?<!-- end -->", replace, text, flags=re.DOTALL)


def main():
    report = load()
    stale = []
    for name in DOCUMENTS:
        path = REPOSITORY / name
        text = path.read_text(encoding="utf-8")
        rendered = render(text, report)
        if rendered == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv[1:]:
            path.write_text(rendered, encoding="utf-8")
    if stale and "--check" in sys.argv[1:]:
        sys.exit(f"not what is recorded, run scripts/render-results.py: {', '.join(stale)}")


if __name__ == "__main__":
    main()
