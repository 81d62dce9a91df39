"""Tests Warpwise as a part of another project: add_subdirectory and FetchContent configure the library alone, and do
not change the project's own settings. Little is compiled, because the sources are the same as in every other build.

    subproject_test.py ROOT WORK CMAKE
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

ROOT, WORK = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
CMAKE = sys.argv[3]
OF_COMMAND_AND_TESTS = ("CLI11", "fmt", "nlohmann_json", "GTest", "benchmark", "Python3")
LIBRARY_ALONE = ["-DWARPWISE_EMULATOR=OFF", "-DWARPWISE_TESTS=OFF", "-DWARPWISE_CUDA=OFF"]

# A parent project whose settings differ from Warpwise's. It prints them after it has added Warpwise.
PARENT = """cmake_minimum_required(VERSION 3.25)
project(parent LANGUAGES CXX)
foreach(language CXX CUDA)
  set(CMAKE_${language}_STANDARD 17)
  set(CMAKE_${language}_EXTENSIONS OFF)
endforeach()
%s
foreach(name BUILD_TYPE CXX_STANDARD CUDA_STANDARD RUNTIME_OUTPUT_DIRECTORY LIBRARY_OUTPUT_DIRECTORY MODULE_PATH BUILD_RPATH INSTALL_RPATH)
  message(STATUS "CMAKE_${name}=[${CMAKE_${name}}]")
endforeach()
get_property(options DIRECTORY PROPERTY COMPILE_OPTIONS)
message(STATUS "options=[${options}] testing=[${BUILD_TESTING}] nvcc=[$ENV{CUDACXX}]")
foreach(target warpwise emulator)
  if(TARGET warpwise::${target})
    message(STATUS "target ${target}")
  endif()
endforeach()
add_executable(plain plain.cpp)
add_executable(user user.cpp)
target_link_libraries(user PRIVATE warpwise::warpwise)
"""
USER = """#include <warpwise/warpwise.hpp>
int main() { return warpwise::Image(warpwise::ElementType::u8, 3, 3).channels(); }
"""


def configure(source, name, *options, status=0, generator="Ninja"):
    build = WORK / name
    done = subprocess.run([CMAKE, "-S", source, "-B", build, "-G", generator, *options], capture_output=True, text=True)
    assert done.returncode == status, done.stdout + done.stderr
    return build, " ".join((done.stdout + done.stderr).split())


def parent(name, adds):
    folder = WORK / f"{name}_source"
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text(PARENT % adds)
    (folder / "plain.cpp").write_text("int main() {}\n")
    (folder / "user.cpp").write_text(USER)
    return folder


def targets(build):
    listed = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], check=True, capture_output=True, text=True)
    return set(re.findall(r"^(?:\S*/)?(\w+): phony$", listed.stdout, re.M)) | set(
        re.findall(r"([\w.]+): \w+_(?:EXECUTABLE|LIBRARY)_LINKER", listed.stdout))


def cached(build, name):
    found = re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)
    return found and found[1]


class Subproject(unittest.TestCase):
    def check_library_alone(self, build):
        for package in OF_COMMAND_AND_TESTS:
            self.assertIsNone(cached(build, f"{package}_DIR"), package)
        for library in ("LIBYUV_LIBRARY", "OPENBLAS_LIBRARY", "ZSTD_LIBRARY", "WEBP_LIBRARY", "OpenCVParts_INCLUDE_DIR"):
            self.assertIsNone(cached(build, library), library)
        made = targets(build)
        self.assertIn("warpwise", made)
        parts = {"warpwise_runtime", "warpwise_emulator", "warpwise_emulator_reading", "warpwise_ptx", "warpwise_compilers", "warpwise_testbench"}
        self.assertFalse([name for name in made - parts
                          if re.search(r"^warpwise_|_test(?!bench)|_bench|docs", name)], made)

    def test_add_subdirectory(self):
        source = parent("subdirectory", f'add_subdirectory("{ROOT}" warpwise)')
        # If there is a CUDA compiler, the build has CUDA, because the parent also sets CUDA's dialect.
        build, said = configure(source, "subdirectory", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
        self.check_library_alone(build)
        self.assertNotIn("warpwise_emulator", targets(build))
        self.assertNotIn("-- target emulator", said)
        for untouched in ("BUILD_TYPE=[]", "CXX_STANDARD=[17]", "CUDA_STANDARD=[17]", "RUNTIME_OUTPUT_DIRECTORY=[]",
                          "LIBRARY_OUTPUT_DIRECTORY=[]", "MODULE_PATH=[]", "BUILD_RPATH=[]", "INSTALL_RPATH=[]"):
            self.assertIn(f"CMAKE_{untouched}", said)
        self.assertIn("options=[] testing=[] nvcc=[]", said)
        commands = {pathlib.Path(entry["file"]): entry["command"]
                    for entry in json.loads((build / "compile_commands.json").read_text())}
        # The parent's C++17 does not apply to the library, and the library's options do not apply to the parent.
        self.assertGreater(len(commands), 40)
        for file, command in commands.items():
            if file.is_relative_to(ROOT / "warpwise"):
                self.assertRegex(re.findall(r"-std=\S+", command)[-1], "20$", command)
                self.assertNotRegex(command, "-W(all|extra)")
        self.assertIn("-std=c++17", commands[source / "plain.cpp"])
        self.assertNotRegex(commands[source / "plain.cpp"], "contract|-Wall")
        self.assertIn("-std=c++20", commands[source / "user.cpp"])
        objects = ["warpwise/warpwise/CMakeFiles/warpwise.dir/base/view.cpp.o", "CMakeFiles/user.dir/user.cpp.o"]
        subprocess.run(["ninja", "-C", build, *objects], check=True, capture_output=True)

    def test_fetch_content_with_the_emulator(self):
        source = parent("fetch", "include(FetchContent)\nset(WARPWISE_EMULATOR ON)\n"
                        "FetchContent_Declare(warpwise GIT_REPOSITORY https://invalid.invalid/warpwise GIT_TAG main)\n"
                        "FetchContent_MakeAvailable(warpwise)")
        build, said = configure(source, "fetch", f"-DFETCHCONTENT_SOURCE_DIR_WARPWISE={ROOT}", "-DWARPWISE_CUDA=OFF")
        self.check_library_alone(build)
        self.assertIn("-- target warpwise -- target emulator", said)

    def test_the_command_as_a_part_has_to_be_asked_for(self):
        source = parent("command", f'add_subdirectory("{ROOT}" warpwise)')
        _, said = configure(source, "command", "-DWARPWISE_COMMAND=ON", "-DWARPWISE_CUDA=OFF", status=1)
        self.assertIn("WARPWISE_COMMAND is ON and needs WARPWISE_LAB, which is OFF: set -DWARPWISE_LAB=ON", said)


class TopLevel(unittest.TestCase):
    def test_parts_need_one_another(self):
        _, said = configure(ROOT, "parts", "-DWARPWISE_LAB=ON", "-DWARPWISE_EMULATOR=OFF", "-DWARPWISE_CUDA=OFF", status=1)
        self.assertIn("WARPWISE_LAB is ON and needs WARPWISE_EMULATOR, which is OFF", said)

    def test_release_where_nothing_was_chosen(self):
        build, _ = configure(ROOT, "release", *LIBRARY_ALONE)
        self.assertEqual(cached(build, "CMAKE_BUILD_TYPE"), "Release")
        # Without the emulator, neither the laboratory nor the command is built.
        self.assertEqual(cached(build, "WARPWISE_COMMAND"), "OFF")
        build, _ = configure(ROOT, "debug", *LIBRARY_ALONE, "-DCMAKE_BUILD_TYPE=Debug")
        self.assertEqual(cached(build, "CMAKE_BUILD_TYPE"), "Debug")
        build, _ = configure(ROOT, "several", *LIBRARY_ALONE, generator="Ninja Multi-Config")
        self.assertIn(cached(build, "CMAKE_BUILD_TYPE"), (None, ""))


def setUpModule():
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
