"""Writes the first inputs of the fuzz targets: seeds.py FOLDER makes a folder for each target in FOLDER."""

import json
import pathlib
import re
import struct
import sys
import zlib


def npy(descr, shape, elements, version=1, order="False"):
    text = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + bytes(elements)


def npy_seeds():
    for name, size in [("|u1", 1), ("<u2", 2), (">i2", 2), ("<u4", 4), (">f4", 4), ("<f2", 2)]:
        yield npy(name, "(2, 3)", range(6 * size))
    yield npy("|u1", "(2, 1, 3)", range(6), version=2)
    yield npy("|u1", "(1, 2, 4)", range(8), version=3)
    yield npy("|u1", "(1, 2)", range(2), order="True")
    yield npy("|u1", "(4294967296, 4294967296)", b"")
    yield npy("<f8", "(1,)", range(8))


def y4m_seeds():
    for header, frame in [("W2 H2 F25:1 Ip A1:1 C420jpeg XYSCSS=420JPEG", 6), ("W3 H3 C420mpeg2", 17),
                          ("H1 W3 C422 XCOLORRANGE=FULL", 7), ("W2 H1 C444 XCOLORRANGE=LIMITED", 6),
                          ("W2 H2 F30000:1001 I? A0:0 Cmono", 4), ("W4 H4 It C420paldv", 24),
                          ("W2 H2 C420p10", 12), ("W3 H2 C422p12 XYSCSS=422P12", 28),
                          ("W2 H1 C444p16 XCOLORRANGE=FULL", 12), ("W2 H2 Cmono9", 8), ("W2 H2 C420p17", 12), ("W4294967296 H4294967296", 1)]:
        one = b"FRAME\n" + bytes(range(frame))
        yield f"YUV4MPEG2 {header}\n".encode() + one + one
        yield f"YUV4MPEG2 {header}\n".encode() + b"FRAME Ixyz Xa\n" + one


def pnm_seeds():
    for head, content in [("P1 3 2", b"1 0 1 0 1 0"), ("P2\n# a\n2 2\n9", b"0 1 2 9"), ("P3 1 1 65535", b"1 2 65535"), ("P4 9 1", b"\xaa\x80"),
                          ("P5 2 2 255", bytes(4)), ("P5 1 2 1000", bytes(4)), ("P6 1 1 15", bytes(3)), ("P6 4294967296 2 255", b""),
                          ("Pf 2 1 -1.0", bytes(8)), ("PF\n1 1\n2", bytes(12))]:
        yield head.encode() + b"\n" + content
    for kind, depth, most in [("GRAYSCALE", 1, 255), ("RGB_ALPHA", 4, 255), ("GRAYSCALE_ALPHA", 2, 65535), ("BLACKANDWHITE", 1, 1)]:
        head = f"P7\nWIDTH 2\nHEIGHT 1\nDEPTH {depth}\nMAXVAL {most}\nTUPLTYPE {kind}\nENDHDR\n"
        yield head.encode() + bytes(4 * depth)


def bmp_seeds():
    def file(header, palette, pixels):
        start = 14 + len(header) + len(palette)
        return b"BM" + struct.pack("<IHHI", start + len(pixels), 0, 0, start) + header + palette + pixels

    for bits, compression, pixels in [(1, 0, bytes(8)), (4, 2, b"\2\1\0\1"), (8, 1, b"\2\5\0\0\0\3abc\0\0\2\1\1\0\1"), (24, 0, bytes(16)), (32, 0, bytes(16))]:
        for height in (2, -2):
            header = struct.pack("<IiiHHIIiiII", 40, 2, height, 1, bits, compression, 0, 0, 0, 2, 0)
            yield file(header, bytes(8) if bits < 16 else b"", pixels)
    for size in (40, 56, 108, 124):
        masks = struct.pack("<IIII", 0x7C00, 0x3E0, 0x1F, 0x8000)
        yield file(struct.pack("<IiiHHIIiiII", size, 2, 1, 1, 16, 3, 0, 0, 0, 0, 0) + masks + bytes(max(size - 56, 0)), b"", bytes(4))
    yield file(struct.pack("<IHHHH", 12, 2, 1, 1, 8), bytes(6), b"\0\1\0\0")


def complete_seeds():
    def chunk(kind, content=b""):
        check = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"\0\0"))
    png = b"\x89PNG\r\n\x1a\n" + header + pixels + chunk(b"IEND")
    jpeg = (b"\xff\xd8\xff\xe0\x00\x04ab" b"\xff\xff\xda\x00\x03c" b"\x12\xff\x00\x34\xff\xd0\x56"
            b"\xff\xd9")
    for whole in (png, jpeg):
        yield whole
        yield whole[:-1]
        yield whole[: len(whole) // 2]


def arguments_seeds():
    # The first byte picks the parser.
    for text in ["0", "-9223372036854775808", "9223372036854775808", "12x"]:
        yield b"\0" + text.encode()
        yield b"\1" + text.encode()
    for text in ["7", "-4.5", "1e308", "1e999", "inf", "nan", "0x1p3"]:
        yield b"\2" + text.encode()
    for text in ["640x480", "1x1", "0x4", "9223372036854775807x9223372036854775807", "4x", "x"]:
        yield b"\3" + text.encode()
    for text in ["gray8", "rgb24", "bgra32", "yuyv", "nv12", "i420", "ycbcr32", "i444", "rgb"]:
        yield b"\4" + text.encode()
    for text in ["auto", "cpu", "cuda", "CPU"]:
        yield b"\5" + text.encode()


def suppressions_seeds():
    yield b"# known\n\nrace at src/a.cu:12 in f<int, 2>(int*) because it is so\nany in the program because x\r\n"
    yield b"order_dependent in a::b because of because\n  leak at /a/b.cu because y"
    yield b"race in f"


def ptx_seeds():
    head = ".version 9.0\n.target sm_75\n.address_size 64\n"
    variables = [
        ".global .align 4 .f32 a[2][2] = {{1, 2}, {0f3F800000, 0d3FF0000000000000}};",
        ".const .v2 .u16 b[] = {{1, 0x2}, {0b1, 07}}; .extern .shared .align 16 .b8 c[];",
        ".global .u64 d[3] = {d, generic(d)+8, (1 << 4) % 3 ? ~5U : (.s64)-1.5};",
        ".global .b8 e[8] = {0xFF(d), 0xFF00(d), 0xFF0000(d), 0xFF000000(d)};",
        '.file 1 "a.cu"\n.section .debug_str {\n$L:\n.b8 1, 97, 0\n }\n.alias f, g; .pragma "x";',
    ]
    statements = [
        ".reg .pred %p<2>; .reg .b32 %r<4>, q; .param .align 8 .b8 t[24];",
        ".loc 1 4 3\n$L__1: @!%p1 bra.uni $L__1;\n.loc 1 9 1, function_name $L+1, inlined_at 1 4 3",
        "ld.global.nc.L1::no_allocate.v4.u32 {%r0, %r1, _, %r3}, [%rd1+-4];",
        "{ .reg .b32 t; mov.u32 t, %tid.x; l: bra l; } setp.lt.and.s32 %p0|%p1, 1, -2, !%p0;",
        "call.uni (t), f, (a, 1); call %rd1, (a), p; p: .callprototype (.param .b32 _) _ ();",
        "x: .branchtargets $L__1, $L__1; brx.idx %r1, x; tex.2d.v4.f32.f32 {%f1}, [t, {%f1, %f2}];",
    ]
    for text in variables:
        yield (head + text).encode()
    for text in statements:
        yield (head + ".visible .entry k(.param .u64 .ptr .global .align 4 a)\n"
               ".maxntid 256, 1, 1\n{" + text + " ret; }").encode()
    yield (head + ".func (.param .b32 r) f(.param .b32 x); .func (.reg .b32 r) f (.reg .b32 x) "
           "{ add.s32 r, x, WARP_SZ - 1; ret; } /* end */ // of it").encode()


def kernel_seeds():
    """Yields a kernel for each line of ptx_forms.txt, with the first alternative of each choice in the line."""
    for line in (pathlib.Path(__file__).parents[1] / "emulator/ptx_forms.txt").read_text().splitlines():
        if line.startswith("["):
            target, version = line[1:-1].split()
        elif line and not line.startswith("#"):
            form = re.sub("<([^,>]*)[^>]*>", r"\1", line.split(" -- ")[0])
            yield (f".version {version} .target {target} .address_size 64\n.global .align 128 .b8 g[4096]; .const .b32 c[64];\n"
                   ".entry k(.param .b32 p) { .reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<80>; .reg .b64 %l<40>; .reg .b128 %q<8>; "
                   ".reg .b8 %b<9>; .reg .v4 .b32 %v; .shared .align 128 .b8 s[4096]; .local .align 16 .b8 stack[64]; mov.u64 %l0, g; "
                   "mov.u32 %r0, s; cvt.u64.u32 %l1, %r0; cvta.shared.u64 %l1, %l1; setp.ne.u32 %p7, %r0, %r0; " + form + "; ret; }").encode()


def explain_seeds():
    # The first byte picks the parser.
    for text in ["i32:5", "u8:0xff", "i64:-9223372036854775808", "f32:1.5e-3", "f64:nan", "f16:65504",
                 "f32[1024]", "u8[3]:iota", "i32[7]:random", "f64[2]:@a.npy", "tex2d<u8>[64x48]:@a.png",
                 "u64[4611686018427387904]", "f32[0]", "x:1", "tex2d<f64>[1x1]", "i8:-129"]:
        yield b"\0" + text.encode()
    for text in ["1", "32,8", "1,2,3", "4294967296", "0", "1,", "1,2,3,4"]:
        yield b"\1" + text.encode()
    for text in ["9.0", "1.3,2.0,9.0", "sm_90", "90", "4.0", ","]:
        yield b"\2" + text.encode()
    for text in ["0=a.npy", "12=b/c.npy", "=x.npy", "1=.npy", "1=x"]:
        yield b"\3" + text.encode()
    for text in ["__global__ void k(int* p) { *p = 1; }\nint main() { k<<<1, 1>>>(0); }",
                 "#define HD __host__ \\\n __device__\nHD int f(int x) { return '}' + x; }",
                 'namespace a { extern "C" { template <class T> void g(T) { "}\\""; /* { */ } } }',
                 'const char* s = R"x({)x"; struct S { int a; } t = {1}; int b[] = {1, 2};']:
        yield b"\4" + text.encode()
    for text in ['\t//## File "/a/b.cu", line 12\n        /*0010*/   @!P0 LDG.E R4, desc[UR4][R6.64] ;\n',
                 '//## File "a", line 3 inlined at "b", line 4\n.L_x_0:\n/*00f0*/ BRA `(.L_x_0) ;\r\n',
                 "/*/ NOP ;\n/*zz*/ NOP ;\n.L_:\n/*0*/ ;"]:
        yield b"\5" + text.encode()


def ladder_seeds():
    # The first byte picks the parser. Yields rungs and experiments one at a time, because a whole table is longer than
    # the fuzzer's inputs.
    expressions = {"", "1 +", "((1))", "most * 2", "least / minus", "1 % zero", "a(1)", "9223372036854775808"}
    primitives = pathlib.Path(__file__).parents[2] / "warpwise/primitives"
    for path in sorted(primitives.glob("*/ladder/ladder.json")):
        table = json.loads(path.read_text(encoding="utf-8"))
        rungs, experiments = table["rungs"], table.pop("experiments", [])
        for rung in rungs:
            launches = [table.get("defaults", {}), rung, *rung.get("launches", [])]
            for each in launches:
                expressions.update(map(str, [*each.get("grid", []), *each.get("needs", {}),
                                             each.get("shared", 0)]))
        table.update(ladder="copy", verify=table["verify"][:2], verify_parameters=[{}])
        for rung in [*rungs[:2], *rungs[-2:]]:
            yield b"\1" + json.dumps({**table, "rungs": [{**rung, "parameters": {}}]}).encode()
        for experiment in experiments[:2]:
            experiment.update(rungs=["a", "*"], axes={**experiment.get("axes", {}), "sizes": [[1, 2]]})
            rung = {"name": "a", "idea": "b", "file": "c", "grid": [1]}
            yield b"\1" + json.dumps({**table, "rungs": [rung], "experiments": [experiment]}).encode()
    for path in sorted((primitives.parent / "studies").glob("*/study.json")):
        study = json.loads(path.read_text(encoding="utf-8"))
        if "collects" in study:
            yield b"\1" + json.dumps({**study, "$schema": ""}).encode()
            continue
        axes = {name: values[:2] for name, values in study.get("axes", {}).items()}
        for kernel in study["kernels"][:3]:
            kernel = {**kernel, "idea": "b", "needs": {"1": "c"}}
            small = {**study, "about": "a", "axes": axes, "kernels": [kernel], "experiments": []}
            for long in ("$schema", "defaults", "document", "report"):
                small.pop(long, None)
            yield b"\1" + json.dumps(small, separators=(",", ":")).encode()
    for text in sorted(expressions):
        yield b"\0" + text.encode()


def record_seeds():
    # Keeps two rows of a record, with the figures of a plot: whole records are longer than the fuzzer's inputs.
    results = pathlib.Path(__file__).parents[2] / "results/nvidia-h200"
    for path in sorted(results.glob("[ls]*s/*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        rows = [row for row in record["results"] if "on_cpu" not in row]
        kept = ("rung", "size", "parameters", "axes", "block", "setting", "cold", "end_to_end", "share_of_roof",
                "document_speedup_over_first", "skipped", "gb_per_s", "speedup_over_first", "counts", "sm_clock_mhz")
        record["results"] = [{key: row[key] for key in kept if key in row} for row in (rows[0], rows[-1])]
        record["machine"] = {"device": "a", "commit": "b"}
        for long in ("method", "document_device", "document_size", "transfers", "knees", "halved", "bus"):
            record.pop(long, None)
        yield json.dumps(record, separators=(",", ":")).encode()
    predictions = json.loads((results.parent / "predictions.json").read_text(encoding="utf-8"))
    for kind in ("experiments", "documents"):
        predictions[kind] = [{**each, "rows": each["rows"][:2]} for each in predictions[kind][:2]]
    yield json.dumps(predictions, separators=(",", ":")).encode()
    lines = json.loads((results.parent / "lines.json").read_text(encoding="utf-8"))
    lines["line_counts"] = lines["line_counts"][:1]
    yield json.dumps(lines, separators=(",", ":")).encode()


def device_seeds():
    # Yields each profile as it is, with short sources, and with only two of its figures.
    profiles = pathlib.Path(__file__).parents[2] / "warpwise/lab/predict/devices"
    for path in sorted(profiles.glob("*.json")):
        profile = json.loads(path.read_text(encoding="utf-8"))
        profile["figures"] = {name: {**figure, "source": "a"} for name, figure in profile["figures"].items()}
        yield json.dumps(profile, separators=(",", ":")).encode()
        profile["figures"] = dict(list(profile["figures"].items())[:2])
        yield json.dumps(profile, separators=(",", ":")).encode()


def search_seeds():
    # The first byte picks the parser.
    for text in ["-8:7", "0:0", "-32767:32767", "5:-5", "32768:40000", "-8", "-8:", ":7", "1:2:3"]:
        yield b"\0" + text.encode()
    for text in ["120,80,64,48", "0,0,1,1", "-1,0,1,1", "0,0,0,1", "1,2,3", "1,2,3,4,5", "1,,2,3",
                 "2147483647,2147483647,2147483647,2147483647", "9223372036854775808,0,1,1"]:
        yield b"\1" + text.encode()
    for text in ["640x480", "1x1", "0x4", "4x", "x", "3x4x5"]:
        yield b"\2" + text.encode()


def stream_seeds():
    # The first byte picks the parser.
    for text in ["30", "29.97", "23.976", "0.001", "1e6", "30000/1001", "1/1000", "1/9223372036854775807", "0/1", "nan"]:
        yield b"\0" + text.encode()
    for text in ["1280x720", "1x1", "0x4", "4x", "x", "9223372036854775807x9223372036854775807"]:
        yield b"\1" + text.encode()
    for text in ["rgb24", "i420", "ycbcr32", "i444"]:
        yield b"\2" + text.encode()
    for text in ["rgb24:1280x720@30", "nv12:3x1", "gray8:4x4@", "i420:9223372036854775807x2@30/7", "rgb24", ":"]:
        yield b"\3" + text.encode()
    for text in ["out/", "out/%05d.png", "%d.jpg", "a%1d%2d.npy", "%99d.png", "%d", "%.png", "one.png", "%05d.gif"]:
        yield b"\4" + text.encode()


def pipeline_seeds():
    for text in ["", " ", "|", "sobel |", "sobbel", "threshold", "threshold window=4", "sobel norm=l1 norm=l2", "track",
                 "ycbcr32 | sobel | threshold window=31 offset=7", "sobel output=magnitude norm=l2 kernel=scharr border=replicate",
                 "threshold window=16777215 offset=-1e30 method=exact-mean max=65535 invert", "threshold window=9 invert=1",
                 "match block-size=16 stride=8 search=8 search-x=-4:4 search-y=0:0 measure=zncc border=replicate max-motion=8 flo=a/",
                 "disparity block-size=11 max-disparity=64 measure=ncc subpixel consistency=-1", "match | disparity",
                 "track box=120,80,64,48 search=16 measure=ssd update", "gray8 window=3", "sobel border=replicate rung=a\t|rgb24",
                 "i444 matrix=bt709 from-range=limited to-range=full convention=opencv chroma=linear"]:
        yield text.encode()


def fat_binary_seeds():
    def entry(kind, payload, compressed=0, flags=0, uncompressed=0, architecture=75):
        return struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, 64, len(payload), compressed, 0, 8, 0, architecture, 0, 0, flags, 0,
                           uncompressed) + payload

    def whole(*entries):
        payload = b"".join(entries)
        return struct.pack("<IHHQ", 0xba55ed50, 1, 16, len(payload)) + payload

    text = b".version 8.0\n.target sm_75\n.address_size 64\n\0"
    # A zstd frame with one block, which is stored without compression.
    frame = b"\x28\xb5\x2f\xfd\x20" + bytes([len(text)]) + struct.pack("<I", len(text) << 3 | 1)[:3] + text
    yield whole(entry(1, text))
    yield whole(entry(2, b"\x7fELF"), entry(1, text, architecture=90), entry(1, text))
    yield whole(entry(1, frame, len(frame), 0x8000, len(text)))
    yield whole(entry(1, frame, len(frame), 0x2000, len(text)))
    yield whole(entry(2, b"\x7fELF"))
    yield whole(entry(1, text))[:-20]


def machine_seeds():
    """Yields an ELF file with two instructions of kernel k and their lines, like ptxas, and a file that is cut off."""
    lines = b"\0\x09\2" + bytes(8) + b"\3\4\1\2\x10\1\x03\x7f\1\x1f\x02\x10\0\1\1"
    lines = struct.pack("<HIbBbBB", 2, 16, 16, 1, -5, 14, 10) + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1]) + b"\0\0" + lines
    names = [b"", b".shstrtab", b".strtab", b".symtab", b".text.k", b".nv_debug_line_sass", b".rela.nv_debug_line_sass"]
    strings = b"\0".join(names) + b"\0"
    contents = [b"", strings, b"\0k\0$__internal_0\0",
                bytes(24) + struct.pack("<IBBHQQ", 1, 18, 0, 4, 0, 48) + struct.pack("<IBBHQQ", 3, 2, 0, 4, 32, 16),
                struct.pack("<QQ", 0x7981, 0) + struct.pack("<QQ", 0x223, 0) + struct.pack("<QQ", 0x118, 0),
                struct.pack("<I", len(lines)) + lines, struct.pack("<QQq", 4 + 22 + 3, 1 << 32 | 2, 0)]
    sections, body, at = b"", b"", 64 + 64 * len(names)
    for name, content in zip(names, contents):
        sections += struct.pack("<IIQQQQIIQQ", strings.index(name + b"\0") if name else 0, 1, 0, 0, at + len(body), len(content), 0, 0, 1, 0)
        body += content
    head = b"\x7fELF" + bytes(0x28 - 4) + struct.pack("<Q", 64) + bytes(0x3c - 0x30) + struct.pack("<HH", len(names), 1)
    yield head + sections + body
    yield (head + sections + body)[:-30]


def gif_seeds():
    """Yields pictures of one pixel: with a palette, without one, transparent in the first of two, after a comment."""
    head = b"GIF89a\1\0\1\0\x80\0\0" + bytes(3) + b"\xff" * 3
    pixel = b",\0\0\0\0\1\0\1\0"
    data = b"\2\2L\1\0"
    control = b"!\xf9\4\1\0\0\1\0"
    yield head + pixel + b"\0" + data + b";"
    yield head + pixel + b"\x80" + bytes(6) + data + b";"
    yield head + control + pixel + b"\0" + data + control + pixel + b"\0" + data + b";"
    yield head + b"!\xfe\2hi\0" + pixel + b"\x40" + data + b";"


def image_seeds(ending):
    folder = pathlib.Path(__file__).parents[1] / "images"
    return lambda: (path.read_bytes() for path in sorted(folder.glob(f"*.{ending}")))


for target, seeds in [("npy", npy_seeds), ("y4m", y4m_seeds), ("pnm", pnm_seeds), ("bmp", bmp_seeds), ("complete", complete_seeds), ("arguments", arguments_seeds),
                      ("device", device_seeds),
                      ("explain", explain_seeds), ("fat_binary", fat_binary_seeds), ("ladder", ladder_seeds), ("kernel", kernel_seeds), ("machine", machine_seeds), ("pipeline", pipeline_seeds), ("ptx", ptx_seeds), ("suppressions", suppressions_seeds),
                      ("record", record_seeds), ("search", search_seeds),
                      ("stream", stream_seeds),
                      ("png", image_seeds("png")), ("jpeg", image_seeds("jpg")), ("jpeg_scan", image_seeds("jpg")), ("tiff", image_seeds("tif")),
                      ("webp", image_seeds("webp")), ("gif", gif_seeds)]:
    folder = pathlib.Path(sys.argv[1]) / target
    folder.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(seeds()):
        (folder / f"seed-{number:02}").write_bytes(content)
