"""Helps tests of streams from and to peers in the network: all of them are on the loopback device."""

import socket
import subprocess

LOCAL = "127.0.0.1"


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments], check=True)


def frames_in(name):
    done = subprocess.run(["ffprobe", "-v", "error", "-of", "csv=p=0", "-count_frames", "-select_streams", "v",
                           "-show_entries", "stream=nb_read_frames", name], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[0])


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind((LOCAL, 0))
        return probe.getsockname()[1]
