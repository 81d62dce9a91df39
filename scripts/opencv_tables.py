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
    return table(["primitive", "case", "OpenCV's function", "compared", "different", "largest difference", "first difference"], rows)


def memory(record):
    rows = [[row["what"], *(f"{row[who]['peak_mib']:.1f}" for who in ["ours", "opencv"]),
             *(str(row[who]["libraries"]) for who in ["ours", "opencv"])] for row in record["rows"]]
    return table(["input of sobel", "peak memory of warpwise, MiB", "peak memory of OpenCV, MiB", "libraries of warpwise", "libraries of OpenCV"], rows)


def times(record):
    def cells(kind):
        return [f"{1000 * kind['ours_s']:.4g}", f"{1000 * kind['opencv_s']:.4g}",
                f"{kind['ratio']:.2f} [{kind['least']:.2f}, {kind['most']:.2f}]"]

    rows = [[row["what"], *cells(row["cpu"]), *cells(row["wall"])] for row in record["rows"]]
    return table(["input of sobel", *(f"{kind} time{what}" for kind in ["CPU", "wall"] for what in [" of warpwise, ms", " of OpenCV, ms", ", OpenCV / warpwise"])], rows)


PARTS = {"pixels": pixels, "memory": memory, "times": times}


def read(path):
    """Returns the existing records."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def rendered(recorded, part):
    """Makes the table of one part, with its origin."""
    if part not in recorded:
        return "Not recorded yet."
    return f"{origin(recorded[part])}\n\n{PARTS[part](recorded[part])}"
