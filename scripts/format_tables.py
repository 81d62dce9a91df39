"""Makes the tables of the record of scripts/record-formats.py."""
from tables import table


def cell(found):
    """Returns the fates of a file's pixels, and of its turn, times and alpha if it has them, as one cell."""
    return ", ".join([found["pixels"], *(f"{name} {found[name]}" for name in ("turn", "times", "alpha") if name in found)])


def rendered(record, what):
    rows = record["files"]
    if what == "words":
        said = {}
        for row in rows:
            for words in row["said"]:
                said.setdefault(words, []).append(row["file"])
        return table(["message", "files"], [[f"`{words}`".replace("|", "\\|"), "; ".join(files)] for words, files in said.items()])
    sinks = list(rows[0]["into"])
    shown = [[row["file"], row["type"], row["pixels"], *(cell(row["into"][sink]) for sink in sinks)] for row in rows]
    origin = f"Files and results as FFmpeg {record['ffmpeg']} makes and reads them; commit {record['commit']}, {record['date']}."
    return table(["file", "type", "pixel format", *(f"`{sink}`" for sink in sinks)], shown) + "\n\n" + origin
