"""Tests warpwise stream --reconnect: connections to peers in the network that break and come back."""

import http.server
import json
import re
import shutil
import socket
import subprocess
import threading
import time
import unittest

from network_support import LOCAL, Quiet, frames_in, free_port, rtsp_server
from support import HAS_VIDEO, CommandTest, read
from video_support import ffmpeg

FAILED, BAD_USAGE = 1, 2
FRAMES = 100


class Cut(Quiet):
    """Closes the connection in the middle of the requested part of the file, at most twice."""

    protocol_version = "HTTP/1.1"
    has_ranges = True

    def do_GET(self):
        content = read(self.path[1:])
        asked = re.match(r"bytes=(\d+)-", self.headers.get("Range", "")) if self.has_ranges else None
        start = int(asked[1]) if asked else 0
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        is_cut = not self.server.cuts or start > self.server.cuts[-1]
        end = start + (len(content) - start) // 2 if is_cut and len(self.server.cuts) < 2 else len(content)
        if end < len(content):
            self.server.cuts.append(start)
        self.wfile.write(content[start:end])
        self.close_connection = True


class CutWithoutRanges(Cut):
    has_ranges = False


def times_in(name, kind="v"):
    shown = subprocess.run(["ffprobe", "-v", "error", "-of", "csv=p=0", "-select_streams", kind, "-show_entries", "packet=pts_time",
                            name], capture_output=True, text=True, check=True).stdout
    return [float(line.strip(",")) for line in shown.split()]


@unittest.skipUnless(HAS_VIDEO, "the module for videos is not in this build")
@unittest.skipUnless(shutil.which("ffprobe") and shutil.which("ffmpeg"), "there is no ffmpeg here")
class NetworkLost(CommandTest):
    def setUp(self):
        super().setUp()
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=4", "-f", "lavfi", "-i", "sine=d=4", "-pix_fmt", "yuv420p",
               "-g", "25", "-c:v", "libx264", "-bf", "0", "-c:a", "aac", "-movflags", "+faststart", "a.mp4")
        ffmpeg("-i", "a.mp4", "-c", "copy", "a.ts")

    def serve(self, *calls):
        """Serves one caller after another, each with its own function, then stops listening. Returns the port."""
        listener = socket.create_server((LOCAL, 0))

        def run():
            with listener:
                for call in calls:
                    with listener.accept()[0] as connection:
                        call(connection)
        thread = threading.Thread(target=run)
        thread.start()
        self.addCleanup(thread.join)
        return listener.getsockname()[1]

    def stream(self, *arguments, code=0):
        done = self.run_command("stream", *arguments, "--backend", "cpu", "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout), done.stderr.decode()

    def serve_http(self, handler):
        server = http.server.ThreadingHTTPServer((LOCAL, 0), handler)
        server.cuts = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://{LOCAL}:{server.server_port}/"

    def test_tcp_goes_on_with_frames_and_sound(self):
        content = read("a.ts")

        def send_all(connection):
            connection.sendall(content)
        port = self.serve(send_all, lambda connection: connection.close(), send_all)
        report, said = self.stream(f"tcp://{LOCAL}:{port}", "out.mkv", "--reconnect", "2", code=FAILED)
        self.assertEqual(report["reconnections"], 1)
        self.assertEqual(report["written"], 2 * FRAMES)
        self.assertIn("has ended; connecting again for up to 2 s", said)
        self.assertRegex(said, r"is connected again after \d\.\d s\n")
        self.assertIn("the peer did not come back", said)
        frames, sound = times_in("out.mkv"), times_in("out.mkv", "a")
        self.assertEqual(sorted(set(frames)), frames)
        self.assertEqual(sorted(set(sound)), sound)
        self.assertGreater(len(sound), 1.9 * len(times_in("a.ts", "a")))
        # The frames' times continue after the time without a connection. The sound has the same pause.
        pause = frames[FRAMES] - frames[FRAMES - 1]
        self.assertTrue(0.9 < pause < 5, pause)
        self.assertAlmostEqual(max(b - a for a, b in zip(sound, sound[1:])), pause, delta=0.1)

    def test_tcp_that_is_cut_inside_a_frame(self):
        content = read("a.ts")
        port = self.serve(lambda connection: connection.sendall(content[:len(content) // 2]),
                          lambda connection: connection.sendall(content))
        report, _ = self.stream(f"tcp://{LOCAL}:{port}", "out.mp4", "--reconnect", "1", code=FAILED)
        self.assertEqual(report["reconnections"], 1)
        self.assertGreater(frames_in("out.mp4"), FRAMES + 30)

    def test_rtsp_server_that_starts_anew(self):
        content = read("a.ts")
        listener = socket.create_server((LOCAL, 0))

        def run():
            for _ in range(2):
                rtsp_server(listener, content)
            listener.close()
        thread = threading.Thread(target=run)
        thread.start()
        address = f"rtsp://{LOCAL}:{listener.getsockname()[1]}/1"
        report, _ = self.stream(address, "out.mp4", "--reconnect", "1", code=FAILED)
        thread.join()
        self.assertEqual(report["reconnections"], 1)
        self.assertGreater(frames_in("out.mp4"), 1.8 * FRAMES)

    def test_datagrams_that_pause(self):
        port = free_port(socket.SOCK_DGRAM)

        def send():
            for _ in range(2):
                ffmpeg("-re", "-i", "a.ts", "-c", "copy", "-f", "mpegts", f"udp://{LOCAL}:{port}?pkt_size=1316")
                time.sleep(2)
        thread = threading.Thread(target=send)
        thread.start()
        report, said = self.stream(f"udp://{LOCAL}:{port}", "out.mkv", "--timeout", "1.5", "--reconnect", "3", code=FAILED)
        thread.join()
        self.assertEqual(report["reconnections"], 1)
        self.assertIn("nothing came for 1.5 s", said)
        self.assertGreater(frames_in("out.mkv"), FRAMES)
        self.assertGreater(times_in("out.mkv")[-1], 8)

    def test_http_goes_on_where_it_broke_off(self):
        address = self.serve_http(Cut)
        self.stream("a.mp4", "file.y4m")
        report, said = self.stream(address + "a.mp4", "out.y4m", "--reconnect", "20")
        self.assertEqual(read("out.y4m"), read("file.y4m"))
        self.assertGreater(report["reconnections"], 0)
        self.assertIn("the server goes on from where its answer broke off", said)

    def test_a_silent_peer_is_called_again(self):
        def send_and_wait(connection):
            connection.sendall(content)
            time.sleep(2)
        content = read("a.ts")
        _, said = self.stream(f"tcp://{LOCAL}:{self.serve(send_and_wait)}", "out.mkv", "--timeout", "0.5", "--reconnect", "1", code=FAILED)
        self.assertIn("nothing came for 0.5 s; connecting again for up to 1 s", said)
        self.assertIn("the peer did not come back (--reconnect 1)", said)
        self.assertNotIn("--timeout", said)

    def test_http_that_cannot_go_on(self):
        _, said = self.stream(self.serve_http(CutWithoutRanges) + "a.ts", "out.mkv", "--reconnect", "5", code=FAILED)
        self.assertIn("at frame ", said)
        self.assertGreater(frames_in("out.mkv"), 20)

    def test_http_server_that_stays_gone(self):
        content = read("a.mp4")

        def send_half(connection):
            connection.recv(4096)
            connection.sendall(b"HTTP/1.1 200 OK\r\nAccept-Ranges: bytes\r\nContent-Length: %d\r\n\r\n" % len(content) + content[:len(content) // 2])
        address = f"http://{LOCAL}:{self.serve(send_half)}/a.mp4"
        report, said = self.stream(address, "out.mkv", "--timeout", "0.5", "--reconnect", "2", code=FAILED)
        self.assertNotIn("reconnections", report)
        self.assertIn("nothing came for 2 s; is the peer gone? --reconnect changes this", said)
        self.assertGreater(frames_in("out.mkv"), 10)

    def test_another_size_is_scaled_on_request(self):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=80x60:r=25:d=1", "-pix_fmt", "yuv420p", "-bf", "0", "b.ts")
        contents = [read("a.ts"), read("b.ts")]
        for option, frames, words in [([], FRAMES, f"changes its size from 64x48 to 80x60 at frame {FRAMES + 1}; --rescale"),
                                      (["--rescale"], FRAMES + 25, f"80x60 at frame {FRAMES + 1}, scaled to 64x48")]:
            port = self.serve(*[lambda connection, content=content: connection.sendall(content) for content in contents])
            report, said = self.stream(f"tcp://{LOCAL}:{port}", "out.mkv", "--reconnect", "0.5", *option, code=FAILED)
            self.assertEqual(report["written"], frames)
            self.assertIn(words, said)
            self.assertIn("its sound has changed or is missing", said)

    def test_the_report_counts(self):
        content = read("a.ts")
        port = self.serve(*[lambda connection: connection.sendall(content)] * 3)
        done = self.run_command("stream", f"tcp://{LOCAL}:{port}", "null", "--reconnect", "20", "--frames", "250", "--backend", "cpu")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"250 frames of 64x48 i420, connected again 2 times, ", done.stdout)

    def test_what_has_no_connection(self):
        self.fail_with(BAD_USAGE, "stream", "a.mp4", "null", "--reconnect", "5", says="a.mp4 is not a network address")
        self.fail_with(BAD_USAGE, "stream", "tcp://x:1", "null", "--reconnect", "0", says="--reconnect")
        self.fail_with(FAILED, "stream", f"tcp://{LOCAL}:{free_port()}", "null", "--reconnect", "5", says="Connection refused")


if __name__ == "__main__":
    unittest.main()
