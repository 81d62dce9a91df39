"""Calls of ffmpeg and ffprobe for tests of videos."""

import subprocess

FAILED, BAD_USAGE = 1, 2


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments], check=True)


def probe(name, entries, *options):
    done = subprocess.run(["ffprobe", "-v", "error", "-of", "csv=p=0", *options, "-show_entries", entries, name],
                          capture_output=True, text=True, check=True)
    return done.stdout.split()
