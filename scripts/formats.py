"""Makes files of common formats, runs `warpwise stream FILE SINK` on each, and says which properties of the file
survived.

A cell names the fate of pixels, turn (rotation), times and alpha: "kept", changed ("as yuv420p"), "refused" and so on.
All of it is measured: ffprobe and ffmpeg find the pixels, times and turns of the result.
"""
import json
import pathlib
import re
import subprocess

SINKS = (".mkv", ".mp4", ".mov", ".avi", ".y4m", "frames/")
LOSSLESS = (".mkv", ".y4m")
WITHOUT_TIMES = (".y4m", "frames/")
MOVING = ["-f", "lavfi", "-i", "testsrc2=size=96x64:rate=25:duration=0.2"]
# Each file's name in the table, its file name, and ffmpeg's options. All frames are 96x64.
VIDEOS = [
    ("H.264", "a.mp4", ["-pix_fmt", "yuv420p", "-c:v", "libx264"]),
    ("H.264, full range", "b.mp4", ["-pix_fmt", "yuvj420p", "-c:v", "libx264"]),
    ("H.264, 4:2:2", "c.mp4", ["-pix_fmt", "yuv422p", "-c:v", "libx264"]),
    ("H.264, 4:4:4", "d.mp4", ["-pix_fmt", "yuv444p", "-c:v", "libx264"]),
    ("H.264, RGB", "e.mkv", ["-pix_fmt", "rgb24", "-c:v", "libx264rgb"]),
    ("H.264, 10 bits", "f.mp4", ["-pix_fmt", "yuv420p10le", "-c:v", "libx264"]),
    ("HEVC, 10 bits", "g.mp4", ["-pix_fmt", "yuv420p10le", "-c:v", "libx265", "-x265-params", "log-level=none"]),
    ("HEVC, 12 bits", "h.mp4", ["-pix_fmt", "yuv420p12le", "-c:v", "libx265", "-x265-params", "log-level=none"]),
    ("VP8", "i.webm", ["-pix_fmt", "yuv420p", "-c:v", "libvpx"]),
    ("VP9, 10 bits", "j.webm", ["-pix_fmt", "yuv420p10le", "-c:v", "libvpx-vp9"]),
    ("AV1", "k.mkv", ["-pix_fmt", "yuv420p", "-c:v", "libsvtav1"]),
    ("MPEG-2", "l.mpg", ["-pix_fmt", "yuv420p", "-c:v", "mpeg2video"]),
    ("MJPEG", "m.avi", ["-pix_fmt", "yuvj420p", "-c:v", "mjpeg"]),
    ("MJPEG, 4:2:2", "n.avi", ["-pix_fmt", "yuvj422p", "-c:v", "mjpeg"]),
    ("ProRes", "o.mov", ["-pix_fmt", "yuv422p10le", "-c:v", "prores_ks"]),
    ("v210", "p.mov", ["-pix_fmt", "yuv422p10le", "-c:v", "v210"]),
    ("FFV1, grey", "q.mkv", ["-pix_fmt", "gray", "-c:v", "ffv1"]),
    ("FFV1, grey, 16 bits", "r.mkv", ["-pix_fmt", "gray16le", "-c:v", "ffv1"]),
    ("FFV1, RGB, 10 bits", "s.mkv", ["-pix_fmt", "gbrp10le", "-c:v", "ffv1"]),
    ("FFV1, RGB, 16 bits", "t.mkv", ["-pix_fmt", "rgb48le", "-c:v", "ffv1"]),
    ("FFV1, 4:1:1", "u.mkv", ["-pix_fmt", "yuv411p", "-c:v", "ffv1"]),
    ("FFV1, 4:4:0", "v.mkv", ["-pix_fmt", "yuv440p", "-c:v", "ffv1"]),
    ("FFV1, 4:2:0 and alpha", "w.mkv", ["-pix_fmt", "yuva420p", "-c:v", "ffv1"]),
    ("ProRes 4444 and alpha", "ah.mov", ["-pix_fmt", "yuva444p10le", "-c:v", "prores_ks"]),
    ("QuickTime Animation and alpha", "ai.mov", ["-vf", "format=argb,colorchannelmixer=aa=0.5", "-c:v", "qtrle"]),
    ("FFV1, RGB and alpha, 16 bits", "aj.mkv", ["-pix_fmt", "gbrap16le", "-c:v", "ffv1"]),
    ("PNG, RGB and alpha", "x.mov", ["-vf", "format=rgba,colorchannelmixer=aa=0.5", "-c:v", "png"]),
    ("packed 4:2:2", "y.avi", ["-pix_fmt", "yuyv422", "-c:v", "rawvideo"]),
    ("nv12", "z.nut", ["-pix_fmt", "nv12", "-c:v", "rawvideo"]),
    ("H.264, interlaced", "aa.mkv", ["-vf", "interlace", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-flags", "+ilme+ildct"]),
    ("H.264, varying rate", "ab.mp4", ["-vf", "select=not(eq(n\\,1)+eq(n\\,2))", "-fps_mode", "passthrough", "-pix_fmt", "yuv420p",
                                       "-bf", "0", "-c:v", "libx264"]),
    ("GIF", "ac.gif", ["-vf", "settb=1/100,setpts=N*N*10", "-fps_mode", "passthrough"]),
    ("animated PNG", "ad.apng", ["-plays", "0", "-pix_fmt", "rgb24"]),
    ("TIFF, grey, 16 bits", "af.tif", ["-frames:v", "1", "-pix_fmt", "gray16le"]),
    ("PNG, RGB, 16 bits", "ag.png", ["-frames:v", "1", "-pix_fmt", "rgb48be"]),
    ("PNG, RGB and alpha, 16 bits", "ak.png", ["-frames:v", "1", "-pix_fmt", "rgba64be"]),
]
LOSS_OF_A_LOSSY_FILE = 4  # mean difference of pixels, of 255 levels; differently turned frames differ by more than 40
TURNS = [("H.264, a quarter turn", "ba.mp4", "90"), ("H.264, half a turn", "bb.mp4", "180")]


def run(*command):
    return subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=120)


def ffmpeg(*arguments):
    done = run("ffmpeg", "-nostdin", "-v", "error", "-y", *arguments)
    if done.returncode != 0:
        raise RuntimeError(f"ffmpeg {' '.join(map(str, arguments))}: {done.stderr.decode()}")
    return done.stdout


def make(folder):
    """Makes the files; returns pairs of a file's name in the table and its path."""
    made = []
    for title, name, options in VIDEOS:
        ffmpeg(*MOVING, *options, folder / name)
        made.append((title, folder / name))
    for title, name, degrees in TURNS:
        ffmpeg("-i", folder / "a.mp4", "-c", "copy", "-metadata:s:v:0", f"rotate={degrees}", folder / name)
        made.append((title, folder / name))
    return made


def described(path):
    """Returns the pixels, size, turn and times of a file's frames, as ffprobe finds them."""
    shown = json.loads(run("ffprobe", "-v", "error", "-of", "json", "-select_streams", "v:0", "-show_entries",
                           "stream=pix_fmt,width,height:stream_side_data=rotation:stream_tags=rotate:frame=best_effort_timestamp_time",
                           "-show_frames", path).stdout)
    stream = shown["streams"][0]
    turns = [data["rotation"] for data in stream.get("side_data_list", []) if "rotation" in data]
    return {"stored": stream["pix_fmt"], "pixels": re.sub("^yuvj", "yuv", stream["pix_fmt"]), "size": [stream["width"], stream["height"]],
            "turn": turns[0] if turns else 0,
            "times": [float(frame["best_effort_timestamp_time"]) for frame in shown["frames"] if "best_effort_timestamp_time" in frame]}


def samples(path, pixels, is_turned=False):
    """Returns all samples of a file. If `is_turned`, its frames are turned as its tag says."""
    turn = [] if is_turned else ["-noautorotate"]
    return ffmpeg(*turn, "-i", path, "-fps_mode", "passthrough", "-pix_fmt", pixels, "-f", "rawvideo", "-")


def has_alpha(pixels):
    return bool(re.search("yuva|gbrap|rgba|bgra|argb|abgr|ya8|pal8", pixels))


def of_pixels(source, path, result, sink, is_lossless):
    name = "" if result["pixels"] == source["pixels"] else f"as {result['pixels']}"
    is_turned = source["turn"] != result["turn"]
    if not is_lossless:
        return name or "kept"
    if samples(path, source["stored"], is_turned) == samples(sink, source["stored"]):
        return f"kept, {name}" if name else "kept"
    return name or "changed"


def of_turn(source, path, result, sink):
    """Compares the first frames of source and result, in grey. ffmpeg turns the source's frame by its tag, and leaves
    the result's frame as it is stored."""
    if result["turn"] == source["turn"]:
        return "as a tag"
    count = source["size"][0] * source["size"][1]
    expected = samples(path, "gray", is_turned=True)[:count]
    found = samples(sink, "gray")[:count]
    difference = sum(abs(one - other) for one, other in zip(expected, found)) / count
    return "applied" if result["turn"] == 0 and difference < LOSS_OF_A_LOSSY_FILE else "lost"


def of_times(source, result):
    def relative(times):
        return [round(time - times[0], 3) for time in times]
    if len(result["times"]) == len(source["times"]) and relative(result["times"]) == relative(source["times"]):
        return "kept"
    return "others"


def pictures_of(folder):
    """Describes the first picture of a folder; its times are left out."""
    first = sorted(folder.iterdir())[0]
    return {**described(first), "times": []}, first


def outcome(command, source, path, sink, folder):
    """Runs one file into one sink. Returns what became of each property of `source`, and the command's messages."""
    to = folder / "out/" if sink == "frames/" else folder / f"out{sink}"
    done = run(command, "stream", path, f"{to}/" if sink == "frames/" else to, "--backend", "cpu")
    said = (done.stdout + done.stderr).decode().replace(f"{folder}/", "")
    found = {}
    steps = [after - before for before, after in zip(source["times"], source["times"][1:])]
    if done.returncode != 0:
        found["pixels"] = "refused"
    else:
        result, place = pictures_of(to) if sink == "frames/" else (described(to), to)
        found["pixels"] = of_pixels(source, path, result, place, sink in LOSSLESS)
        if source["turn"]:
            found["turn"] = of_turn(source, path, result, place)
        if steps and max(steps) - min(steps) > 0.002 and sink not in WITHOUT_TIMES:
            found["times"] = of_times(source, result)
        if has_alpha(source["pixels"]):
            is_said = "does not hold: alpha" in said or "without its alpha" in said
            dropped = "dropped, said" if is_said else "dropped"
            found["alpha"] = "kept" if has_alpha(result["pixels"]) else dropped
    run("rm", "-rf", to)
    words = [line for line in said.splitlines() if line.startswith("warpwise: ") or "does not hold" in line]
    return found, words


def table_of(command, folder):
    """Returns a row for each file: its pixels, the fate of its properties in each sink, and the command's messages."""
    folder = pathlib.Path(folder)
    rows = []
    for title, path in make(folder):
        source = described(path)
        row = {"file": title, "type": path.suffix, "pixels": source["pixels"], "into": {}, "said": []}
        for sink in SINKS:
            found, words = outcome(command, source, path, sink, folder)
            row["into"][sink] = found
            row["said"] += [word for word in words if word not in row["said"]]
        rows.append(row)
    return rows
