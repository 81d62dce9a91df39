#!/usr/bin/env python3
"""Tests what the window of `warpwise view` shows, on a display without a screen."""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import time
import unittest

from support import HAS_IMAGES, HAS_VIDEO, HAS_VIEWER, SANITIZED, WARPWISE, CommandTest, draws, gpu_environment, \
    nightly, read, sample, write

FAILED, USAGE = 1, 2
BARS = [(191, 191, 191), (191, 191, 0), (0, 191, 191), (0, 191, 0),
        (191, 0, 191), (191, 0, 0), (0, 0, 191), (0, 0, 0)]
PANEL = 320  # width of the panel at the right, in pixels


class Picture:
    def __init__(self, width, height, pixels):
        self.width, self.height, self._pixels = width, height, pixels

    def at(self, x, y):
        start = 3 * (y * self.width + x)
        return tuple(self._pixels[start:start + 3])


@unittest.skipUnless(HAS_VIEWER, "this build has no module for windows")
class ViewTest(CommandTest):
    def picture(self, path):
        width, height = struct.unpack(">II", read(path)[16:24])
        pixels = self.succeed("convert", path, "-", "--to", "rgb24", "--backend", "cpu").stdout
        self.assertEqual(len(pixels), 3 * width * height)
        return Picture(width, height, pixels)


@unittest.skipUnless(HAS_IMAGES, "this build does not write PNG files")
@unittest.skipUnless(shutil.which("xvfb-run") and shutil.which("xauth"),
                     "xvfb-run or xauth is missing (scripts/packages.sh --test)")
@unittest.skipIf(SANITIZED, "the display's drivers leak in their own code")
class WindowTest(ViewTest):
    def on_display(self, *command, **options):
        # Keeps the command's exit code and output: xvfb-run replaces them if it cannot remove its folder.
        with tempfile.TemporaryDirectory() as folder:
            ended = pathlib.Path(folder, "ended")
            done = subprocess.run(["xvfb-run", "-a", "-s", "-screen 0 1800x900x24",
                                   "bash", "-c", '"$@" 2>"$0.said"; echo $? >"$0"', ended, *command],
                                  capture_output=True, timeout=60, **options)
            if ended.exists():
                done.returncode = int(ended.read_text())
                done.stderr = pathlib.Path(f"{ended}.said").read_bytes()
        return done

    def shot(self, *arguments, backend="cpu", **options):
        """Returns the picture of the window after the last frame."""
        done = self.on_display(WARPWISE, "view", *arguments, "--screenshot", "shot.png", "--backend", backend,
                               **options)
        self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr.decode())
        return self.picture("shot.png")


class Screenshots(WindowTest):
    def assert_bars(self, shot, left=0, step=80, row=20, tolerance=0):
        for i, colour in enumerate(BARS):
            for x in [left + i * step + 1, left + (i + 1) * step - 2]:
                for seen, wanted in zip(shot.at(x, row), colour):
                    self.assertLessEqual(abs(seen - wanted), tolerance, (i, x))

    def test_pixel_for_pixel(self):
        shot = self.shot("test:bars", "--size", "640x480", "--frames", "3")
        self.assertEqual((shot.width, shot.height), (640 + PANEL, 480))
        self.assert_bars(shot, row=0)
        self.assert_bars(shot, row=479)
        for i in range(1, 8):  # i is the border between two bars
            self.assertEqual((shot.at(80 * i - 1, 100), shot.at(80 * i, 100)), (BARS[i - 1], BARS[i]))
        # In the third frame the square is here.
        self.assertEqual([shot.at(x, 240) for x in (159, 160, 219, 220)],
                         [BARS[1], (255,) * 3, (255,) * 3, BARS[2]])

    def test_every_pixel_is_that_of_convert(self):
        shot = self.shot("test:zone", "--size", "400x480", "--format", "nv12", "--matrix", "bt709")
        self.succeed("stream", "test:zone", "out/", "--frames", "1", "--size", "400x480",
                     "--format", "nv12", "--matrix", "bt709")
        wanted = self.picture("out/000001.png")
        for y in range(0, 480, 7):
            self.assertEqual([shot.at(x, y) for x in range(400)], [wanted.at(x, y) for x in range(400)])

    def test_views(self):
        bars = ["test:bars", "--size", "640x480", "--pipeline", "gray8"]
        grey = [(round(.299 * r + .587 * g + .114 * b),) * 3 for r, g, b in BARS]
        both = self.shot(*bars, "--view", "both")
        wipe = self.shot(*bars, "--view", "wipe")
        difference = self.shot(*bars, "--view", "difference")
        self.assert_bars(both)
        self.assertEqual(wipe.at(320, 20), (255,) * 3)  # the line of the wipe
        for i, colour in enumerate(BARS):
            x = 80 * i + 40
            self.assertEqual(both.at(640 + x, 20), grey[i])
            self.assertEqual(wipe.at(x, 20), colour if i < 4 else grey[i])
            self.assertEqual(difference.at(x, 20), tuple(abs(c - g) for c, g in zip(colour, grey[i])))

    def test_scaled_with_its_aspect(self):
        shot = self.shot("test:bars", "--size", "3200x800")
        self.assertEqual(shot.width, 1800)
        height = round(800 * (1800 - PANEL) / 3200)
        top = (shot.height - height) // 2
        background = shot.at(5, 0)
        self.assertNotIn(background, BARS)
        self.assertEqual(shot.at(5, top - 2), background)
        self.assertEqual(shot.at(5, top + height + 1), background)
        self.assert_bars(shot, step=(1800 - PANEL) // 8, row=top + 10)

    @unittest.skipUnless(HAS_VIDEO, "this build has no module for videos")
    def test_video(self):
        street = [sample("street.avi"), "--pipeline", "sobel | threshold window=31 offset=-7"]
        shot = self.shot(*street, "--frames", "4")
        self.succeed("stream", street[0], "out/", *street[1:], "--frames", "4", "--backend", "cpu")
        self.assert_same(shot, self.picture("out/000004.png"))

    def assert_same(self, shot, wanted):
        for y in range(0, wanted.height, 5):
            self.assertEqual([shot.at(x, y) for x in range(wanted.width)],
                             [wanted.at(x, y) for x in range(wanted.width)])

    @unittest.skipUnless(draws(), "no driver draws with OpenGL here (scripts/packages.sh --test)")
    def test_scene(self):
        scene = ["scene:", "--size", "320x480", "--frames", "3", "--pipeline", "sobel"]
        self.succeed("stream", scene[0], "out/", *scene[1:], "--backend", "cpu")
        self.assert_same(self.shot(*scene), self.picture("out/000003.png"))

    def test_on_a_gpu(self):
        environment = gpu_environment()
        if environment is None:
            self.skipTest("there is neither a GPU nor an emulated one in this build")
        sources = ["test:bars"] + (["scene:"] if draws() else [])
        for source in sources:
            for more in [["sobel"], ["sobel", "--no-interop"], ["match block-size=16 search=2"]]:
                words = [source, "--size", "160x480", "--frames", "3", "--view", "both", "--pipeline", *more]
                shot = self.shot(*words, backend="cuda", env=environment)
                shown = [[shot.at(x, y) for x in range(320)] for y in range(0, 480, 5)]
                shot = self.shot(*words)
                self.assertEqual(shown, [[shot.at(x, y) for x in range(320)] for y in range(0, 480, 5)], words)

    def test_picture_that_no_texture_holds(self):
        write("wide.raw", bytes(40000 * 2))
        done = self.on_display(WARPWISE, "view", "wide.raw", "--format", "gray8", "--size", "40000x2",
                               "--screenshot", "shot.png", "--backend", "cpu")
        self.assertEqual((done.returncode, done.stdout), (USAGE, b""))
        self.assertRegex(done.stderr.decode(), r"pictures of at most \d+x\d+ here, not 40000x2\n$")
        self.assertFalse(os.path.exists("shot.png"))

    def test_end_of_the_source_is_an_end(self):
        self.succeed("stream", "test:bars", "two.y4m", "--frames", "2", "--size", "320x240")
        self.shot("two.y4m", "--frames", "9")

    def test_source_that_breaks_off(self):
        self.succeed("stream", "test:bars", "two.y4m", "--frames", "2", "--size", "320x240")
        write("cut.y4m", read("two.y4m")[:-100])
        done = self.on_display(WARPWISE, "view", "cut.y4m", "--frames", "9", "--screenshot", "shot.png")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("cut.y4m", done.stderr.decode())
        self.assertFalse(os.path.exists("shot.png"))


# These tests wait for windows at fixed times. They take two minutes, in which the cores are idle.
@nightly
@unittest.skipUnless(shutil.which("xdotool"), "xdotool is missing (scripts/packages.sh --test)")
class DrivenTest(WindowTest):
    # No window manager runs here, so the window gets key presses only after it has been given the focus.
    START = 'window=$(xdotool search --sync --onlyvisible --name "warpwise$" | head -n 1)\n' \
            'xdotool windowfocus --sync "$window"\n' \
            'sleep 0.5\n' \
            'wait_for() { for i in $(seq 100); do [ -s "$1" ] && return; sleep 0.1; done; exit 9; }\n'

    def drive(self, script, *arguments, backend="cpu", before="", **options):
        """Runs `view` after a line of shell code (before), and beside it a shell script that presses keys. Returns the
        ended process of `view`."""
        write("keys.sh", (f'({before}\nexec "$@") &\nview=$!\n' + self.START + script + '\nwait $view\n').encode())
        return self.on_display("bash", "keys.sh", WARPWISE, "view", *arguments, "--backend", backend, **options)

    def phase(self, path):
        """Returns the number of the frame of test:bars (eight frames, 640x480) that a picture shows."""
        row = self.picture(path)
        white = [x for x in range(640) if row.at(x, 240) == (255, 255, 255)]
        return white[0] // 80


def enter(text):
    """Returns shell code that types a pipeline's text. The window takes key presses as text only from the next frame
    on, which may take long on a busy machine."""
    return f'xdotool key e; sleep 2; xdotool key ctrl+a; xdotool type --delay 50 "{text}"; xdotool key Return; sleep 2\n'


def save(number):
    return f"xdotool key s; wait_for warpwise-{number:03}.png\n"


class Keys(DrivenTest):
    def test_pause_step_save_quit(self):
        done = self.drive("xdotool key space; sleep 1; xdotool key s; wait_for warpwise-001.png\n"
                          "xdotool key Right; sleep 1; xdotool key s; wait_for warpwise-002.png\n"
                          "xdotool key s; wait_for warpwise-003.png\n"
                          "xdotool key h v f f p 1 1 q", "test:bars", "--size", "640x480")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        first, second, third = [self.phase(f"warpwise-00{n}.png") for n in (1, 2, 3)]
        self.assertEqual(second, (first + 1) % 8)
        self.assertEqual(third, second)

    def test_view_and_escape(self):
        done = self.drive("xdotool key v p", "test:bars", "--size", "640x480", "--fps", "10",
                          "--frames", "60", "--screenshot", "shot.png")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        shot = self.picture("shot.png")  # without the panel, the original and the result have half of the window each
        self.assertEqual([shot.at(60 * i + 30, 240 - 170) for i in range(8)], BARS)
        self.assertEqual([shot.at(480 + 60 * i + 30, 240 - 170) for i in range(8)], BARS)
        started = time.monotonic()
        done = self.drive("xdotool key Escape", "test:bars")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertLess(time.monotonic() - started, 30)

    def test_pipeline_is_edited(self):
        # After a refused text the input field stays open, so that q and s are letters until Esc.
        again = 'xdotool key ctrl+a; xdotool type --delay 50 "{}"; xdotool key Return; sleep 2\n'.format
        leave = "xdotool key Escape; sleep 2\n"
        done = self.drive(enter("sobel") + save(1) + enter("oops") + leave + save(2)
                          + enter("quses") + again("disparity max-disparity=4") + save(3) + "xdotool key q",
                          "test:bars", "--size", "640x480")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        for name in ["warpwise-001.png", "warpwise-002.png"]:
            edges = self.picture(name)
            self.assertEqual(edges.at(40, 20), (0, 0, 0))
            self.assertNotEqual(edges.at(80, 20), (0, 0, 0))
        self.assertEqual(self.picture("warpwise-003.png").width, 320)

    @unittest.skipUnless(draws(), "no driver draws with OpenGL here (scripts/packages.sh --test)")
    def test_pipeline_is_edited_on_a_gpu(self):
        environment = gpu_environment()
        if environment is None:
            self.skipTest("there is neither a GPU nor an emulated one in this build")
        done = self.drive("xdotool key space; sleep 1; xdotool key s; wait_for warpwise-001.png\n"
                          'xdotool key e; sleep 2; xdotool type --delay 50 "sobel"\n'
                          "xdotool key Return; sleep 2; xdotool key s; wait_for warpwise-002.png; xdotool key q",
                          "scene:", "--size", "160x120", backend="cuda", env=environment)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.succeed("sobel", "warpwise-001.png", "edges.png", "--backend", "cpu")
        self.succeed("convert", "warpwise-002.png", "shown.raw", "--to", "gray8", "--backend", "cpu")
        self.succeed("convert", "edges.png", "edges.raw", "--to", "gray8", "--backend", "cpu")
        self.assertEqual(read("shown.raw"), read("edges.raw"))
        self.assertGreater(len(set(read("edges.raw"))), 50)


class Controls(DrivenTest):
    """Tests the controls on a still picture, so that a saved picture shows the pipeline's result."""

    def setUp(self):
        super().setUp()
        self.succeed("stream", "test:zone", "zone/", "--frames", "1", "--size", "640x480")
        self.source = "zone/000001.png"

    def frames(self, *arguments, right=False):
        """Returns the centres of the panel's fields, sliders, lists and boxes from the top: those at its left, or those
        that reach to its right. Their frames have the same colour as the first frame, that of the pipeline."""
        shot = self.shot(self.source, *arguments)
        x = 640 + (PANEL - 30 if right else 9)
        colours = [shot.at(x, y) for y in range(shot.height)]
        field = max((c for c in set(colours) if 2 * c[0] < c[2]), key=colours.count)
        middles, start = [], None
        for y, colour in enumerate(colours + [None]):
            if colour == field and start is None:
                start = y
            elif colour != field and start is not None:
                if 12 <= y - start <= 24:  # plots are higher than 24 pixels
                    middles.append((start + y) // 2)
                start = None
        return middles

    def click(self, x, y):
        return f'xdotool mousemove --window "$window" {640 + x} {y}; sleep 1; xdotool click 1; sleep 2\n'

    def assert_saved(self, number, *thresholding):
        self.succeed("threshold", self.source, "expected.png", *thresholding, "--backend", "cpu")
        expected = self.pixels("expected.png")
        self.assertGreater(len(set(expected)), 1)
        self.assertEqual(self.pixels(f"warpwise-{number:03}.png"), expected, thresholding)

    def pixels(self, path):
        return self.succeed("convert", path, "-", "--to", "gray8", "--backend", "cpu").stdout

    def test_by_keys(self):
        tab = "xdotool key e; sleep 2; xdotool key Tab; sleep 1\n"
        type_in = 'xdotool key ctrl+a; xdotool type --delay 50 -- "{}"; xdotool key Return; sleep 2\n'.format
        done = self.drive(tab + type_in(51) + save(1)
                          # An even window is refused, and the previous pipeline stays.
                          + tab + type_in(50) + save(2)
                          # The next control is the offset. The text still has the previous window.
                          + tab + "xdotool key Tab; sleep 1\n" + type_in("-4.5") + save(3)
                          + 'xdotool key e; sleep 2; xdotool key End; xdotool type --delay 50 " max=99"\n'
                          + "xdotool key Return; sleep 2\n" + save(4) + "xdotool key q",
                          self.source, "--pipeline", "threshold window=31")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assert_saved(1, "--window", "51")
        self.assert_saved(2, "--window", "51")
        self.assert_saved(3, "--window", "51", "--offset", "-4.5")
        self.assert_saved(4, "--window", "51", "--offset", "-4.5", "--max", "99")

    def test_by_mouse(self):
        pipeline = ["--pipeline", "threshold window=31"]
        text, window, offset, method, most, invert = self.frames(*pipeline)[:6]
        third_choice = method + 10 + 8 + 17 * 3 + 8  # below the default and the first two choices
        done = self.drive(self.click(20, invert) + save(1)
                          + self.click(60, method) + self.click(60, third_choice) + save(2)
                          + self.click(20, invert) + self.click(100, window) + save(3) + "xdotool key q",
                          self.source, *pipeline)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assert_saved(1, "--window", "31", "--invert")
        self.assert_saved(2, "--window", "31", "--invert", "--method", "exact-mean")
        # The click is near the middle of the slider, whose values are the odd numbers from 1 to 255.
        shown = self.pixels("warpwise-003.png")
        self.assertIn(shown, [self.succeed("threshold", self.source, "-", "--window", str(odd), "--method",
                                           "exact-mean", "--backend", "cpu").stdout for odd in range(101, 161, 2)])

    def test_every_stage_has_its_own(self):
        # Of two equal stages, a change of the second one does not affect the first.
        pipeline = ["--pipeline", "sobel | sobel"]
        fields = self.frames(*pipeline)
        self.assertEqual(len(fields), 1 + 2 * 4)
        norm = fields[1 + 4 + 1]
        done = self.drive(self.click(60, norm) + self.click(60, norm + 10 + 8 + 17 * 2 + 8) + save(1) + "xdotool key q",
                          self.source, *pipeline)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.succeed("sobel", self.source, "first.png", "--backend", "cpu")
        self.succeed("sobel", "first.png", "second.png", "--norm", "l2", "--backend", "cpu")
        self.assertEqual(self.pixels("warpwise-001.png"), self.pixels("second.png"))

    @unittest.skipUnless(HAS_VIDEO, "this build has no module for videos")
    def test_name_of_a_clip(self):
        field = self.frames("--pipeline", "", right=True)[1]
        self.assertEqual(len(self.frames("--pipeline", "", right=True)), 2)
        done = self.drive(self.click(200, field) + 'xdotool type --delay 50 "bars.mkv"; xdotool key Return; sleep 1\n'
                          "xdotool key c; sleep 3; xdotool key c; wait_for bars.mkv\n"
                          "xdotool key q", "test:bars", "--size", "640x480", "--fps", "10")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.succeed("stream", "bars.mkv", "out/")
        self.succeed("stream", "test:bars", "bars/", "--frames", "8", "--size", "640x480")
        frames = sorted(os.listdir("out"))
        self.assertGreater(len(frames), 10)
        first = self.phase("out/000001.png")
        for i, name in enumerate(frames):  # each frame is written once, in order, bit for bit
            self.assertEqual(self.pixels(f"out/{name}"), self.pixels(f"bars/{(first + i) % 8 + 1:06}.png"))

    @unittest.skipUnless(HAS_VIDEO, "this build has no module for videos")
    def test_clip_does_not_replace_what_is_read(self):
        field = self.frames("--pipeline", "", right=True)[1]
        self.succeed("stream", "test:bars", "bars.mkv", "--size", "640x480", "--fps", "10", "--frames", "100")
        before = read("bars.mkv")
        done = self.drive(self.click(200, field) + 'xdotool type --delay 50 "bars.mkv"; xdotool key Return; sleep 1\n'
                          "xdotool key c; sleep 2; xdotool key q", "bars.mkv")
        self.assertEqual((done.returncode, done.stderr), (0, b""))  # the window showed the message and continued
        self.assertEqual(read("bars.mkv"), before)

    @unittest.skipUnless(HAS_VIDEO, "this build has no module for videos")
    def test_file_that_cannot_grow(self):
        field = self.frames("--pipeline", "", right=True)[1]
        noise = ["test:noise", "--size", "640x480"]
        limit = {"before": "ulimit -f 100"}  # in KiB, less than one frame
        done = self.drive(self.click(200, field) + 'xdotool type --delay 50 "noise.avi"; xdotool key Return; sleep 1\n'
                          "xdotool key c; sleep 3; xdotool key q", *noise, **limit)
        self.assertEqual((done.returncode, done.stderr), (0, b""))  # the window showed the message and continued
        self.assertLessEqual(os.path.getsize("noise.avi"), 102400)
        # The encoder writes its last frames when the clip ends, which is here when the window closes.
        done = self.drive("xdotool key space; sleep 1; xdotool key c; sleep 1; xdotool key Right; sleep 1; xdotool key q",
                          *noise, **limit)
        self.assertEqual((done.returncode, done.stderr),
                         (FAILED, b"warpwise: cannot write warpwise-001.mp4: File too large\n"))


@unittest.skipUnless(HAS_VIDEO, "this build has no module for videos")
class Clips(DrivenTest):
    BARS = ["test:bars", "--size", "640x480", "--fps", "10"]

    def frames_of(self, path, size="640x480"):
        """Returns the number of frames of a complete video."""
        said = json.loads(self.succeed("stream", path, "null", "--json").stdout)
        frames = said["source"]["frames"]
        self.assertEqual(f"{frames['width']}x{frames['height']}", size)
        return said["written"]

    def test_started_and_ended(self):
        done = self.drive("xdotool key c; sleep 2; xdotool key c; sleep 1; xdotool key p c; sleep 2; xdotool key c\n"
                          "sleep 1; xdotool key q", *self.BARS, "--pipeline", "sobel")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(sorted(os.listdir(".")), ["keys.sh", "warpwise-001.mp4", "warpwise-002.mp4"])
        for name in ["warpwise-001.mp4", "warpwise-002.mp4"]:
            self.assertGreater(self.frames_of(name), 5)

    def test_window_is_closed(self):
        done = self.drive("xdotool key c; sleep 2; xdotool key q", *self.BARS)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertGreater(self.frames_of("warpwise-001.mp4"), 5)

    def test_frames_end(self):
        done = self.drive("xdotool key c", *self.BARS, "--frames", "50")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertGreater(self.frames_of("warpwise-001.mp4"), 5)

    def test_pause_is_not_in_it(self):
        done = self.drive("xdotool key space; sleep 1; xdotool key c; sleep 2; xdotool key Right; sleep 1\n"
                          "xdotool key Right; sleep 1; xdotool key c; sleep 1; xdotool key c; sleep 1; xdotool key q",
                          *self.BARS)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(self.frames_of("warpwise-001.mp4"), 2)
        self.assertFalse(os.path.exists("warpwise-002.mp4"))  # no frame arrived

    def test_result_of_another_size(self):
        done = self.drive("xdotool key c; sleep 2\n" + enter("disparity max-disparity=4") + save(1)
                          + "xdotool key q", *self.BARS, "--pipeline", "gray8")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(self.picture("warpwise-001.png").width, 320)
        self.assertGreater(self.frames_of("warpwise-001.mp4"), 5)

    def test_size_that_no_mp4_has(self):
        done = self.drive("xdotool key c; sleep 1\n" + save(1) + "xdotool key q", "test:bars", "--size", "641x480")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(sorted(os.listdir(".")), ["keys.sh", "warpwise-001.png"])


class Refusals(ViewTest):
    def test_without_a_display(self):
        elsewhere = {name: value for name, value in os.environ.items()
                     if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        self.fail_with(FAILED, "view", "test:bars", env=elsewhere, says=["no display", "DISPLAY", "xvfb-run"])

    def test_called_wrongly(self):
        self.fail_with(USAGE, "view", says="SOURCE")
        self.fail_with(USAGE, "view", "test:bars", "--pipeline", "sobel | nothing", says="'nothing' is no stage")
        self.fail_with(USAGE, "view", "test:bars", "--pipeline", "ycbcr32 | match block-size=9999", says="match")
        self.fail_with(USAGE, "view", "test:bars", "--view", "upside-down", says="wipe")
        self.fail_with(USAGE, "view", "test:bars", "--screenshot", "a.jpg", says="PNG")
        self.fail_with(USAGE, "view", "test:bars", "--frames", "0", says="--frames")
        self.fail_with(USAGE, "view", "test:bars", "--json", says="--json")
        self.fail_with(FAILED, "view", "none.avi", says="none.avi")
        self.fail_with(FAILED, "view", "test:bars", "--screenshot", "none/a.png", says="none")


if __name__ == "__main__":
    unittest.main()
