"""The table of what scripts/record-stream.py records."""
import json

from opencv_tables import origin
from tables import table

NAMES = {"warpwise": "warpwise stream", "opencv": "OpenCV, the same bytes", "ffmpeg": "ffmpeg's filters"}


def rendered(path):
    if not path.exists():
        return "Not recorded yet."
    record = json.loads(path.read_text(encoding="utf-8"))

    def cells(kind):
        return [f"{kind['seconds']:.3g}", f"{kind['ratio']:.2f} [{kind['least']:.2f}, {kind['most']:.2f}]"]

    rows = [[NAMES[row["program"]], f"{row['fps']:,.0f}", *cells(row["wall"]), *cells(row["cpu"])] for row in record["rows"]]
    return f"{origin(record)}\n\n" + table(
        ["", "frames a second", "wall s", "times as long", "CPU s", "times as much"], rows)
