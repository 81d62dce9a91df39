#!/usr/bin/env python3
"""A new user's first hour: the README and the pages of the command and of the library from top to bottom, in bash and
in zsh; the library alone and with all parts; help, completion, the manual, and the examples; typical mistakes and their
messages. tests/command/tutorials_test.py follows the tutorials.

    tests/newcomer/newcomer.py --build build/release --work FOLDER [--own-root]

Commands and programs are taken from the pages themselves (PAGES). A command in a page that no step takes is a failure,
and so is a step whose command is no longer in a page. --own-root is for scripts/newcomer.sh, in a system that is thrown
away: it installs into /usr/local, and builds the library once more as a part of another project, from a clone.
"""
import argparse
import functools
import os
import pathlib
import re
import shutil
import sys

from mistakes import MISTAKES, OF_ZSH
from support import NotHere, NotInstalled, Pages, Steps, Terminal, Wrong, expect, shell

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md", "docs/command.md", "docs/cpp.md"]
# Pages whose sentences name options of the command.
OPTION_PAGES = [*PAGES, "docs/first-pictures.md", "docs/slow-kernel.md", "docs/ci.md", "docs/lab.md", "warpwise/cli/README.md"]
# Messages of explain and lab if there is no compiler for kernels, or no CUDA path in the build.
NO_CUDA = ["there is no CUDA compiler", "has no libcudart.so.13"]
PARENT = """cmake_minimum_required(VERSION 3.25)
project(your_project LANGUAGES CXX)
{adds}
add_executable(your_program {source})
target_link_libraries(your_program PRIVATE warpwise::warpwise)
"""


class FirstHour:
    def __init__(self, build, work, own_root):
        self.build, self.work, self.own_root = build, work, own_root
        self.pages = Pages(REPOSITORY, PAGES)
        self.steps = Steps()
        self.prefix = pathlib.Path("/usr/local") if own_root else work / "prefix"
        self.clone = REPOSITORY if own_root else self.made_clone()
        self.home = work / "home"
        self.home.mkdir()
        # The home folder is new, but the cache may have a compiler for kernels from scripts/get-nvrtc.sh.
        cache = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
        self.environment = dict(os.environ, HOME=str(self.home), XDG_CACHE_HOME=cache, MANPAGER="cat",
                                TERM="dumb", PATH=f"{self.prefix}/bin:{os.environ['PATH']}")

    def made_clone(self):
        """Makes a clone in which packages and builds exist already: scripts/packages.sh and build.sh do nothing."""
        clone = self.work / "warpwise"
        for folder in ["samples", "examples", "scripts"]:
            shutil.copytree(REPOSITORY / folder, clone / folder)
        for done in ["packages.sh", "build.sh"]:
            (clone / "scripts" / done).write_text("#!/bin/sh\n")
        (clone / "build").mkdir()
        (clone / "build/release").symlink_to(self.build)
        return clone

    def step(self, title, action):
        self.steps.take(title, action)

    def line(self, command, where="bash", status=0, says=(), cwd=None, **variables):
        return shell(where, command, status, says, cwd=cwd or self.clone, env={**self.environment, **variables})

    def commands_step(self, command, where="bash", **options):
        self.step(f"{where}: {command}", lambda: self.line(command, where, **options))

    # ---- Start

    def start(self):
        [script] = (line.partition("#")[0].strip() for line in self.pages.block("", "scripts/demo.sh").splitlines())
        self.pages.taken.add(script)  # the README names it again, with its duration
        self.step(script, lambda: self.demo(script))
        self.step("the command is where the README says", self.the_command)
        self.step("cmake --install", self.install)

    @staticmethod
    def is_script(path):
        expect(os.access(REPOSITORY / path, os.X_OK), f"{path} is no program")

    def demo(self, script):
        self.line(script, says=["This machine:", "Made in demo-output/:"])
        for name in ["building-edges.png", "sudoku-threshold.png", "aloe-colours.png", "building-track.csv", "report.html"]:
            expect((self.clone / "demo-output" / name).stat().st_size > 50, name)

    def the_command(self):
        expect("The command is then in build/release/bin (" in self.pages.text, "README.md does not say so")
        self.line("build/release/bin/warpwise --version", says=["warpwise 0."])

    def install(self):
        everywhere = self.pages.command("cmake --install build/release --prefix DIR")
        default = next(code for code in self.pages.commands if code == "cmake --install build/release")
        self.pages.taken.add(default)
        self.line(default if self.own_root else everywhere.replace("DIR", str(self.prefix)))
        found = pathlib.Path(self.line("command -v warpwise").strip())
        expect(found == self.prefix / "bin/warpwise", f"warpwise is {found}")

    # ---- From the command line

    def command_lines(self):
        """Runs each line in both shells, in a folder for each shell. The files must be the same."""
        lines = [line for block in self.pages.blocks_of("sh") for line in block.splitlines()]
        said = {}
        for where in ["bash", "zsh"]:
            folder = self.work / where
            for name in ["samples", "examples"]:
                shutil.copytree(REPOSITORY / name, folder / name)
            for line in lines:
                self.step(f"{where}: {line}", lambda line=line, where=where, folder=folder: said.update(
                    {(where, line): self.kernel_line(line, where, folder)}))
        self.step("bash and zsh make the same files", self.same_files)
        self.step("README.md quotes what explain says", lambda: self.quotation(lines, said))

    def kernel_line(self, line, where, folder, **options):
        """Runs a line that may need a compiler for kernels."""
        try:
            return self.line(line, where, cwd=folder, **options)
        except Wrong as wrong:
            if any(why in str(wrong) for why in NO_CUDA):
                raise NotHere(str(wrong).strip().splitlines()[-1]) from wrong
            raise

    def same_files(self):
        made = {}
        for where in ["bash", "zsh"]:
            folder = self.work / where
            made[where] = {path.relative_to(folder): path.read_bytes()
                           for path in folder.rglob("*") if path.is_file()}
        if shutil.which("zsh") is None:
            raise NotInstalled("zsh is not installed")
        expect(len(made["bash"]) > 20, "few files were made")
        for name in made["bash"].keys() | made["zsh"].keys():
            expect(made["bash"].get(name) == made["zsh"].get(name), f"{name} is not the same in both shells")

    def quotation(self, lines, said):
        quoted = self.pages.block("", "in[y * width + x];")
        number = re.search(r"^ *[\d.]+ % +(\d+) ", quoted)[1]
        expect(f"It says of line {number}:" in self.pages.text, "the README quotes another line")
        first = next((line for line in lines if line.startswith("warpwise explain")), "")
        expect(first, "README.md has no line that explains a kernel")
        if ("bash", first) not in said:
            raise NotHere("explain did not run")
        expect(quoted in said["bash", first], f"README.md quotes explain, which says:\n{said['bash', first]}")

    def table(self):
        """Compares the subcommands, options and formats that pages name with --help."""
        rows = re.findall(r"^\| `([a-z]+)` \|", self.pages.text, re.MULTILINE)
        self.step("the table of docs/command.md has every subcommand", lambda: expect(
            set(rows) == set(self.subcommands()) - {"help"}, f"the table has {rows}, the command {self.subcommands()}"))
        self.step("the pages' formats are convert's", self.formats)
        for page in OPTION_PAGES:
            self.step(f"the options in {page} are the command's", lambda page=page: self.options(page))

    def subcommands(self):
        return re.findall(r"^  ([a-z]+) ", self.line("warpwise --help").partition("Subcommands:")[2], re.M)

    @functools.cache
    def helps(self):
        """Returns the text of --help for each option, in all subcommands and those of lab."""
        names = self.subcommands()
        below = re.findall(r"^  ([a-z]+) ", self.line("warpwise lab --help").partition("Subcommands:")[2], re.M)
        found = {}
        for call in ["", *names, *(f"lab {name}" for name in below)]:
            said = self.line(f"warpwise {call} --help")
            for entry in re.findall(r"^  (-.*(?:\n {10,}.*)?)", said, re.M):  # a long name's text has its own line
                for option in entry.split()[0].split(","):
                    found.setdefault(option, []).append(entry)
        return found

    def options(self, page):
        """Checks the options in a page's inline code, and the values of options that take one of a list."""
        text = re.sub(r"^ *```.*?^ *```$", "", (REPOSITORY / page).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for code in re.findall(r"`((?:--[a-z]|warpwise |lab )[^`]*)`", text):
            for option, value in re.findall(r"(--[a-z-]+)(?: ([a-z]\w*)\b)?", code):
                entries = self.helps().get(option)
                expect(entries, f"{page}: no --help has {option} of `{code}`")
                if value and all(" NAME" in entry for entry in entries):
                    expect(any(re.search(rf"\b{value}\b", entry) for entry in entries),
                           f"{page}: no --help names {value} of `{code}`")

    def formats(self):
        calls = {"reads": "in.raw out.raw --to rgb24 --size 8x8 --from", "writes": "in.npy out.npy --to"}
        for does, call in calls.items():
            row = re.search(rf"^\| {does} \| (.*) \|$", self.pages.text, re.MULTILINE)
            expect(row, f"docs/command.md has no row of what convert {does}")
            names = row[1]
            said = self.line(f"warpwise convert {call} none", status=2).partition("'none'")[2]
            wanted, offered = (set(re.findall(r"[a-z]+\d+[a-z]*|yuyv|uyvy", text)) for text in [names, said])
            expect(wanted == offered, f"{call}: docs/command.md has {sorted(wanted)}, the command {sorted(offered)}")

    # ---- Help

    def help(self):
        top = ["Usage: warpwise", "Subcommands:", "sobel", "threshold"]
        for command in ["warpwise", "warpwise help", "warpwise --help", "warpwise -h"]:
            self.commands_step(command, says=top)
        for command in ["warpwise help threshold", "warpwise threshold --help"]:
            self.commands_step(command, says=["Usage: warpwise threshold", "--window N", "--invert"])
        self.commands_step("warpwise help lab run", says=["Usage: warpwise lab run", "--on"])
        self.step("the manual: " + self.pages.command("man warpwise"), self.manual)
        for where in ["bash", "zsh"]:
            for typed, completed in [("so", "sobel"), ("convert --matrix bt6", "convert --matrix bt601"),
                                     ("lab ver", "lab verify"), ("sobel --keep", "sobel --keep-going"),
                                     ("sobel samples/sud", "sobel samples/sudoku.png")]:
                self.step(f"{where}: warpwise {typed}<TAB>", lambda where=where, typed=typed, completed=completed:
                          self.completion(where, f"warpwise {typed}", completed))

    def manual(self):
        if shutil.which("man") is None:
            raise NotInstalled("man is not installed")
        text = self.line("man warpwise", says=["WARPWISE(1)", "SYNOPSIS", "Exit status"])
        for name in self.subcommands():
            expect(f"warpwise {name}" in text, f"the manual has nothing of {name}")

    def completion(self, where, typed, completed):
        """Types the start of a line and a tab at a shell. A function then prints the completed line."""
        share = self.prefix / "share"
        words, setup = {
            "bash": (["bash", "--norc", "--noprofile", "-i"],
                     f"source {share}/bash-completion/completions/warpwise"),
            "zsh": (["zsh", "-f", "-i"],
                    f"fpath=({share}/zsh/site-functions $fpath); autoload -Uz compinit; compinit -D -u"),
        }[where]
        if shutil.which(where) is None:
            raise NotInstalled(f"{where} is not installed")
        with Terminal(words, cwd=self.clone, env=self.environment) as terminal:
            terminal.type(f"{setup}; warpwise() {{ echo \"<$*>\"; }}; echo REA''DY\n")
            expect("READY" in terminal.read("READY"), terminal.shown)
            terminal.type(typed + "\t")
            terminal.read(completed.split()[-1], 3)
            terminal.type("\n")
            expect(f"<{completed}>" in terminal.read(f"<{completed}>"), terminal.shown)

    # ---- Mistakes

    def mistakes(self):
        (self.work / "bash/none").mkdir()
        for command, status, says in MISTAKES:
            self.step(f"mistake: {command}", lambda command=command, status=status, says=says: self.mistake(
                command, status, says))
        for command, says in OF_ZSH:
            self.commands_step(command, "zsh", status=1, says=says)
        self.step("mistake: a picture for the terminal", self.picture_for_the_terminal)

    def mistake(self, command, status, says):
        folder = self.work / "bash"
        before = sorted(folder.rglob("*"))
        said = self.kernel_line(command, "bash", folder, status=status, says=says)
        expect(said.startswith("warpwise: ") and said.count("\n") == 1, f"more than one line is said:\n{said}")
        expect(sorted(folder.rglob("*")) == before, "a file is left behind")

    def picture_for_the_terminal(self):
        command = ["warpwise", "sobel", "samples/building.jpg", "-"]
        with Terminal(command, cwd=self.clone, env=self.environment) as terminal:
            said = terminal.read("a program\r\n")
            expect("the picture would go to a terminal; name a file" in said, said)

    # ---- From C++

    def library(self):
        self.programs = []
        for number, text in enumerate(self.pages.blocks_of("cpp"), 1):
            self.programs.append(self.work / f"example{number}.cpp")
            self.programs[-1].write_text(text, encoding="utf-8")
        self.step("find_package: the pages' programs are built", self.find_package)
        for program in self.programs:
            self.commands_step(f"{self.work}/found/{program.stem}")
        self.commands_step(f"{self.work}/found/emulator_user")
        for where in ["bash", "zsh"]:
            self.step(f"{where}: pkg-config", lambda where=where: self.pkg_config(where))
        self.step("a program as C++17 gets one message", self.cxx17)
        self.step("FetchContent", lambda: self.part_of("fetched", self.fetch_content()))
        self.step("add_subdirectory", lambda: self.part_of(
            "added", f"add_subdirectory({REPOSITORY} warpwise)", build=False))
        self.step("the API reference", self.reference)

    def find_package(self):
        block = self.pages.block("cmake", "find_package")
        expect("`COMPONENTS emulator`" in self.pages.text and "`warpwise::emulator`" in self.pages.text,
               "docs/cpp.md does not say how the emulator is found")
        project = self.work / "find_package"
        project.mkdir()
        lines = ["cmake_minimum_required(VERSION 3.25)", "project(your_project LANGUAGES CXX)"]
        for program in self.programs:
            lines += [f"add_executable({program.stem} {program})", block.replace("your_program", program.stem)]
            if "warpwise/opencv.hpp" in program.read_text(encoding="utf-8"):
                lines += ["find_path(opencv opencv2/core.hpp PATH_SUFFIXES opencv4 REQUIRED)",
                          f"target_include_directories({program.stem} PRIVATE ${{opencv}})",
                          f"target_link_libraries({program.stem} PRIVATE opencv_core)"]
        lines += ["find_package(warpwise REQUIRED COMPONENTS emulator)",
                  f"add_executable(emulator_user {REPOSITORY}/tests/package/emulator_user.cpp)",
                  "target_link_libraries(emulator_user PRIVATE warpwise::emulator)"]
        (project / "CMakeLists.txt").write_text("\n".join(lines))
        where = "" if self.own_root else f"-DCMAKE_PREFIX_PATH={self.prefix}"
        self.line(f"cmake -S {project} -B {self.work}/found {where} && cmake --build {self.work}/found -j 2")

    def pkg_config(self, where):
        if shutil.which("pkg-config") is None:
            raise NotInstalled("pkg-config is not installed")
        (self.work / "program.cpp").write_text(self.programs[0].read_text())
        command = self.pages.command("g++ -std=c++20 program.cpp")
        variables = {}
        if self.own_root:
            self.line(self.pages.command("ldconfig"))
        else:
            self.pages.command("ldconfig")
            advised = re.findall(r"`([A-Z_]+)=DIR/(\S+)`", self.pages.text)
            expect(len(advised) == 2, "docs/cpp.md does not say how a library in a folder of one's own is found")
            variables = {name: f"{self.prefix}/{below}" for name, below in advised}
        self.line(f"{command} && ./a.out", where, cwd=self.work, **variables)

    def cxx17(self):
        said = self.line(f"g++ -std=c++17 -I{self.prefix}/include -fsyntax-only {self.programs[0]}", status=1)
        errors = re.findall("error: .*", said)
        expect(len(errors) == 2 and "Warpwise needs C++20: compile with -std=c++20" in errors[0], said)

    def fetch_content(self):
        block = self.pages.block("cmake", "FetchContent")
        commit = "HEAD"
        if self.own_root:
            commit = self.line("git rev-parse HEAD").strip()
        return block.replace("URL", f"file://{REPOSITORY}").replace("COMMIT", commit)

    def part_of(self, name, adds, build=True):
        """Configures a project that has Warpwise as a part. Builds and runs it only with --own-root."""
        source, build_folder = self.work / f"{name}_source", self.work / name
        source.mkdir()
        (source / "CMakeLists.txt").write_text(PARENT.format(adds=adds, source=self.programs[0]))
        options = "-DCMAKE_BUILD_TYPE=Release"
        if not self.own_root:  # takes these sources, not the committed ones
            options += f" -DFETCHCONTENT_SOURCE_DIR_WARPWISE={REPOSITORY}"
        if not build:
            options += " -DWARPWISE_CUDA=OFF"
        said = self.line(f"cmake -S {source} -B {build_folder} {options}")
        expect("Build files have been written to" in said, said)
        if build and self.own_root:
            self.line(f"cmake --build {build_folder} -j $(nproc) && {build_folder}/your_program")

    def reference(self):
        if shutil.which("doxygen") is None:
            raise NotInstalled("doxygen is not installed")
        self.line(self.pages.command("cmake --build build/release --target docs"))
        expect("`build/release/reference/html/index.html`" in self.pages.text, "docs/cpp.md does not say where it is")
        expect((self.build / "reference/html/index.html").is_file(), "there is no index.html")

    # ---- Examples

    def examples(self):
        text = (REPOSITORY / "examples/README.md").read_text(encoding="utf-8")
        block = re.search(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[1]
        tmp = self.work / "tmp"
        tmp.mkdir()
        for name, how in re.findall(r"^\| \[(\w+)\]\(.*?\) \| .*? \| (.*?) \|$", text, re.MULTILINE):
            lines = block.replace("/tmp/", f"{tmp}/").replace("binarise", name).splitlines()
            self.step(f"examples: {name} is built", lambda lines=lines: self.line(" && ".join(lines)))
            typed = re.match("`(.*?)`", how)
            self.step(f"examples: {typed[1] if typed else name}", lambda name=name, typed=typed:
                      self.example(name, typed, tmp))

    def example(self, name, typed, tmp):
        program = tmp / name / name
        if name == "capture":  # the input is a black frame in limited range
            said = self.line(f"head -c 614400 /dev/zero | {program} 640 480 | wc -c")
            expect(said.strip() == str(640 * 480 * 3), said)
            return
        if name == "googletest":
            expect("100% tests passed" in self.line(f"ctest --test-dir {tmp / name}"), "its tests do not pass")
            return
        for picture, sample in [("page", "sudoku.png"), ("left", "aloeL.jpg"), ("right", "aloeR.jpg")]:
            if f"{picture}.pgm" in typed[1]:
                self.line(f"warpwise convert {REPOSITORY}/samples/{sample} {picture}.pgm --to gray8", cwd=tmp)
        shutil.copy(REPOSITORY / "examples/kernel_test/saxpy.ptx", tmp)
        self.line(typed[1].replace(name, str(program), 1), cwd=tmp)

    # ---- A program of one's own on the emulated GPU

    def emulated_program(self):
        command = self.pages.command("warpwise run")
        self.step(f"bash: {command}", lambda: self.run_program(command))

    def run_program(self, command):
        compiler = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        if not pathlib.Path(compiler).is_file():
            raise NotHere("there is no nvcc")
        folder = self.work / "own_program"
        folder.mkdir()
        (folder / "own.cu").write_text("""
            __global__ void twice(int* values) { values[threadIdx.x] *= 2; }
            int main() {
              int* values = nullptr;
              if (cudaMallocManaged(&values, 4 * sizeof(int)) != cudaSuccess) return 3;
              values[3] = 21;
              twice<<<1, 4>>>(values);
              const bool is_right = cudaDeviceSynchronize() == cudaSuccess && values[3] == 42;
              return cudaFree(values) == cudaSuccess && is_right ? 0 : 4;
            }""", encoding="utf-8")
        self.line(f"{compiler} -cudart shared -arch=compute_75 -o {command.split('/')[-1]} own.cu", cwd=folder)
        self.line(command, cwd=folder)

    # ---- The rest

    def rest(self):
        self.step("the README's Python", self.python)
        preset = self.pages.command("cmake --preset").split()[-1]
        self.commands_step("cmake --list-presets", says=[preset], cwd=REPOSITORY)
        contributing = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
        for script in sorted(set(re.findall(r"^(scripts/\S+\.sh)", contributing, re.MULTILINE))):
            self.step(f"{script} is there", lambda script=script: self.is_script(script))
        # scripts/test-packages.sh installs the files that scripts/package.sh makes.
        script = self.pages.command("scripts/package.sh")
        self.step(f"{script} is there", lambda script=script: self.is_script(script))
        for line in self.pages.block("", "pip install warpwise-").splitlines():
            self.step(f"docs/packages.md has {line.split()[0]}", lambda line=line: expect(
                line.partition(" #")[0].strip() in (REPOSITORY / "docs/packages.md").read_text(encoding="utf-8"), line))
        script = self.pages.command("scripts/get-nvrtc.sh")
        self.step(f"{script} is there", lambda: self.is_script(script))
        self.step("the pages have nothing that no step has taken", lambda: expect(
            not self.pages.not_taken(), "\n".join(self.pages.not_taken())))

    def python(self):
        """Runs the README's program if its packages are there. python/tests/test_pages.py runs it too."""
        [program] = self.pages.blocks_of("python")
        try:
            self.line('python3 -c "import numpy, PIL, warpwise"')
        except Wrong as wrong:
            raise NotHere("Python has no warpwise, NumPy or Pillow here") from wrong
        (self.work / "page.py").write_text(program, encoding="utf-8")
        self.line(f"python3 {self.work}/page.py", cwd=self.work / "bash")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--own-root", action="store_true")
    arguments = parser.parse_args()
    work = arguments.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    hour = FirstHour(arguments.build.resolve(), work, arguments.own_root)
    for chapter in [hour.start, hour.command_lines, hour.table, hour.help, hour.mistakes, hour.library,
                    hour.examples, hour.emulated_program, hour.rest]:
        chapter()
    sys.exit(hour.steps.status())


if __name__ == "__main__":
    main()
