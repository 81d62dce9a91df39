"""Tests warpwise stream to peers in the network: http, tcp, udp, rtp and rtsp on the loopback device."""

import http.server
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

from network_support import LOCAL, frames_in, free_port
from support import HAS_VIDEO, WARPWISE, CommandTest, read, write
from video_support import ffmpeg

FAILED, BAD_USAGE = 1, 2
FRAMES, SECONDS = 50, 2
RTP_HEADER = 12


class Posted(http.server.BaseHTTPRequestHandler):
    """Writes the received chunks to a file."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        content = b""
        while size := int(self.rfile.readline(), 16):
            content += self.rfile.read(size)
            self.rfile.readline()
        write("got.ts", content)
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def luma_of(name):
    return subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", name, "-fps_mode", "passthrough", "-f", "rawvideo",
                           "-pix_fmt", "gray", "-"], capture_output=True, check=True).stdout


@unittest.skipUnless(HAS_VIDEO, "the module for videos is not in this build")
@unittest.skipUnless(shutil.which("ffprobe") and shutil.which("ffmpeg"), "there is no ffmpeg here")
class NetworkSinks(CommandTest):
    def setUp(self):
        super().setUp()
        ffmpeg("-f", "lavfi", "-i", f"testsrc2=s=64x48:r=25:d={SECONDS}", "-f", "lavfi", "-i", f"sine=d={SECONDS}",
               "-pix_fmt", "yuv420p", "-c:v", "libx264", "-c:a", "aac", "a.mp4")

    def peer(self, act):
        """Runs `act` with the connection of the first program that calls; returns the port."""
        listener = socket.create_server((LOCAL, 0))

        def serve():
            with listener, listener.accept()[0] as connection:
                act(connection)
        self.server = threading.Thread(target=serve)
        self.server.start()
        self.addCleanup(self.server.join)
        return listener.getsockname()[1]

    def send(self, *arguments):
        return self.succeed("stream", *arguments, "--backend", "cpu").stdout.decode()

    def check_received(self, name, lost=0):
        """Checks that the sound and all frames arrived, within H.264's loss. `lost` last frames may be missing."""
        frames = frames_in(name)
        self.assertIn(frames, range(FRAMES - lost, FRAMES + 1))
        got, sent = luma_of(name), luma_of("a.mp4")
        self.assertEqual(len(got) * FRAMES, len(sent) * frames)
        self.assertLess(sum(abs(a - b) for a, b in zip(got, sent)) / len(got), 4)
        shown = subprocess.run(["ffprobe", "-v", "error", "-of", "csv=p=0", "-select_streams", "a", "-show_entries",
                                "stream=codec_name", name], capture_output=True, text=True, check=True).stdout
        self.assertEqual(shown.split()[:1], ["aac"])

    def test_tcp_gets_all_frames_and_the_sound(self):
        got = []

        def take(connection):
            while part := connection.recv(65536):
                got.append(part)
            write("got.ts", b"".join(got))
        said = self.send("a.mp4", f"tcp://{LOCAL}:{self.peer(take)}", "--json")
        self.assertIn(f'"written": {FRAMES}', said)
        self.server.join()
        self.check_received("got.ts")

    def test_http_gets_a_file(self):
        server = http.server.ThreadingHTTPServer((LOCAL, 0), Posted)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        self.send("a.mp4", f"http://user:secret@{LOCAL}:{server.server_port}/a.ts")
        server.shutdown()
        server.server_close()  # waits until the handler has ended
        self.check_received("got.ts")
        self.fail_with(BAD_USAGE, "stream", "a.mp4", f"http://{LOCAL}:1/a.mp4", says="MPEG-TS with H.264, no .mp4 file")

    def test_datagrams_come_at_the_pace_of_the_frames(self):
        for scheme, header in (("udp", 0), ("rtp", RTP_HEADER)):
            with self.subTest(scheme), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
                receiver.bind((LOCAL, 0))
                receiver.settimeout(5)
                receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
                got = []

                def take(receiver=receiver, got=got, header=header):
                    while part := receiver.recv(65536):
                        got.append((time.monotonic(), part[header:]))
                thread = threading.Thread(target=take)
                thread.start()
                port = receiver.getsockname()[1]
                self.send("a.mp4", f"{scheme}://{LOCAL}:{port}")
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
                    last.sendto(b"", (LOCAL, port))
                thread.join()
                self.assertGreater(got[-1][0] - got[0][0], SECONDS - 0.2)
                write("got.ts", b"".join(part for _, part in got))
                # FFmpeg's muxer for rtp does not send the last packet if it is not full.
                self.check_received("got.ts", lost=0 if scheme == "udp" else 1)

    def test_rtsp_gets_frames_and_sound(self):
        port = free_port()
        address = f"rtsp://{LOCAL}:{port}/1"
        server = subprocess.Popen(["ffmpeg", "-nostdin", "-v", "error", "-y", "-rtsp_flags", "listen", "-i", address, "-c",
                                   "copy", "got.mkv"])
        self.addCleanup(server.kill)
        while server.poll() is None and f":{port:04X} 00000000:0000 0A" not in read("/proc/net/tcp").decode():
            time.sleep(0.02)
        self.send("a.mp4", address.replace("://", "://user:secret@"))
        server.wait(20)
        self.check_received("got.mkv")

    def test_one_stage_sends_too(self):
        sizes = []

        def take(connection):
            while part := connection.recv(65536):
                sizes.append(len(part))
        self.succeed("sobel", "a.mp4", f"tcp://{LOCAL}:{self.peer(take)}", "--backend", "cpu")
        self.server.join()
        self.assertGreater(sum(sizes), 188 * FRAMES)

    def end_of(self, *arguments):
        began = time.monotonic()
        done = self.run_command("stream", *arguments, "--backend", "cpu")
        self.assertEqual(done.returncode, FAILED, done.stderr)
        self.assertLess(time.monotonic() - began, 10)
        self.assertNotIn(b"secret", done.stdout + done.stderr)
        return done.stderr.decode()

    def test_a_peer_that_goes_ends_the_stream(self):
        for scheme in ("tcp", "http"):
            with self.subTest(scheme):
                port = self.peer(lambda connection: connection.recv(1000))
                said = self.end_of("test:noise", f"{scheme}://user:secret@{LOCAL}:{port}/1")
                self.assertIn("the peer is gone", said)

    def test_a_peer_that_takes_nothing_ends_the_stream(self):
        for scheme in ("tcp", "http", "rtsp"):
            with self.subTest(scheme):
                done = threading.Event()
                port = self.peer(lambda connection, done=done: done.wait())
                said = self.end_of("test:noise", f"{scheme}://{LOCAL}:{port}/1", "--timeout", "0.5")
                done.set()
                self.assertIn("the peer took nothing for 0.5 s; --timeout changes this", said)

    def test_an_rtsp_server_that_stops_reading_ends_the_stream(self):
        port = free_port()
        with subprocess.Popen(["ffmpeg", "-v", "error", "-nostdin", "-rtsp_flags", "listen", "-i", f"rtsp://{LOCAL}:{port}/x",
                               "-f", "null", "-"]) as server:
            self.addCleanup(server.kill)
            time.sleep(1)
            stopping = threading.Timer(2, server.send_signal, [signal.SIGSTOP])
            stopping.start()
            said = self.end_of("test:noise", f"rtsp://{LOCAL}:{port}/x", "--size", "640x480", "--timeout", "1")
            stopping.join()
            server.kill()
        self.assertIn("the peer took nothing for 1 s; --timeout changes this", said)

    def test_a_source_that_may_come_again_is_sent_at_the_pace_of_its_frames(self):
        ffmpeg("-i", "a.mp4", "-c", "copy", "a.ts")
        began = time.monotonic()
        self.end_of(f"tcp://{LOCAL}:{self.peer(lambda connection: connection.sendall(read('a.ts')))}",
                    f"udp://{LOCAL}:{free_port(socket.SOCK_DGRAM)}", "--reconnect", "0.1")
        self.assertGreater(time.monotonic() - began, 0.8 * SECONDS)

    def test_nobody_listens(self):
        for scheme in ("tcp", "http", "rtsp"):
            said = self.end_of("a.mp4", f"{scheme}://user:secret@{LOCAL}:{free_port()}/1")
            self.assertIn("Connection refused", said)
        self.send("a.mp4", f"udp://{LOCAL}:{free_port(socket.SOCK_DGRAM)}", "--frames", "2")  # UDP does not tell if nobody receives

    def test_an_odd_size_is_refused_before_anything_is_sent(self):
        self.fail_with(BAD_USAGE, "stream", "test:bars", f"tcp://{LOCAL}:1", "--size", "63x48", says="even sizes")

    def test_what_a_peer_does_not_get_is_said(self):
        ffmpeg("-i", "a.mp4", "-c:v", "copy", "-c:a", "flac", "a.mkv")
        said = self.send("a.mkv", f"tcp://{LOCAL}:{self.peer(lambda connection: connection.recv(1 << 20))}", "--frames", "2")
        self.assertIn("does not hold: sound (flac)", said)

    def test_an_interruption_ends_a_paced_stream_at_once(self):
        port = free_port(socket.SOCK_DGRAM)
        with subprocess.Popen([WARPWISE, "stream", "test:bars", f"udp://{LOCAL}:{port}", "--fps", "0.2", "--size", "64x48",
                               "--backend", "cpu"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            running.stdout.readline()
            time.sleep(0.5)
            began = time.monotonic()
            running.send_signal(signal.SIGINT)
            said, _ = running.communicate(timeout=20)
        self.assertLess(time.monotonic() - began, 3)
        self.assertEqual(running.returncode, -signal.SIGINT)
        self.assertIn(b"frames of 64x48", said)


if __name__ == "__main__":
    unittest.main()
