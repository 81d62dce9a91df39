"""Helpers for tests of streams from and to peers in the network, all on the loopback device."""

import http.server
import socket
import struct
import subprocess

LOCAL = "127.0.0.1"


def frames_in(name):
    done = subprocess.run(["ffprobe", "-v", "error", "-of", "csv=p=0", "-count_frames", "-select_streams", "v",
                           "-show_entries", "stream=nb_read_frames", name], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[0])


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind((LOCAL, 0))
        return probe.getsockname()[1]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def rtsp_server(listener, content):
    """Answers one player, sends it a transport stream as RTP packets over the same connection, then closes it."""
    connection, _ = listener.accept()
    sdp = f"v=0\r\no=- 0 0 IN IP4 {LOCAL}\r\ns=x\r\nt=0 0\r\nm=video 0 RTP/AVP 33\r\na=control:1\r\n".encode()
    text = b""
    with connection:
        while True:
            while b"\r\n\r\n" not in text:
                text += connection.recv(4096)
            request, text = text.split(b"\r\n\r\n", 1)
            method = request.split()[0]
            number = request.lower().split(b"cseq:")[1].split()[0]
            # The server refuses to send datagrams: it sends packets over this connection only.
            status = b"461 no" if method == b"SETUP" and b"interleaved" not in request else b"200 OK"
            answer = b"RTSP/1.0 " + status + b"\r\nCSeq: " + number + b"\r\nSession: 1\r\n"
            if method == b"SETUP":
                answer += b"Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n"
            body = sdp if method == b"DESCRIBE" else b""
            if body:
                answer += f"Content-Type: application/sdp\r\nContent-Length: {len(body)}\r\n".encode()
            connection.sendall(answer + b"\r\n" + body)
            if method == b"PLAY":
                break
        for i, at in enumerate(range(0, len(content), 7 * 188)):
            packet = struct.pack(">BBHII", 0x80, 33, i, i, 1) + content[at:at + 7 * 188]
            connection.sendall(struct.pack(">cBH", b"$", 0, len(packet)) + packet)
