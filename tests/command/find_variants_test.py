"""Tests find --scales and --angles: they find the size and the angle of an object in a picture that a formula makes."""

import json
import math
import unittest

from support import CommandTest, npy, read, write

USAGE, FAILED = 2, 1
SIDE = 120
# The object is a template of 40x32 pixels; its centre has this place in the picture.
WIDTH, HEIGHT, CENTRE = 40, 32, (70, 52)


def grey(x, y):
    """Returns a pixel of a smooth picture without symmetry. x and y are distances from the object's centre in the template's pixels."""
    return 128 + 50 * math.sin(0.31 * x + 0.05 * y * y / 9) + 45 * math.sin(0.27 * y - 0.004 * x * y) + 25 * math.cos(0.13 * (x + y))


def picture(scale, angle):
    """Makes a picture in which the object is `scale` times as large, and turned by `angle` degrees clockwise."""
    turn = math.radians(angle)
    pixels = bytearray()
    for row in range(SIDE):
        for column in range(SIDE):
            dx, dy = (column + 0.5 - CENTRE[0]) / scale, (row + 0.5 - CENTRE[1]) / scale
            x, y = math.cos(turn) * dx + math.sin(turn) * dy, math.cos(turn) * dy - math.sin(turn) * dx
            pixels.append(max(0, min(255, round(grey(x, y)))))
    return npy("|u1", (SIDE, SIDE), bytes(pixels))


class Variants(CommandTest):
    def setUp(self):
        super().setUp()
        pixels = bytes(max(0, min(255, round(grey(x + 0.5 - WIDTH / 2, y + 0.5 - HEIGHT / 2))))
                       for y in range(HEIGHT) for x in range(WIDTH))
        write("template.npy", npy("|u1", (HEIGHT, WIDTH), pixels))

    def find(self, *options):
        return json.loads(self.succeed("find", "template.npy", "picture.npy", *options, "--json").stdout)

    def check(self, scale, angle, *options):
        write("picture.npy", picture(scale, angle))
        found = self.find(*options)["result"]
        said = f"{scale} {angle}: {found}"
        self.assertTrue(found["found"], said)
        self.assertGreater(found["score"], 0.97, said)
        # Results are right within one step of the search. Places are whole pixels, so the angle can be wrong by some degrees.
        self.assertLess(abs(found["scale"] / scale - 1), 0.05, said)
        self.assertLess(abs(found["angle"] - angle), 3, said)
        for place, side, centre in zip(("x", "y"), ("width", "height"), CENTRE):
            self.assertLess(abs(found[place] + found[side] / 2 - centre), 1.5, said)
        return found

    def test_sizes(self):
        for scale in [0.6, 1, 1.37, 1.9]:
            found = self.check(scale, 0, "--scales", "0.5:2")
            self.assertLess(abs(found["width"] - scale * WIDTH), 0.03 * scale * WIDTH + 1)

    def test_turns(self):
        for angle in [-31, 14, 90]:
            self.check(1, angle, "--angles", "-45:90")

    def test_the_template_as_it_is(self):
        write("picture.npy", picture(1, 0))
        found = self.find("--scales", "0.5:2", "--angles", "-7:10")["result"]
        self.assertEqual((found["scale"], found["angle"], found["score"]), (1, 0, 1))

    def test_both(self):
        self.check(1.4, -20, "--scales", "1:1.6", "--angles", "-30:0")

    def test_without_them_the_template_is_not_found(self):
        write("picture.npy", picture(1.9, 40))
        report = self.find()
        self.assertFalse(report["result"]["found"])
        self.assertEqual(set(report["result"]), {"found", "x", "y", "score"})

    def test_one_variant_is_the_template_itself(self):
        write("picture.npy", picture(1, 0))
        plain, one = self.find()["result"], self.find("--scales", "1:1", "--angles", "0:0")["result"]
        self.assertEqual(plain, {name: one[name] for name in plain})
        self.assertEqual((one["width"], one["height"], one["scale"], one["angle"]), (WIDTH, HEIGHT, 1, 0))

    def test_the_line_has_size_and_turn(self):
        write("picture.npy", picture(1, 0))
        line = self.succeed("find", "template.npy", "picture.npy", "--scales", "1:1").stdout.decode()
        self.assertIn("template.npy at x 50, y 36 of picture.npy, 40x32 pixels, scale 1, angle 0, zncc 1,", line)

    def test_refused(self):
        write("picture.npy", picture(1, 0))
        before = read("picture.npy")
        call = ["find", "template.npy", "picture.npy"]
        for option, text in [("--scales", "2:1"), ("--scales", "2"), ("--scales", "0:1"), ("--scales", "1:11"), ("--angles", "x:1"),
                             ("--angles", "-181:0"), ("--angles", "1:"), ("--scales", "nan:1")]:
            self.fail_with(USAGE, *call, option, text, says=option)
        self.fail_with(USAGE, *call, "--scales", "1:2", "--measure", "sad", says="--scales and --angles need --measure zncc or ncc")
        self.fail_with(USAGE, *call, "--angles", "0:9", "--map", "map.npy", says="--map is for one size and angle")
        self.fail_with(FAILED, *call, "--scales", "5:6", says="no size of --scales of the template template.npy fits into picture.npy")
        self.fail_with(FAILED, *call, "--scales", "0.1:0.2", says="sides of at least 8 pixels")
        self.assertEqual(read("picture.npy"), before)


if __name__ == "__main__":
    unittest.main()
