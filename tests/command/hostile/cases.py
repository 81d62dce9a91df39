"""Cases of the hostile trial: a command line, the exit code that it must have, and words of its message.

Paths that begin with "in/" are files of files.py. Outputs go to the case's own folder.
"""

import dataclasses

from files import WRONG_PTX, WRONG_Y4M
from support import sample

FAILED = 1
USAGE = 2
EITHER = (0, FAILED)  # the input is damaged, but a decoder may not notice it
COLOUR = "\x1b[31m"


@dataclasses.dataclass
class Case:
    words: tuple
    code: object            # 0, 1 or 2, or a tuple of allowed codes
    says: tuple = ()        # words of the one line on stderr
    stdin: object = None    # a path, or bytes
    shell: str = ""         # shell code that runs before the command: "ulimit -v 300000", redirections
    makes: tuple = ()       # names of the files that the command leaves
    compiles: bool = False  # the case needs a CUDA compiler
    images: bool = False    # the case needs the image module
    is_limited: bool = False  # only the trial's limit on memory makes the command fail


def case(*words, code=USAGE, says=(), **options):
    says = (says,) if isinstance(says, str) else tuple(says)
    return Case(tuple(str(word) for word in words), code, says, **options)


SOBEL = ("sobel", "in/a.npy", "out.npy")
THRESHOLD = ("threshold", "in/a.npy", "out.npy", "--window", "3")
MATCH = ("match", "in/a.npy", "in/a.npy", "out.csv", "--block-size", "4")
DISPARITY = ("disparity", "in/a.npy", "in/a.npy", "out.pfm")
FIND = ("find", "in/small.npy", "in/a.npy")
TRACK = ("track", "in/a.npy", "in/a.npy", "out.csv", "--box", "1,1,4,4")
GEMV = ("gemv", "in/real.npy", "in/vector.npy", "out.npy")
CONVERT = ("convert", "in/rgb.npy", "out.npy", "--to", "gray8")
EXPLAIN = ("explain", "in/good.ptx", "--grid", "1", "--block", "1")
LAUNCH = ("--grid", "1", "--block", "1")
RAW = ("--from", "gray8", "--size", "8x8")

BAD_INTEGERS = ["", "x", "-", "--", "1e3", "nan", "inf", "0x10", "1.5", " 1", "1 ", "1\n", "１", "+1",
                "99999999999999999999", "-99999999999999999999", COLOUR, "1" * 5000]
BAD_NUMBERS = ["", "x", "nan", "-inf", "1e999", "1,5", "1.5x", " 1", "0x1p3", COLOUR]
BAD_NAMES = ["", "X", "l1 ", "sobel\n", "ünïcode", COLOUR, "n" * 5000]
BAD_SIZES = ["", "8", "x", "8x", "x8", "0x8", "8x0", "-8x8", "8x8x8", "8*8", "8X8", "1e2x8", " 8x8",
             "99999999999999999999x8", "8x99999999999999999999", COLOUR]
BAD_RANGES = ["", "1", ":", "1:", ":1", "5:1", "a:b", "1:2:3", "1-2", "99999999999999999999:1", COLOUR]
BAD_BOXES = ["", "1", "1,2,3", "1,2,3,4,5", "-1,0,4,4", "0,0,0,4", "a,b,c,d", "1;1;4;4",
             "0,0,99999999999999999999,4", COLOUR]
BAD_DIMENSIONS = ["", "0", "x", "1,", ",1", "1,1,1,1", "0,1", "-1", "1.5", "4294967296", COLOUR]
BAD_ARGUMENTS = ["", "5", ":", "i32", "i32:x", "i33:5", "i32:99999999999", "u8:-1", "u8:256", "f32:x",
                 "f32[", "f32[]", "f32[0]", "f32[-1]", "f32[x]", "f32[4]:", "f32[4]:what", "f32[4]x",
                 "f32[99999999999999999999]", "f32[9000000000000000000]", "f64[4611686018427387904]",
                 "tex2d", "tex2d<u8>", "tex2d<u8>[4]", "tex2d<u9>[4x4]", "tex2d<f64>[4x4]",
                 "tex2d<u8>[0x4]", "tex3d<u8>[4x4]", COLOUR]
BAD_CAPABILITIES = ["", "9.", "x", "9.0,", ",9.0", "99.0", "9.9.9", "-1.0", COLOUR]


def bad_values():
    table = [
        (THRESHOLD[:3], "--window", BAD_INTEGERS + ["0", "2", "-1"]),
        (THRESHOLD, "--max", BAD_INTEGERS + ["-1", "65536"]),
        (SOBEL, "--threads", BAD_INTEGERS + ["0", "-1", "1025"]),
        (SOBEL, "--device", BAD_INTEGERS + ["-1"]),
        (MATCH[:4], "--block-size", BAD_INTEGERS + ["0", "-1", "257"]),
        (MATCH, "--stride", BAD_INTEGERS + ["0", "-1"]),
        (MATCH, "--search", BAD_INTEGERS + ["0", "-1"]),
        (DISPARITY, "--max-disparity", BAD_INTEGERS + ["-1"]),
        (DISPARITY, "--consistency", BAD_INTEGERS + ["-2"]),
        (DISPARITY, "--block-size", BAD_INTEGERS + ["0", "4"]),
        (EXPLAIN, "--shared", BAD_INTEGERS + ["-1"]),
        (EXPLAIN, "--arch", BAD_INTEGERS + ["0", "1000"]),
        (EXPLAIN, "--registers", BAD_INTEGERS + ["0", "256"]),
        (EXPLAIN, "--budget", BAD_INTEGERS + ["0", "-1"]),
        (THRESHOLD, "--offset", BAD_NUMBERS),
        (GEMV, "--alpha", BAD_NUMBERS + ["1e39"]),
        (GEMV, "--beta", BAD_NUMBERS),
        (SOBEL, "--norm", BAD_NAMES),
        (SOBEL, "--output", BAD_NAMES),
        (SOBEL, "--kernel", BAD_NAMES),
        (SOBEL, "--border", BAD_NAMES),
        (SOBEL, "--backend", BAD_NAMES),
        (THRESHOLD, "--method", BAD_NAMES),
        (CONVERT[:3], "--to", BAD_NAMES),
        (CONVERT, "--matrix", BAD_NAMES),
        (CONVERT, "--convention", BAD_NAMES),
        (CONVERT, "--chroma", BAD_NAMES),
        (CONVERT, "--from-range", BAD_NAMES),
        (MATCH, "--measure", BAD_NAMES),
        (MATCH, "--border", BAD_NAMES),
        (("sobel", "in/frames.raw", "out.raw", "--from", "gray8"), "--size", BAD_SIZES),
        (("sobel", "in/frames.raw", "out.raw", "--size", "8x8"), "--from", BAD_NAMES),
        (("explain", "sobel"), "--size", BAD_SIZES),
        (("lab", "run", "copy"), "--size", BAD_SIZES),
        (("lab", "run", "copy"), "--on", BAD_NAMES),
        (MATCH, "--search-x", BAD_RANGES),
        (DISPARITY, "--measure", BAD_NAMES),
        (TRACK[:4], "--box", BAD_BOXES),
        (EXPLAIN[:2] + EXPLAIN[4:], "--grid", BAD_DIMENSIONS),
        (EXPLAIN[:4], "--block", BAD_DIMENSIONS),
        (EXPLAIN, "--cc", BAD_CAPABILITIES),
        (EXPLAIN, "--dump", ["", "0", "0=", "=a.npy", "x=a.npy", "0=a.txt", "-1=a.npy", COLOUR]),
    ]
    for words, option, values in table:
        for value in values:
            yield case(*words, option, value, says=option)
    for value in BAD_ARGUMENTS:
        yield case("explain", "in/buffer.ptx", *LAUNCH, "--arg", value, says="--arg")
    for value in BAD_NAMES:
        yield case("lab", "run", "copy", "--profile", value, says="profile of a device")


def stages():
    """Yields texts of pipelines with bad values. A space inside a value would end the option."""
    words = ("stream", "test:bars", "null", "--size", "8x8", "--frames", "1", "--pipeline")
    table = [
        ("threshold", "window", BAD_INTEGERS + ["0", "2", "-1"]),
        ("threshold window=3", "max", BAD_INTEGERS + ["-1", "65536"]),
        ("threshold window=3", "offset", BAD_NUMBERS),
        ("sobel", "norm", BAD_NAMES),
        ("ycbcr32", "matrix", BAD_NAMES),
        ("match", "block-size", BAD_INTEGERS + ["0", "-1", "257"]),
        ("match", "search-x", BAD_RANGES),
        ("match", "max-motion", BAD_NUMBERS + ["0", "-1"]),
        ("disparity", "max-disparity", BAD_INTEGERS + ["-1"]),
        ("track", "box", BAD_BOXES),
    ]
    for stage, option, values in table:
        for value in values:
            if value == value.strip():
                yield case(*words, f"{stage} {option}={value}", says=stage.split()[0])
    for text in ["|", "||", "sobel|", "|sobel", "sobel |\t| sobel", "x", "Sobel", "sobel=1", "--sobel", "-", "=", "sobel sobel",
                 "sobel --norm l2", "sobel -norm=l2", "sobel norm", "sobel =l2", "sobel help", "sobel norm=l1 norm=l2", "threshold",
                 "rgb24 | nv16", "gray8 window=3", "ünïcode", COLOUR, "s" * 10000, "sobel | " * 1000, "sobel " + "norm " * 1000]:
        yield case(*words, text)


def command_lines():
    for word in ["sharpen", "", "--bogus", "-x", "sobel2", "SOBEL", COLOUR, "画像", "s" * 10000]:
        yield case(word, says="a subcommand is needed")
    needs = {"convert": "--to", "sobel": "IN... OUT", "threshold": "IN... OUT",
             "match": "REFERENCE TARGET OUT", "disparity": "LEFT RIGHT OUT", "find": "TEMPLATE IMAGE",
             "track": "FRAMES... OUT.csv", "gemv": "A.npy X.npy Y.npy", "explain": "FILE.cu",
             "lab": "subcommand"}
    for command, words in needs.items():
        yield case(command, says=words)
        if command != "lab":
            for option in ["--bogus", "-q", "--jsonx"]:
                yield case(command, option, says=[option, "--help"])
    for words in [SOBEL, THRESHOLD, MATCH, DISPARITY, FIND, TRACK, GEMV, CONVERT, EXPLAIN]:
        yield case(*words, "--bogus", says="--bogus")
        yield case(*words, "--json", "--json=x", says="--json")
    for words in [MATCH, DISPARITY, GEMV, FIND]:
        yield case(words[0], *words[1:4], "more", "and more", *words[4:], says="needs")
    for option in ["--norm", "--threads", "--backend", "--size", "--from"]:
        yield case(*SOBEL, option, says=option)
    yield case(*SOBEL, "--threads", "1", "--threads", "2", says="--threads")
    yield case("devices", "more", says="more")
    yield case(*SOBEL, "--backend", "cpu", "--device", "0", says="--device")


def empty_names():
    name = "name of a file is empty"
    yield case("sobel", "", "out.npy", says=name)
    yield case("sobel", "in/a.npy", "", says=name)
    yield case("sobel", "in/a.npy", "", "out", says=name)
    yield case("convert", "", "", "--to", "gray8", says=name)
    yield case(*THRESHOLD, "--mean", "", says=name)
    yield case(*FIND, "--map", "", says=name)
    for words, count in [(MATCH, 3), (DISPARITY, 3), (GEMV, 3), (FIND, 2), (TRACK, 3)]:
        for at in range(1, count + 1):
            yield case(*words[:at], "", *words[at + 1:], says=name)
    yield case("explain", "", *LAUNCH, says="FILE.cu")
    yield case("lab", "run", "", says='""')
    yield case("lab", "list", "", says='""')


def inputs():
    """Yields inputs of `sobel`, which takes most kinds of pixels."""
    def refuse(name, *says, **options):
        return case("sobel", name, "out.npy", code=FAILED, says=(name, *says), **options)
    for name in ["missing.npy", "in/missing.png", "in/a.npy/x", "m" * 300 + ".npy", "/", "in/nothing",
                 "missing\n.npy".replace("\n", "")]:
        yield case("sobel", name, "out.npy", code=(FAILED, USAGE), says="cannot" if name != "/"
                   and name != "in/nothing" else "")
    yield refuse("in/empty", "is empty")
    yield refuse("in/empty.npy", "is empty")
    yield refuse("in/empty.png", "is empty")
    yield refuse("/dev/null", "is empty")
    for name in ["signed", "double", "half", "two", "five", "vector", "scalar", "cube", "zero", "bool",
                 "complex", "object", "text", "fortran", "negative", "overflow", "beyond", "claims",
                 "longer", "magic", "version9", "header", "nothing", "shape", "shapeless", "words"]:
        yield refuse(f"in/{name}.npy")
    for length in [1, 5, 6, 7, 9, 10, 11, 20, 100, 127, 128, 191]:
        yield refuse(f"in/cut{length}.npy")
        yield case("sobel", "-", "out.npy", code=FAILED, says="standard input",
                   stdin=f"in/cut{length}.npy")
    for seed in range(20):
        yield case("sobel", f"in/garbled{seed}.npy", "out.npy", code=EITHER)
    yield refuse("in/sparse.npy", "no image")
    yield case("sobel", "in/folder", "in/a.npy", code=FAILED, says="is a file")
    yield case("sobel", "in/frames.raw", "out.npy", says="headerless")
    yield case("sobel", "in/odd.raw", "out.raw", *RAW, code=FAILED, says=["odd.raw", "63 bytes"])
    yield case("sobel", "in/empty.raw", "out.raw", *RAW, code=FAILED, says="is empty")
    yield case("sobel", "in/frames.raw", "out.npy", *RAW, code=FAILED, says="more than one frame")
    yield case("sobel", "in/a.npy", "out.npy", *RAW, says="headerless")
    yield case("sobel", "-", "-", "out", says="only once")
    yield case("threshold", "in/real.npy", "out.npy", "--window", "3", code=FAILED, says="u8 and u16")
    yield case("match", "in/a.npy", "in/wide.npy", "out.csv", code=FAILED, says="of one size")
    yield case("disparity", "in/a.npy", "in/wide.npy", "out.pfm", code=FAILED, says="of one size")
    yield case("find", "in/wide.npy", "in/a.npy", code=FAILED, says="does not fit")
    yield case("track", "in/a.npy", "in/wide.npy", "out.csv", "--box", "1,1,4,4", code=FAILED,
               says="of one size")
    yield case("track", "in/a.npy", "in/a.npy", "out.csv", "--box", "6,6,4,4", says="(6, 6)")
    yield case("gemv", "in/real.npy", "in/vector9.npy", "out.npy", code=FAILED, says="9 elements")
    yield case("gemv", "in/a.npy", "in/vector.npy", "out.npy", code=FAILED, says="f32 or f16")
    yield case("gemv", "in/vector.npy", "in/vector.npy", "out.npy", code=FAILED, says="shape")
    yield case("gemv", "in/real.npy", "in/real.npy", "out.npy", code=FAILED, says="vector")
    yield case("gemv", "in/words.npy", "in/vector.npy", "out.npy", code=FAILED, says="in/words.npy")
    yield case(*GEMV, "--beta", "1", code=FAILED, says="no such file")


def videos():
    for name in WRONG_Y4M:
        is_large = name == "sparse"  # a sparse file of 15 GB, which has all its frames
        yield case("sobel", f"in/{name}.y4m", "out.raw", code=FAILED, says=f"in/{name}.y4m", is_limited=is_large)
        yield case("convert", "-", "out.raw", "--to", "rgb24", code=FAILED, says="standard input",
                   stdin=f"in/{name}.y4m", is_limited=is_large)
        yield case("track", f"in/{name}.y4m", "out.csv", "--box", "1,1,4,4", code=FAILED,
                   says="memory" if is_large else f"in/{name}.y4m", is_limited=is_large)
    for seed in range(20):
        yield case("sobel", f"in/garbled{seed}.y4m", "out.npy", code=FAILED)
    yield case("sobel", "in/video.y4m", "out.npy", code=FAILED, says="more than one frame")
    yield case("sobel", "in/video.y4m", "out.y4m", code=0, makes=("out.y4m",))
    yield case("sobel", "-", "out.y4m", code=FAILED, says="frame 3 does not begin",
               shell="exec < <(cat in/video.y4m /dev/zero)")
    yield case("sobel", "in/video.y4m", "out.y4m", "--output", "dx", says=["cannot hold i16", ".raw"])
    yield case("convert", "in/video.y4m", "out.y4m", "--to", "rgb24", says="cannot hold rgb24")
    yield case("sobel", "in/video.y4m", "out.raw", *RAW, says="headerless")
    yield case("match", "in/one.y4m", "in/video.y4m", "out.csv", "--block-size", "4", code=FAILED,
               says="in/video.y4m has more than one frame")
    yield case("match", "in/one.y4m", "in/a.npy", "out.csv", code=FAILED, says="of one size")
    yield case("gemv", "in/one.y4m", "in/vector.npy", "out.npy", code=FAILED, says="in/one.y4m")


def without_an_end():
    """Yields inputs without an end: devices, and files that claim more than any memory. They are refused quickly."""
    def endless(*words, says, code=FAILED, **options):
        return case(*words, code=code, says=says, **options)
    for device in ["/dev/zero", "/dev/urandom"]:
        for out in ["out.npy", "out.png", "out.raw"]:
            yield endless("sobel", device, out, says=[device])
            yield endless("sobel", device, out, *RAW, says=[device])
        yield endless("match", device, "in/a.npy", "out.csv", says=[device])
        yield endless("find", device, "in/a.npy", says=[device])
        yield endless("track", "in/a.npy", device, "out.csv", "--box", "1,1,4,4", says=[device])
        yield endless("match", device, device, "out.csv", *RAW, says=[device])
        yield endless("track", device, "out.csv", "--box", "1,1,4,4", *RAW, says=[device, "no end"])
        yield endless("gemv", device, "in/vector.npy", "out.npy", says=[device])
        yield endless("gemv", "in/real.npy", device, "out.npy", says=[device])
        yield endless("sobel", "-", "out.npy", says="standard input", stdin=device)
        yield endless("sobel", "-", "out.npy", *RAW, says="standard input", stdin=device)
        yield endless("explain", device, *LAUNCH, says=[device], code=USAGE)
        yield endless("explain", "in/buffer.ptx", *LAUNCH, "--arg", f"u8[4]:@{device}",
                      says="filled from an .npy or .raw file", code=USAGE)
    yield endless("sobel", "-", "out.npy", says="standard input",
                  shell="exec < <(cat in/a.npy /dev/zero)")
    yield endless("sobel", "-", "out.npy", says="standard input", shell="exec < <(cat /dev/zero)")
    yield endless("sobel", "in/sparse.png", "out.npy", says="over 2 GiB")
    for size in ["2147483648x2147483648", "9223372036854775807x1", "9223372036854775807x2"]:
        yield endless("sobel", "in/frames.raw", "out.raw", "--from", "rgb24", "--size", size,
                      says="", code=(FAILED, USAGE))
    for name in ["sparse.ptx", "sparse.cu"]:
        yield endless("explain", f"in/{name}", *LAUNCH, says=[name, "bytes"])
    for name in ["zero", "spaces", "tty", "fifo"]:
        yield endless("explain", f"in/{name}.cu", *LAUNCH, says=["no regular file", "line"], code=USAGE)
    for size in ["100000x100000", "9223372036854775807x9223372036854775807", "1x9223372036854775807"]:
        for what in ["sobel", "gemv", "match", "copy/scalar"]:
            yield endless("explain", what, "--size", size, says=["--size", "too large"],
                          code=USAGE)
    for fill in ["random", "iota"]:
        yield endless("explain", "in/buffer.ptx", *LAUNCH, "--arg", f"u8[9000000000]:{fill}",
                      says="9000000000", code=(FAILED, USAGE))
    yield case("explain", "in/buffer.ptx", *LAUNCH, "--arg", "u8[900000000000000]", code=FAILED,
               says="900000000000000")
    yield case("explain", "in/spin.ptx", *LAUNCH, "--budget", "10000", code=FAILED, says="--budget")


def images():
    def refuse(name, *says):
        return case("sobel", f"in/{name}", "out.npy", code=FAILED, says=(f"in/{name}", *says),
                    images=True)
    yield refuse("text.png", "no image")
    yield refuse("zeros.jpg", "no image")
    yield case("sobel", "in/a.gif", "out.npy", code=0, makes=("out.npy",), images=True)
    yield refuse("cut.gif", "GIF")
    yield refuse("film.mp4")
    yield refuse("photo.heic", "HEIF or AVIF")
    for name in ["huge.png", "large.png", "none.png", "huge.bmp", "huge.pgm", "minus.pgm", "huge.tif",
                 "loop.tif"]:
        yield refuse(name)
    yield case("sobel", "in/minus.bmp", "out.npy", code=EITHER, images=True)
    yield refuse("cmyk.jpg", "JPEG", "damaged")
    for kind in ["png", "bmp", "tif", "pgm", "ppm", "jpg"]:
        yield case("sobel", f"in/good.{kind}", "out.npy", code=0, makes=("out.npy",), images=True)
        for part in [2, 3, 10]:
            yield case("sobel", f"in/cut{part}.{kind}", "out.npy", code=EITHER if kind != "png"
                       else FAILED, images=True)
        for seed in range(3):
            yield case("sobel", f"in/garbled{seed}.{kind}", "out.npy", code=EITHER, images=True)
    for limit in [300000, 350000, 400000, 450000]:
        yield case("sobel", "in/good.png", "out.npy", code=EITHER, shell=f"ulimit -v {limit}",
                   images=True)
        yield case("sobel", "in/good.jpg", "out.png", code=EITHER, shell=f"ulimit -v {limit}",
                   images=True)
    # Noise cannot be compressed, so memory runs out while the file grows to megabytes.
    for kind in ["jpg", "png", "tif"]:
        for limit in range(90000, 240000, 15000):
            yield case("sobel", "in/noise.raw", f"out.{kind}", "--from", "gray8", "--size", "3000x3000",
                       "--threads", "1", code=EITHER, shell=f"ulimit -v {limit}", images=True)


def outputs():
    for out in ["out.gif", "out.xyz", "out.heic"]:
        yield case("sobel", "in/a.npy", out, says=[out, "cannot hold", "are written here"])
    yield case("sobel", "in/a.npy", "out.mp4", says=["out.mp4", "in/a.npy is one picture"])
    yield case("sobel", "in/a.npy", "out", says=["out cannot hold", "no extension"])
    yield case("sobel", "in/a.npy", "out.png", "--output", "dx", says=["out.png", "i16"])
    yield case("sobel", "in/deep.npy", "out.jpg", code=FAILED, says=["u16", "out.jpg"])
    yield case("match", "in/a.npy", "in/a.npy", "out.gif", says=[".flo", "out.gif"])
    yield case("disparity", "in/a.npy", "in/a.npy", "out.gif", says="out.gif")
    yield case("disparity", "in/a.npy", "in/a.npy", "out.png", "--max-disparity", "1000", says=".pfm")
    yield case("gemv", "in/real.npy", "in/vector.npy", "out.csv", says="out.csv")
    yield case("track", "in/a.npy", "in/a.npy", "out.npy", "--box", "1,1,4,4", says=".csv")
    for out in ["none/out.npy", "in/a.npy/out.npy", "/proc/out.npy", "/dev/none/out.npy",
                "n" * 300 + ".npy", "/dev/full"]:
        yield case("sobel", "in/a.npy", out, code=FAILED, says=["cannot write", out])
        if out != "/dev/full":
            yield case("gemv", "in/real.npy", "in/vector.npy", out, code=FAILED, says=["write", out])
    yield case("sobel", "in/a.npy", "in/folder.png", "out", code=FAILED, says="no picture")
    for words in [("devices",), ("--help",), ("--version",), ("sobel", "--help"), ("lab", "list"),
                  ("sobel", "in/a.npy", "-"), (*EXPLAIN,), (*FIND,)]:
        yield case(*words, code=FAILED, says="standard output: No space left", shell="exec >/dev/full")
        yield case(*words, code=FAILED, says="standard output", shell="exec >&-")
    yield case(*SOBEL, code=0, shell="exec <&-", makes=("out.npy",))
    yield case(*SOBEL, code=FAILED, says="standard output", shell="exec <&- >&-", makes=("out.npy",))
    yield case("sobel", "in/frames.raw", "out.raw", "--from", "gray8", "--size", "8x8", code=FAILED,
               says="out.raw", shell="ulimit -f 0")
    yield case(*SOBEL, "--json", code=FAILED, says="No space left", shell="exec >/dev/full",
               makes=("out.npy",))
    yield case("sobel", "in/a.npy", "-", "--json", says="standard output")
    for place in ["out.npy", "./out.npy"]:
        yield case(*THRESHOLD, "--mean", place, says="two results")
    yield case("explain", "in/buffer.ptx", *LAUNCH, "--arg", "u8[4]", "--dump", "0=none/a.npy",
               code=FAILED, says="none/a.npy")
    yield case("explain", "in/buffer.ptx", *LAUNCH, "--arg", "u8[4]", "--dump", "1=a.npy", says="--dump")


def terminals():
    """Yields names with control characters. The message shows them escaped."""
    shown = "\\x1b[31m"
    name = f"a{COLOUR}b"
    yield case("sobel", f"{name}.npy", "out.npy", code=FAILED, says=shown)
    yield case("sobel", f"{name}.raw", "out.npy", says=shown)
    yield case("sobel", "in/a.npy", f"{name}.xyz", says=shown)
    yield case("sobel", "in/a.npy", f"none{name}/a.npy", code=FAILED, says=shown)
    yield case("sobel", "in/a.npy", f"{name}.npy", code=0, makes=(f"{name}.npy",))
    yield case("sobel", "in/a.npy", "-", code=0, shell=f"cp in/a.npy $'a\\e[31m.npy'; set -- "
               "\"$1\" sobel $'a\\e[31m.npy' -; exec >/dev/null", makes=("a\x1b[31m.npy",))
    yield case("sobel", "in/a.npy", "a\x9b31m.xyz", says="cannot hold")
    yield case("sobel", "a\nwarpwise: all is well.npy", "out.npy", code=FAILED, says="\\x0awarpwise")
    yield case(name, says=shown)
    for words in [MATCH, DISPARITY, FIND, TRACK, GEMV]:
        yield case(words[0], f"{name}.npy", *words[2:], code=FAILED, says=shown)
    yield case("match", "in/a.npy", "in/a.npy", name, says=shown)
    yield case("explain", f"{name}.cu", *LAUNCH, code=FAILED, says=shown)
    yield case("explain", f"{name}.ptx", *LAUNCH, code=FAILED, says=shown)
    yield case("explain", name, says=shown)
    yield case("explain", "in/escape.ptx", *LAUNCH, code=(FAILED, USAGE), says="in/escape.ptx")
    yield case("explain", "in/good.ptx", *LAUNCH, "--kernel", name, says=shown)
    yield case("lab", "run", f"copy/{name}", says=shown)
    yield case("lab", "list", "--ladder-dir", name, code=(FAILED, USAGE), says=shown)


def searches():
    far = ("--search-x", "-90:-80", "--search-y", "-90:-80")
    no_block = ["no block of in/a.npy has a candidate in in/a.npy", "--border replicate"]
    for out in ["out.csv", "out.flo", "out.png"]:
        yield case("match", "in/a.npy", "in/a.npy", out, "--block-size", "4", *far, code=FAILED,
                   says=no_block)
    yield case("match", "in/a.npy", "in/a.npy", "out.csv", "--block-size", "4", "--search-x", "8:8",
               code=FAILED, says=no_block)
    yield case("match", "in/a.npy", "in/a.npy", "out.csv", "--block-size", "4", *far, "--border",
               "replicate", code=0, makes=("out.csv",))
    yield case("match", "in/a.npy", "in/a.npy", "out.csv", "--block-size", "4", "--search-x", "4:4", code=0,
               makes=("out.csv",))
    yield case("match", "in/a.npy", "in/a.npy", "out.csv", "--block-size", "9", says="block")
    yield case(*MATCH, "--search", "2147483647", says="search")
    yield case(*MATCH, "--search-x", "-9223372036854775808:9223372036854775807", says="--search-x")
    yield case(*DISPARITY, "--max-disparity", "2147483647", says="--max-disparity")


def explained():
    for name in WRONG_PTX:
        yield case("explain", f"in/{name}.ptx", *LAUNCH, code=(FAILED, USAGE), says=f"in/{name}.ptx")
    for name in ["missing.cu", "missing.ptx", "in/folder.cu", "in/a.npy/x.ptx"]:
        yield case("explain", name, *LAUNCH, code=FAILED, says=name)
    for name in ["missing", "in/a.npy", "sobell", "copy/nosuch", "nosuch/scalar", "a.c", ".cu.", "cu"]:
        yield case("explain", name, *LAUNCH, says=name.split("/")[0])
    yield case("explain", "in/good.ptx", "--block", "1", says="--grid")
    yield case("explain", "in/good.ptx", "--grid", "1", says="--block")
    yield case(*EXPLAIN[:4], "--block", "1025", says="1024")
    yield case(*EXPLAIN[:4], "--block", "4294967295,4294967295,4294967295", says="1024")
    yield case(*EXPLAIN[:2], "--block", "1", "--grid", "1,65536", says="65535")
    yield case(*EXPLAIN, "--shared", "1000000000", says="shared memory")
    yield case(*EXPLAIN, "--arg", "i32:1", says="needs 0 arguments")
    yield case("explain", "in/buffer.ptx", *LAUNCH, says="1 parameters")
    yield case("explain", "in/buffer.ptx", *LAUNCH, "--arg", "i32:1", says="argument 0")
    for fill in ["missing.npy", "in/words.npy", "in/a.npy", "in/claims.npy", "in/overflow.npy"]:
        yield case("explain", "in/buffer.ptx", *LAUNCH, "--arg", f"f32[8]:@{fill}",
                   code=(FAILED, USAGE), says=fill)
    yield case(*EXPLAIN, "--kernel", "nosuch", says=["nosuch", "in/good.ptx"])
    yield case(*EXPLAIN, "--size", "8x8", says="--size")
    yield case("explain", "sobel", "--grid", "1", says="--grid")
    yield case("explain", "in/store.ptx", *LAUNCH, code=FAILED, says="fault")
    yield case("explain", "in/device.ptx", *LAUNCH, code=0)
    yield case(*EXPLAIN, code=0)
    yield case("explain", "in/empty.cu", *LAUNCH, says="in/empty.cu", compiles=True)
    for name in ["", "nosuch", "copy/", "/", "copy/nosuch", "../copy", "copy/../copy"]:
        yield case("lab", "run", name, says='"')
    for folder in ["missing", "in/nothing", "in/a.npy", "/dev/zero"]:
        yield case("lab", "list", "--ladder-dir", folder, code=(FAILED, USAGE), says=folder)


def works():
    """Yields unusual calls that must succeed."""
    yield case(*SOBEL, "--threads", "1024", code=0, makes=("out.npy",))
    yield case("sobel", "in/a.npy", "ünïcode 画像.npy", code=0, makes=("ünïcode 画像.npy",))
    yield case("sobel", "in/a.npy", "-out.npy", says="-out.npy")
    yield case("sobel", "--", "in/a.npy", "-out.npy", code=0, makes=("-out.npy",))
    yield case("sobel", "/dev/zero", "-", *RAW, code=FAILED, says="its reader went away",
               shell="exec > >(head -c 1000 >/dev/null)")
    yield case("sobel", "-", "out.raw", *RAW, code=0, stdin="in/frames.raw", makes=("out.raw",))
    yield case("sobel", sample("sudoku.png"), "out.npy", code=0, makes=("out.npy",), images=True)


def all_cases():
    for family in [bad_values, stages, command_lines, empty_names, inputs, videos, without_an_end, images, outputs,
                   terminals, searches, explained, works]:
        for each in family():
            yield family.__name__, each
