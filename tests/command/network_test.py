"""Tests warpwise stream from peers in the network: http, tcp, udp, rtp and rtsp on the loopback device."""

import functools
import http.server
import os
import shutil
import socket
import subprocess
import threading
import time
import unittest

from network_support import LOCAL, Quiet, frames_in, free_port, rtsp_server
from support import HAS_VIDEO, SAMPLES, CommandTest, read, write
from video_support import ffmpeg

FAILED, BAD_USAGE = 1, 2


class Cut(Quiet):
    """Closes the connection in the middle of the file."""

    def do_GET(self):
        content = read(self.path[1:])
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[:len(content) // 2])


@unittest.skipUnless(HAS_VIDEO, "the module for videos is not in this build")
@unittest.skipUnless(shutil.which("ffprobe") and shutil.which("ffmpeg"), "there is no ffmpeg here")
class Network(CommandTest):
    def setUp(self):
        super().setUp()
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=4", "-f", "lavfi", "-i", "sine=d=4", "-pix_fmt", "yuv420p",
               "-g", "25", "-c:v", "libx264", "-bf", "0", "-c:a", "aac", "-movflags", "+faststart", "a.mp4")
        ffmpeg("-i", "a.mp4", "-c", "copy", "a.ts")

    def serve(self, handler):
        server = http.server.ThreadingHTTPServer((LOCAL, 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://{LOCAL}:{server.server_port}/"

    def send(self, *arguments):
        sender = subprocess.Popen(["ffmpeg", "-nostdin", "-v", "error", "-re", "-i", "a.ts", "-c", "copy", *arguments])
        self.addCleanup(sender.wait)

    def stream(self, *arguments):
        return self.succeed("stream", *arguments, "--backend", "cpu").stdout.decode()

    def end_of(self, *arguments):
        """Returns the message of a stream whose peer sends nothing more."""
        done = self.run_command("stream", *arguments, "--backend", "cpu")
        self.assertEqual(done.returncode, FAILED, done.stderr)
        return done.stderr.decode()

    def test_http_is_as_good_as_the_file(self):
        address = self.serve(Quiet)
        self.stream("a.mp4", "file.y4m")
        self.stream(address + "a.mp4", "http.y4m")
        self.assertEqual(read("http.y4m"), read("file.y4m"))
        self.stream(address.replace("http://", "http://user:secret@") + "a.ts", "ts.mkv")
        self.assertEqual(frames_in("ts.mkv"), 100)
        self.fail_with(FAILED, "stream", address + "none.mp4", "null", says=["none.mp4", "404"])

    def test_one_stage_reads_from_a_peer_too(self):
        address = self.serve(Quiet)
        self.stream("a.mp4", "several.mkv", "--pipeline", "sobel", "--frames", "5")
        for sink in ["one.mkv", "frames/"]:
            self.succeed("sobel", address + "a.mp4", sink, "--frames", "5", "--timeout", "20", "--backend", "cpu")
        self.stream("one.mkv", "one.y4m")
        self.stream("several.mkv", "several.y4m")
        self.assertEqual(read("one.y4m"), read("several.y4m"))
        self.assertEqual(len(os.listdir("frames")), 5)

    def test_a_password_is_not_shown(self):
        address = self.serve(Quiet).replace("http://", "http://user:secret@")
        said = self.stream(address + "a.mp4", "null")
        self.assertNotIn("secret", said)
        self.assertIn("a.mp4 (h264)", said)
        for scheme in ("tcp", "http"):
            said = self.end_of(f"{scheme}://user:secret@{LOCAL}:{free_port()}/1", "null")
            self.assertNotIn("secret", said)
            self.assertIn("Connection refused", said)

    def test_http_that_is_cut_is_an_error_with_the_frames_before(self):
        said = self.end_of(self.serve(Cut) + "a.ts", "out.mkv")
        self.assertIn("at frame ", said)
        self.assertGreater(frames_in("out.mkv"), 20)

    def test_a_join_over_http_cannot_be_checked(self):
        write("twice.ts", 2 * read("a.ts"))
        self.stream("twice.ts", "twice.mkv")
        self.assertEqual(frames_in("twice.mkv"), 200)
        self.assertIn("it is damaged, or two files were joined", self.end_of(self.serve(Quiet) + "twice.ts", "null"))

    def test_an_animated_webp_over_http_is_named(self):
        images = os.path.join(os.path.dirname(SAMPLES), "tests", "images")
        write("a.webp", read(os.path.join(images, "animated.webp")))
        self.assertIn("FFmpeg decodes no animated WebP file", self.end_of(self.serve(Quiet) + "a.webp", "null"))

    def test_a_missing_and_a_silent_peer(self):
        self.fail_with(FAILED, "stream", f"tcp://{LOCAL}:{free_port()}", "null", says="Connection refused")
        with socket.create_server((LOCAL, 0)) as silent:
            began = time.monotonic()
            self.fail_with(FAILED, "stream", f"tcp://{LOCAL}:{silent.getsockname()[1]}", "null", "--timeout", "0.5",
                           says="nothing came for 0.5 s")
            self.assertLess(time.monotonic() - began, 10)
        self.fail_with(BAD_USAGE, "stream", "tcp://x:1", "null", "--timeout", "0", says="--timeout")

    def test_datagrams_end_when_nothing_comes(self):
        for scheme, muxer, options in (("udp", "mpegts", "?pkt_size=1316"), ("rtp", "rtp_mpegts", "")):
            with self.subTest(scheme):
                address = f"{scheme}://{LOCAL}:{free_port(socket.SOCK_DGRAM)}"
                self.send("-f", muxer, address + options)
                self.assertIn("nothing came for 2 s", self.end_of(address, "out.mp4", "--timeout", "2"))
                self.assertGreater(frames_in("out.mp4"), 20)

    def test_rtsp_ends_with_the_server(self):
        with socket.create_server((LOCAL, 0)) as listener:
            server = threading.Thread(target=rtsp_server, args=(listener, read("a.ts")))
            server.start()
            self.stream(f"rtsp://{LOCAL}:{listener.getsockname()[1]}/1", "out.mp4")
            server.join()
        self.assertGreater(frames_in("out.mp4"), 90)

    def test_a_local_playlist_opens_no_peer(self):
        asked = []
        address = self.serve(functools.partial(type("Asked", (Quiet,), {
            "do_GET": lambda handler: (asked.append(handler.path), Quiet.do_GET(handler))})))
        write("list.m3u8", f"#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n{address}a.ts\n#EXT-X-ENDLIST\n".encode())
        self.fail_with(FAILED, "stream", "list.m3u8", "null", says="list.m3u8")
        self.assertEqual(asked, [])

    def test_a_playlist_of_a_peer_opens_no_file(self):
        write("list.m3u8", b"#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n")
        write("theft.m3u8", b"#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nfile:a.ts\n#EXT-X-ENDLIST\n")
        address = self.serve(Quiet)
        self.stream(address + "list.m3u8", "out.mkv")
        self.assertEqual(frames_in("out.mkv"), 100)
        self.fail_with(FAILED, "stream", address + "theft.m3u8", "null", says="theft.m3u8")


if __name__ == "__main__":
    unittest.main()
