"""Tests many threads at once, on separate and on shared objects. In a free-threaded Python no lock orders the threads."""

import concurrent.futures
import subprocess
import sys
import sysconfig

import numpy as np
import pytest

import warpwise

IMAGE = np.random.default_rng(3).integers(0, 256, (150, 211), np.uint8)
COLOURS = np.random.default_rng(4).integers(0, 256, (90, 121, 3), np.uint8)
COUNT_PTX = """
.version 7.0
.target sm_75
.address_size 64
.visible .entry count(.param .u64 to)
{
  .reg .b32 %r<3>;
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [to];
  atom.global.add.u32 %r1, [%d1], 1;
  ret;
}
"""


def at_once(work, threads=8):
    """Returns the results of `work` in several threads that start together."""
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        return [each.result() for each in [pool.submit(work) for _ in range(threads)]]


def test_the_lock_of_a_free_threaded_python_stays_off():
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("this Python is not free-threaded")
    import warpwise.emulator  # noqa: F401
    assert not sys._is_gil_enabled()


def test_calls():
    def work():
        results = [warpwise.sobel(IMAGE), warpwise.threshold(IMAGE, window=15), warpwise.match(IMAGE, IMAGE[::-1].copy(), block=(16, 16)),
                   warpwise.convert(COLOURS, "rgb24", "ycbcr32"), warpwise.disparity(IMAGE, IMAGE, max_disparity=8)]
        return [result.tobytes() for result in results] + [repr(warpwise.find(IMAGE[40:60, 50:80].copy(), IMAGE))]
    expected = work()
    assert all(each == expected for each in at_once(lambda: [work() for _ in range(5)][-1]))


def test_errors():
    def work():
        for _ in range(50):
            with pytest.raises(warpwise.InvalidArgument, match="window"):
                warpwise.threshold(IMAGE, window=4)
    at_once(work)


def test_one_testbench():
    emulator = pytest.importorskip("warpwise.emulator", reason="the library was built without the emulator")
    bench = emulator.Testbench()
    kernel = bench.load_ptx(COUNT_PTX).kernel("count")
    shared = bench.zeros("shared", 1, np.int32)

    def work():
        for _ in range(10):
            launch = kernel.launch(1, 32, shared)
            own = bench.zeros("own", 1, np.int32)
            assert kernel.launch(1, 64, own).expect_no_faults() and own.read().tolist() == [64]
            assert launch.expect_no_faults() and launch.totals.thread_instructions == 3 * 32
        return repr(launch.lines)
    assert len(set(at_once(work))) == 1
    assert shared.read().tolist() == [8 * 10 * 32] and bench.skipped == 0


ENDS = """
import threading, time
import numpy as np
import warpwise
image = np.zeros((100, 100), np.uint8)
{made}
started = threading.Event()
def work():
    while True:
        {call}
        started.set()
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
started.wait()
time.sleep(0.05)
"""


@pytest.mark.parametrize("made,call", [
    ("", "warpwise.sobel(image)"),
    ("from warpwise import emulator; to = emulator.Testbench().zeros('to', 9, np.int32)", "to.read()")])
def test_daemon_threads_at_the_end(made, call):
    if "emulator" in made:
        pytest.importorskip("warpwise.emulator", reason="the library was built without the emulator")
    ended = subprocess.run([sys.executable, "-c", ENDS.format(made=made, call=call)], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
