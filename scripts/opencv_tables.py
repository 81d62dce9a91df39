"""Tables of the records of scripts/record-opencv.py."""
import json

from tables import table

# Units of rows that have no largest difference.
NO_SIZE = ("files", "places")


def origin(record):
    machine = record["machine"]
    opencv = f"OpenCV {record['opencv']}, " if "opencv" in record else ""
    return (f"{machine['cpu']}, {opencv}commit {machine['commit']}, {machine['date'][:10]}. "
            f"Method: {machine['method']}.")


def differing(row):
    if row["differing"] == 0:
        return ["none", "", ""]
    # Pixels of a threshold are black or white: a largest difference says nothing.
    largest = "" if row["primitive"] == "threshold" or row["unit"] in NO_SIZE else f"{row['largest']:.2g}"
    share = 100 * row["differing"] / row["compared"]
    return [f"{row['differing']:,}" + (f" ({share:.2g} %)" if share >= 0.01 else ""), largest, row["first"]]


def pixels(record):
    rows = [[row["primitive"], row["what"], row["peer"], f"{row['compared']:,} {row['unit']}", *differing(row)]
            for row in record["rows"]]
    return table(["primitive", "what", "OpenCV's", "compared", "differ", "by at most", "the first"], rows)


def memory(record):
    rows = [[row["what"], *(f"{row[who]['peak_mib']:.1f}" for who in ["ours", "opencv"]),
             *(str(row[who]["libraries"]) for who in ["ours", "opencv"])] for row in record["rows"]]
    return table(["sobel of", "peak MiB, warpwise", "OpenCV", "libraries, warpwise", "OpenCV"], rows)


def times(record):
    def cells(kind):
        return [f"{1000 * kind['ours_s']:.4g}", f"{1000 * kind['opencv_s']:.4g}",
                f"{kind['ratio']:.2f} [{kind['least']:.2f}, {kind['most']:.2f}]"]

    rows = [[row["what"], *cells(row["cpu"]), *cells(row["wall"])] for row in record["rows"]]
    return table(["sobel of", "CPU ms, warpwise", "OpenCV", "times as much", "wall ms, warpwise", "OpenCV", "times as long"], rows)


PARTS = {"pixels": pixels, "memory": memory, "times": times}


def read(path):
    """Returns the existing records."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def rendered(recorded, part):
    """Makes the table of one part, with its origin."""
    if part not in recorded:
        return "Not recorded yet."
    return f"{origin(recorded[part])}\n\n{PARTS[part](recorded[part])}"
