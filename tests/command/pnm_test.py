"""Compares PBM, PGM, PPM and PAM files, plain and raw, of maxima up to 65535, with a formula and other programs."""

import random
import shutil
import subprocess
import unittest

from support import CommandTest, npy_parts, read, write

FAILED = 1
WIDTH, HEIGHT = 13, 7
MAXIMA = [1, 2, 3, 7, 15, 100, 127, 200, 254, 255, 256, 511, 1000, 1023, 4095, 32767, 65534, 65535]
TUPLES = {1: "GRAYSCALE", 2: "GRAYSCALE_ALPHA", 3: "RGB", 4: "RGB_ALPHA"}


def raw(samples, maximum):
    return b"".join(sample.to_bytes(1 if maximum < 256 else 2, "big") for sample in samples)


def plain(samples, between=" "):
    return between.join(map(str, samples)).encode() + b"\n"


def packed(bits):
    rows = [bits[y * WIDTH:(y + 1) * WIDTH] for y in range(HEIGHT)]
    return b"".join(int("".join(map(str, row)).ljust(16, "0"), 2).to_bytes(2, "big") for row in rows)


def matrix():
    """Yields (name, content, channels, maximum, samples) of every kind of file. In samples of bitmaps, 1 is white."""
    dice = random.Random(32)

    def samples_of(channels, maximum):
        samples = [dice.randint(0, maximum) for _ in range(WIDTH * HEIGHT * channels)]
        samples[:2] = [maximum, 0]
        return samples

    bits = samples_of(1, 1)
    inverted = [1 - bit for bit in bits]
    head = f"\n{WIDTH} {HEIGHT}\n"
    yield "P1.pbm", f"P1{head}".encode() + plain(inverted), 1, 1, bits
    yield "P1-dense.pbm", f"P1 # a comment{head}".encode() + plain(inverted, ""), 1, 1, bits
    yield "P4.pbm", f"P4{head}".encode() + packed(inverted), 1, 1, bits
    yield "P7-bits.pam", (f"P7\nWIDTH {WIDTH}\nHEIGHT {HEIGHT}\nDEPTH 1\nMAXVAL 1\nTUPLTYPE BLACKANDWHITE\n"
                          "ENDHDR\n").encode() + raw(bits, 1), 1, 1, bits
    for maximum in MAXIMA:
        for channels, kinds, extension in [(1, ("P2", "P5"), "pgm"), (3, ("P3", "P6"), "ppm")]:
            samples = samples_of(channels, maximum)
            for kind, body in zip(kinds, (plain(samples), raw(samples, maximum))):
                comment = "\n# by hand" if maximum % 2 else ""
                yield (f"{kind}-{maximum}.{extension}", f"{kind}{comment}{head}{maximum}\n".encode() + body, channels,
                       maximum, samples)
        for channels, tuples in TUPLES.items():
            samples = samples_of(channels, maximum)
            yield (f"P7-{tuples}-{maximum}.pam",
                   (f"P7\n# by hand\nWIDTH {WIDTH}\nHEIGHT {HEIGHT}\nDEPTH {channels}\nMAXVAL {maximum}\n"
                    f"TUPLTYPE {tuples}\nENDHDR\n").encode() + raw(samples, maximum), channels, maximum, samples)


def scaled(samples, maximum, full):
    return [(sample * full + maximum // 2) // maximum for sample in samples]


def rgba_of(samples, channels, full):
    """Returns pixels as R, G, B, A, made from samples between 0 and full."""
    pixels = []
    for i in range(0, len(samples), channels):
        pixel = samples[i:i + channels]
        colours = pixel[:3] if channels >= 3 else pixel[:1] * 3
        pixels += [*colours, full if channels in (1, 3) else pixel[-1]]
    return pixels


def values(content, element_bytes, order="little"):
    return [int.from_bytes(content[i:i + element_bytes], order) for i in range(0, len(content), element_bytes)]


class Pnm(CommandTest):
    def read_here(self, name, maximum):
        """Returns R, G, B, A of 8 bits, or the grey of 16 bits: no subcommand writes more channels of 16 bits."""
        if maximum < 256:
            self.succeed("convert", name, "out.npy", "--to", "rgba32")
            return values(npy_parts("out.npy")[2], 1)
        self.succeed("threshold", name, "out.npy", "--window", "1", "--mean", "mean.npy")
        return values(npy_parts("mean.npy")[2], 2)

    def test_matrix(self):
        for name, content, channels, maximum, samples in matrix():
            with self.subTest(name):
                write(name, content)
                full = 255 if maximum < 256 else 65535
                rgba = rgba_of(scaled(samples, maximum, full), channels, full)
                if maximum > 255:
                    rgba = [rgba[i] if channels < 3 else
                            (9798 * rgba[i] + 19235 * rgba[i + 1] + 3735 * rgba[i + 2] + 16384) >> 15
                            for i in range(0, len(rgba), 4)]
                self.assertEqual(self.read_here(name, maximum), rgba)

    @unittest.skipUnless(shutil.which("pamdepth"), "netpbm is not installed")
    def test_netpbm_reads_the_same(self):
        """Compares netpbm's samples, scaled to 16 bits, with the formula of test_matrix."""
        for name, content, _, maximum, samples in matrix():
            with self.subTest(name):
                write(name, content)
                done = subprocess.run(["pamdepth", "65535", name], capture_output=True, check=True)
                self.assertEqual(values(done.stdout[-2 * len(samples):], 2, "big"), scaled(samples, maximum, 65535))

    @unittest.skipUnless(shutil.which("pamtopnm"), "netpbm is not installed")
    def test_netpbm_reads_what_is_written(self):
        for head, channels in [("P5 4 3 255", 1), ("P6 4 3 255", 3), ("P5 4 3 65535", 2), ("P6 4 3 65535", 6)]:
            write("in.pnm", head.encode() + b"\n" + bytes(range(5, 5 + 12 * channels)))
            for to in ["gray8"] if channels in (1, 2) else ["rgb24"]:
                self.succeed("convert", "in.pnm", "a.pam", "--to", to)
                self.succeed("convert", "in.pnm", "a.pnm", "--to", to)
                done = subprocess.run(["pamtopnm", "a.pam"], capture_output=True, check=True)
                self.assertEqual(done.stdout, read("a.pnm"))

    def test_refused(self):
        head = b"P7\nWIDTH 2\nHEIGHT 1\nDEPTH %d\nMAXVAL 255\nTUPLTYPE %s\nENDHDR\n"
        for name, content, says in [
                ("a.pgm", b"P5\n2 1\n200\n\x05\xc9", ["damaged", "a sample is 201, and its maximum is 200"]),
                ("b.pgm", b"P2\n2 1\n200\n5 201\n", "a sample is 201"),
                ("c.pgm", b"P5\n2 2\n255\n\0\0\0", "it ends early"),
                ("d.pgm", b"P2\n2 2\n255\n1 2 3\n", "it ends early"),
                ("e.pgm", b"P5\n2 1\n65536\n\0\0\0\0", "its maximum is 65536"),
                ("f.pgm", b"P5\n2 1\n0\n\0\0", "its maximum is 0"),
                ("g.pgm", b"P5\n2 x\n255\n\0\0", "a number is 'x'"),
                ("h.pgm", b"P5\n2 0\n255\n", "2x0"),
                ("i.pgm", b"P5\n2000000 1\n255\n", "2000000x1"),
                ("j.pbm", b"P1\n2 1\n0 2\n", "neither 0 nor 1"),
                ("k.pbm", b"P4\n9 2\n\0\0\0", "it ends early"),
                ("l.pam", head % (4, b"CMYK") + bytes(8), ["'CMYK'", "grey and RGB"]),
                ("m.pam", head % (1, b"RGB") + bytes(2), ["'RGB'", "1 samples"]),
                ("n.pam", b"P7\nWIDTH 2\nHEIGHT 1\n", "its header has no end"),
                ("o.pam", b"P7 332\n2 1 255\n\0\0", "PAM"),
                ("r.pam", b"P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nENDHDR\n\0\0", "its header has no MAXVAL"),
                ("s.pam", b"P7\nWIDTH 2\nHEIGHT 1\nMAXVAL 255\nENDHDR\n\0\0", "its header has no DEPTH"),
                ("t.pam", b"P7\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\n\0\0", "its header has no WIDTH"),
                ("p.ppm", b"P6\n40000 40000\n255\n", "pixels"),
                ("q.ppm", b"P6\n30000 30000\n255\n\0", "it ends early")]:
            write(name, content)
            self.fail_with(FAILED, "sobel", name, "out.npy", says=[name, *([says] if isinstance(says, str) else says)])


if __name__ == "__main__":
    unittest.main()
