#!/usr/bin/env python3
"""Records what `warpwise stream` makes of files of many formats: results/formats.json. docs/formats.md shows it.

    scripts/record-formats.py [--command build/release/bin/warpwise] [--date YYYY-MM-DD]

ffmpeg makes the files, so the record names its version. tests/command/formats_test.py runs the same files and compares.
"""
import argparse
import datetime
import tempfile

import formats
import recording


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default=str(recording.REPOSITORY / "build/release/bin/warpwise"))
    parser.add_argument("--date", default=datetime.date.today().isoformat())
    arguments = parser.parse_args()
    commit = recording.clean_commit("record-formats.py")
    with tempfile.TemporaryDirectory(prefix="warpwise-formats-") as folder:
        rows = formats.table_of(arguments.command, folder)
    recording.write(recording.REPOSITORY / "results/formats.json",
                    {"date": arguments.date, "commit": commit, "ffmpeg": recording.first_line("ffmpeg", "-version").split()[2], "files": rows})


if __name__ == "__main__":
    main()
