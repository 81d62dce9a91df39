"""Makes the tables of results/predictions.json, which scripts/predictions.py writes."""
import json

from predictions import summary
from tables import table


def ratio_cells(one):
    return [str(one["points"]), "–" if one["rank_correlation"] is None else f"{one['rank_correlation']:.2f}",
            f"{100 * one['median_error']:.0f} %",
            f"{one['ratio_least']:.2f} … {one['ratio_median']:.2f} … {one['ratio_greatest']:.2f}"]


HEAD = ["points", "rank correlation", "median error", "predicted : measured, least … median … greatest"]


def recorded(result):
    """Makes the H200's table: each experiment, and all of them together."""
    rows = [[f"{each['study']} {each['experiment'] or ''}".strip(), *ratio_cells(each)] for each in result["experiments"]]
    rows.append(["**all**", *ratio_cells(result["all"])])
    rows.append(["every second rung by name", *ratio_cells(result["every_second_rung"])])
    return table(["experiment", *HEAD], rows)


def documents(result):
    rows = [[f"{each['record'].removeprefix('document ')}, {each['study']} {each['experiment']}", each["device"],
             *ratio_cells(each)] for each in result["documents"]]
    return table(["document's table", "profile", *HEAD], rows)


def document_rows(result):
    """Makes a table of each time in a document beside its prediction."""
    rows = [[f"{each['study']} {each['experiment']}", row["rung"], f"{row['measured_us']:,.0f}",
             f"{row['predicted_us']:,.0f}", f"{row['predicted_us'] / row['measured_us']:.2f}", row["rules"]]
            for each in result["documents"] for row in each["rows"]]
    return table(["table", "rung", "document, µs", "predicted, µs", "predicted : document", "predicted bottleneck"], rows)


def misses(result):
    """Lists the twelve kernels with the largest errors, each by its worst row."""
    worst = {}
    for each in result["experiments"]:
        for row in each["rows"]:
            off = row["predicted_us"] / row["measured_us"]
            off = max(off, 1 / off)
            name = f"{each['study']}/{row['rung']}"
            if name not in worst or worst[name][0] < off:
                worst[name] = (off, row, each["experiment"])
    rows = [[name, experiment or "", f"{row['measured_us']:,.1f}", f"{row['predicted_us']:,.1f}",
             f"{row['predicted_us'] / row['measured_us']:.2f}", row["rules"]]
            for name, (off, row, experiment) in sorted(worst.items(), key=lambda item: -item[1][0])[:12]]
    return table(["rung", "experiment", "measured, µs", "predicted, µs", "predicted : measured", "predicted bottleneck"], rows)


def sizes(result):
    """Ranks each ladder at one size: with several sizes, the ranking would mostly be of the sizes."""
    rows = []
    for each in result["experiments"]:
        if each["experiment"] != "ladder":
            continue
        for size in sorted({tuple(row["size"]) for row in each["rows"]}):
            of_size = [row for row in each["rows"] if tuple(row["size"]) == size]
            rows.append([each["study"], "×".join(map(str, size)), *ratio_cells(summary(of_size))])
    return table(["ladder", "size", *HEAD], rows)


PARTS = {"sizes": sizes, "recorded": recorded, "documents": documents, "document_rows": document_rows, "misses": misses}


def rendered(path, part):
    if not path.exists():
        return "Not recorded yet."
    return PARTS[part](json.loads(path.read_text(encoding="utf-8")))
