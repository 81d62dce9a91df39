"""Tests the installed package: CMake, pkg-config, a compiler, man and a shell find it, and the examples work. The tests
use a copy of the installed tree, which shows that the tree can be moved.

    package_test.py ROOT PREFIX WORK CMAKE COMPILER
"""
import fractions
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import unittest

ROOT, INSTALLED, WORK = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
CMAKE, COMPILER = sys.argv[4:6]
PREFIX = WORK / "moved"
DOCUMENTS = PREFIX / "share/doc/warpwise"
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
OPENCV = pathlib.Path("/usr/include/opencv4")  # Debian's folder
NEEDS_CXX20 = "Warpwise needs C++20: compile with -std=c++20"


def run(*command, status=0, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, **options)
    said = (done.stdout + done.stderr).decode(errors="replace")
    assert status in (None, done.returncode), f"{command}: status {done.returncode}\n{said}"
    return done


def text(done):
    """Returns a program's output as one line, because CMake wraps its messages."""
    return " ".join((done.stdout + done.stderr).decode().split())


class FindPackage(unittest.TestCase):
    def find(self, arguments, status=0):
        project = WORK / "find"
        shutil.rmtree(project, ignore_errors=True)
        project.mkdir()
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES NONE)\n"
            f"find_package(warpwise {arguments})\n"
            'message(STATUS "found: ${warpwise_FOUND}, emulator: ${warpwise_emulator_FOUND}")\n'
            "foreach(target warpwise emulator testbench)\n  if(TARGET warpwise::${target})\n"
            '    message(STATUS "target ${target}")\n  endif()\nendforeach()\n')
        return text(run(CMAKE, "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={PREFIX}", status=status))

    def test_without_components(self):
        self.assertIn("target warpwise -- target emulator -- target testbench", self.find("REQUIRED"))

    def test_the_emulator(self):
        self.assertIn("found: 1, emulator: TRUE", self.find("0.1 REQUIRED COMPONENTS emulator"))

    def test_an_unknown_component(self):
        said = self.find("REQUIRED COMPONENTS emulator viewer", status=1)
        self.assertIn("warpwise has no component 'viewer'; its one component is: emulator", said)
        # Without REQUIRED the configuration continues, and prints the reason why nothing was found.
        said = self.find("COMPONENTS viewer")
        self.assertIn("no component 'viewer'", said)
        self.assertIn("found: 0", said)
        self.assertIn("found: 1", self.find("OPTIONAL_COMPONENTS viewer"))

    def test_another_version(self):
        self.assertIn("0.1.0", self.find("0.2 REQUIRED", status=1))


class Compilers(unittest.TestCase):
    def test_a_program_as_cxx17_gets_one_message(self):
        headers = sorted((PREFIX / "include/warpwise").rglob("*.hpp"))
        self.assertGreater(len(headers), 30)
        if not OPENCV.is_dir():
            headers.remove(PREFIX / "include/warpwise/opencv.hpp")
        told = 0
        for compiler in filter(None, [COMPILER, shutil.which("clang++")]):
            for header in headers:
                done = subprocess.run([compiler, "-std=c++17", "-fsyntax-only", f"-I{PREFIX}/include", "-isystem",
                                       OPENCV, "-include", header, "-x", "c++", "/dev/null"], capture_output=True, text=True)
                if done.returncode == 0:  # this header is also valid C++17
                    continue
                errors = re.findall(r"error: .*", done.stderr)
                self.assertIn(NEEDS_CXX20, errors[0], header)
                self.assertEqual(len(errors), 2, done.stderr)  # at the second error the compiler stops
                told += 1
        self.assertGreater(told, 25)

    @unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")
    def test_pkg_config(self):
        environment = dict(os.environ, PKG_CONFIG_PATH=str(PREFIX / "lib/pkgconfig"))
        source = WORK / "user.cpp"
        source.write_text("#include <warpwise/warpwise.hpp>\n#include <cstdint>\nint main() {\n"
                          "  std::uint8_t in[9] = {0, 0, 9, 0, 0, 9, 0, 0, 9}, out[9];\n"
                          "  warpwise::sobel(warpwise::ConstHostView(in, 3, 3), warpwise::HostView(out, 3, 3));\n"
                          "  return out[4];\n}\n")
        for name, program, status in [("warpwise", source, 36),
                                      ("warpwise-emulator", ROOT / "tests/package/emulator_user.cpp", 0)]:
            flags = run("pkg-config", "--cflags", "--libs", name, env=environment).stdout.decode().split()
            binary = WORK / name
            run(COMPILER, "-std=c++20", program, *flags, "-o", binary)
            run(binary, status=status, env=dict(os.environ, LD_LIBRARY_PATH=str(PREFIX / "lib")))
        self.assertEqual(run("pkg-config", "--modversion", "warpwise", env=environment).stdout.strip(), b"0.1.0")


    @unittest.skipUnless(OPENCV.is_dir(), "OpenCV is not installed")
    def test_with_opencv(self):
        source, binary = WORK / "opencv_user.cpp", WORK / "opencv_user"
        source.write_text("#include <warpwise/opencv.hpp>\n#include <warpwise/warpwise.hpp>\nint main() {\n"
                          "  const cv::Mat in = (cv::Mat_<unsigned char>(3, 3) << 0, 0, 9, 0, 0, 9, 0, 0, 9);\n"
                          "  cv::Mat out(3, 3, CV_8U);\n"
                          "  warpwise::sobel(warpwise::view_of(in), warpwise::view_of(out));\n"
                          "  return out.at<unsigned char>(1, 1);\n}\n")
        run(COMPILER, "-std=c++20", source, f"-I{PREFIX}/include", "-isystem", OPENCV, f"-L{PREFIX}/lib", "-lwarpwise",
            "-lopencv_core", "-o", binary)
        run(binary, status=36, env=dict(os.environ, LD_LIBRARY_PATH=str(PREFIX / "lib")))


class Documents(unittest.TestCase):
    def test_what_the_program_and_the_headers_name_is_there(self):
        texts = [path.read_text() for path in (PREFIX / "include").rglob("*.hpp")]
        texts += [path.read_text() for path in (ROOT / "warpwise").rglob("*.cpp") if not path.name.endswith("_test.cpp")]
        named = set(re.findall(r"\bdocs/[\w/-]+\.md", "\n".join(texts)))
        self.assertIn("docs/hardware-rules.md", named)
        for name in [*named, "LICENSE", "README.md", "README.ko.md", "docs/README.md", "docs/ko/lab.md", "CHANGELOG.md",
                     "examples/README.md", "warpwise/lab/README.md"]:
            self.assertTrue((DOCUMENTS / name).is_file(), name)

    def test_the_man_page(self):
        page = PREFIX / "share/man/man1/warpwise.1"
        text = page.read_text().replace("\\-", "-")
        self.assertIn("warpwise lab run", text)
        self.assertIn("Exit status of all subcommands except run: 0", text)
        if shutil.which("man"):
            done = run("man", "--warnings", "-l", page, env=dict(os.environ, MANPAGER="cat", MANWIDTH="100"))
            self.assertEqual(done.stderr, b"")


class Completion(unittest.TestCase):
    """Tests that each subcommand and option of --help is completed, and is in the man page."""

    bash = PREFIX / "share/bash-completion/completions/warpwise"
    zsh = PREFIX / "share/zsh/site-functions/_warpwise"
    man = PREFIX / "share/man/man1/warpwise.1"

    def completed(self, *words):
        script = (f'source "{self.bash}"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _warpwise; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        return run("bash", "-c", script, "bash", *words).stdout.decode().split()

    def check(self, path):
        said = run(PREFIX / "bin/warpwise", *path, "--help").stdout.decode()
        said, _, below = said.partition("\nSubcommands:\n")
        options = re.findall(r"--[a-z][a-z-]*(?=[ ,\n])", said.partition("\nOptions:\n")[2])
        options = [name for name in options if re.search(rf"^ +(-\w,)?(--[a-z-]+,)*{name}\b", said, re.M)]
        self.assertIn("--help", options)
        offered = self.completed("warpwise", *path, "--")
        for name in options:
            self.assertIn(name, offered)
            self.assertIn(f"'*{name}[", self.zsh_of(path))
            self.assertIn(name, self.man.read_text().replace("\\-", "-"))
        names = re.findall(r"^  (\w+)", below, re.M)
        for name in names:
            self.assertIn(name, self.completed("warpwise", *path, ""))
            self.assertIn(f"{name}\\:", self.zsh_of(path))
        return 1 + sum(self.check([*path, name]) for name in names)

    def zsh_of(self, path):
        return re.search(rf"^{'_'.join(['', 'warpwise', *path])}\(\) {{\n(.*?)^}}", self.zsh.read_text(), re.M | re.S)[1]

    def test_each_subcommand_and_option(self):
        self.assertGreater(self.check([]), 15)

    def test_values_and_files(self):
        self.assertEqual(self.completed("warpwise", "convert", "--matrix", "bt6"), ["bt601"])
        self.assertEqual(self.completed("warpwise", "sobel", ""), [])  # bash then completes file names
        if shutil.which("zsh"):
            run("zsh", "-n", self.zsh)


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        project = WORK / "examples"
        project.mkdir()
        lines = ["cmake_minimum_required(VERSION 3.25)", "project(examples LANGUAGES CXX)"]
        for folder in sorted(path.parent for path in DOCUMENTS.glob("examples/*/CMakeLists.txt")):
            if folder.name == "googletest":  # needs more than the others: see KernelTests
                continue
            lines.append(f"add_subdirectory({folder} {folder.name})")
        assert len(lines) == 6, lines
        (project / "CMakeLists.txt").write_text("\n".join(lines))
        cls.build = project / "build"
        run(CMAKE, "-S", project, "-B", cls.build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={PREFIX}",
            "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON", "-DCMAKE_CXX_FLAGS=-Wall -Wextra")
        run(CMAKE, "--build", cls.build)

    def example(self, name, *arguments, **options):
        return run(self.build / name / name, *arguments, cwd=WORK, **options)

    @staticmethod
    def write_pgm(name, width, height, pixels):
        (WORK / name).write_bytes(b"P5\n%d %d\n255\n" % (width, height) + bytes(pixels))

    @staticmethod
    def pixels(name, magic, width, height):
        content = (WORK / name).read_bytes()
        header = b"%s\n%d %d\n255\n" % (magic, width, height)
        assert content.startswith(header), content[:20]
        return content[len(header):]

    def test_binarise(self):
        """Binarises strokes on a page that gets darker to the right, where its paper is darker than ink at the left."""
        width, height = 200, 60
        ink = {(x, y) for x in range(width) for y in range(height) if x % 20 < 3 and 10 <= y < 50}
        paper = [230 - x // 2 for x in range(width)]
        self.write_pgm("page.pgm", width, height,
                       [paper[x] - (60 if (x, y) in ink else 0) for y in range(height) for x in range(width)])
        self.example("binarise", "page.pgm", "out.pgm")
        self.assertEqual(self.pixels("out.pgm", b"P5", width, height),
                         bytes(0 if (x, y) in ink else 255 for y in range(height) for x in range(width)))
        self.assertIn(b"is no PGM file", self.example("binarise", "/dev/null", "out.pgm", status=1).stderr)

    def test_stereo(self):
        """Tests a square with a disparity of 24 pixels in front of a wall with a disparity of 8."""
        width, height = 160, 80
        noise = random.Random(7)
        right = [[noise.randrange(256) for _ in range(width)] for _ in range(height)]
        near = [[noise.randrange(256) for _ in range(40)] for _ in range(40)]
        left = [[right[y][x - 8] if x >= 8 else 0 for x in range(width)] for y in range(height)]
        for y in range(40):
            left[20 + y][80:120] = near[y]
            right[20 + y][56:96] = near[y]
        self.write_pgm("left.pgm", width, height, sum(left, []))
        self.write_pgm("right.pgm", width, height, sum(right, []))
        self.example("stereo", "left.pgm", "right.pgm", "depth.ppm", "32")
        rgb = self.pixels("depth.ppm", b"P6", width, height)
        seen = {(x, y): rgb[3 * (y * width + x):][:3] for x in range(width) for y in range(height)}
        # 24 of 32 is halfway from green to red, and 8 of 32 is halfway from blue to green. Sub-pixel refinement changes
        # each by less than half a pixel, which is 8 levels of 255 in each of two channels.
        for (x0, x1, y0, y1), wanted in [((88, 112, 28, 52), (128, 128, 0)), ((20, 50, 10, 70), (0, 128, 128))]:
            for x in range(x0, x1):
                for y in range(y0, y1):
                    got = seen[x, y]
                    self.assertTrue(all(abs(a - b) <= 8 for a, b in zip(got, wanted)), (x, y, tuple(got)))
        # Pixels that the square hides from one camera are black.
        self.assertIn(bytes(3), [seen[x, 40] for x in range(64, 80)])

    def test_capture(self):
        """Compares every byte of two frames with the formula in exact fractions: BT.601, 16 to 235."""
        width, height = 6, 4
        frames = random.Random(3).randbytes(2 * 2 * width * height)
        red, green, blue = fractions.Fraction("0.299"), fractions.Fraction("0.587"), fractions.Fraction("0.114")
        wanted = []
        for i in range(0, len(frames), 4):
            y0, u, y1, v = frames[i:i + 4]
            for y in (y0, y1):
                luma = fractions.Fraction(255 * (y - 16), 219)
                cb, cr = (fractions.Fraction(255 * (c - 128), 224) for c in (u, v))
                r, b = luma + 2 * (1 - red) * cr, luma + 2 * (1 - blue) * cb
                g = (luma - red * r - blue * b) / green
                wanted += [min(max(int((c + fractions.Fraction(1, 2)) // 1), 0), 255) for c in (r, g, b)]
        done = self.example("capture", width, height, input=frames)
        self.assertEqual(done.stdout, bytes(wanted))
        self.assertIn(b"the last frame has 5 of 48 bytes", self.example("capture", width, height, input=frames[:5], status=1).stderr)

    def test_kernel_test(self):
        run("ctest", "--test-dir", self.build / "kernel_test", "--output-on-failure", "--no-tests=error")
        said = self.example("kernel_test", DOCUMENTS / "examples/kernel_test/saxpy.ptx").stdout.decode().splitlines()
        self.assertEqual([line[:4] for line in said[:4]], ["ok: "] * 4)
        self.assertEqual(said[4], "global read of 4 bytes at 0 bytes past the end of x of 4000 bytes, line 4")


@unittest.skipUnless(NVCC, "there is no nvcc")
class KernelTests(unittest.TestCase):
    """Tests the GoogleTest example as a project elsewhere: its tests pass, and fail after each planted error."""

    def build(self, name, *changes):
        project = WORK / name
        shutil.copytree(DOCUMENTS / "examples/googletest", project)
        for file, before, after in changes:
            text_before = (project / file).read_text()
            self.assertIn(before, text_before)
            (project / file).write_text(text_before.replace(before, after))
        self.project, self.folder = project, project / "build"
        run(CMAKE, "-S", project, "-B", self.folder, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={PREFIX}",
            "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON", "-DCMAKE_CXX_FLAGS=-Wall -Wextra", f"-DWARPWISE_NVCC={NVCC}")
        run(CMAKE, "--build", self.folder)

    def told(self, status):
        return run("ctest", "--test-dir", self.folder, "--output-on-failure", "--no-tests=error",
                   status=status).stdout.decode()

    def test_pass_and_follow_the_kernel(self):
        self.build("kernel_tests")
        self.assertIn("100% tests passed, 0 tests failed out of 2", self.told(0))
        # After a change of a header, its kernel is compiled again, and the tests see the change.
        header = self.project / "smooth.hpp"
        header.write_text(header.read_text().replace("radius = 2", "radius = 3"))
        said = run(CMAKE, "--build", self.folder, status=None).stdout.decode()
        self.assertIn("Compiling smooth.ptx", said)

    def test_a_missing_barrier(self):
        self.build("kernel_tests_race", ("smooth.cu", "  __syncthreads();\n", "\n"))
        self.assertRegex(self.told(8), r"smooth\.cu:\d+: race, ")

    def test_too_wide_an_index(self):
        self.build("kernel_tests_bounds", ("smooth.cu", "from.width - 1)];", "from.width)];"))
        self.assertRegex(self.told(8), r"smooth\.cu:18: out_of_bounds, global read of 4 bytes .* past the end of from")

    def test_a_request_of_many_sectors(self):
        self.build("kernel_tests_cost", ("smooth.cu", "to.pixels[blockIdx.y * static_cast<long long>(to.width) + x]",
                                         "to.pixels[x * static_cast<long long>(to.height) + blockIdx.y]"))
        self.assertRegex(self.told(8), r"smooth\.cu:28: global stores take 16 sectors a request .*, at most 4 are allowed")

    def test_without_a_compiler_the_message_helps(self):
        project = WORK / "no_nvcc"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES NONE)\nfind_package(warpwise REQUIRED)\n"
            "set(CMAKE_FIND_ROOT_PATH /nonexistent)\nset(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM ONLY)\n"
            "add_custom_target(user)\nwarpwise_add_ptx(user kernel.cu)\n")
        said = text(run(CMAKE, "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={PREFIX}", status=1))
        self.assertIn("needs nvcc, which is not here: set CUDACXX to it", said)


def setUpModule():
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    shutil.copytree(INSTALLED, PREFIX, symlinks=True)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[6:])
