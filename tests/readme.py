#!/usr/bin/env python3
"""Compiles and runs the README's examples, so that they stay true.

  readme.py cpp REPOSITORY --prefix INSTALLED --work FOLDER --cmake CMAKE
      every ```cpp block is a program: built against the installed package, then run; and
      tests/package/emulator_user.cpp
  readme.py sh REPOSITORY --build BUILD --work FOLDER
      every line of a ```sh block that starts with `warpwise` is run in a folder that holds samples/
      and examples/; those of explain where there is a compiler, or a CUDA path, for them
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys


# What explain says where there is no CUDA toolkit.
NOT_HERE = ["there is no CUDA compiler", "has no libcudart.so.13"]


def blocks(repository, language):
    text = (repository / "README.md").read_text(encoding="utf-8")
    found = re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    if not found:
        sys.exit(f"README.md has no {language} block")
    return found


def run(command, **options):
    print("+", command if isinstance(command, str) else " ".join(map(str, command)), flush=True)
    subprocess.run(command, check=True, **options)


def test_cpp(repository, work, arguments):
    sources = []
    for number, program in enumerate(blocks(repository, "cpp"), 1):
        source = work / f"example{number}.cpp"
        source.write_text(program, encoding="utf-8")
        sources.append(str(source))
    project = repository / "tests" / "package"
    run([arguments.cmake, "-S", project, "-B", work / "build", "-G", "Ninja",
         f"-DCMAKE_PREFIX_PATH={arguments.prefix}", f"-DEXAMPLES={';'.join(sources)}"])
    run([arguments.cmake, "--build", work / "build"])
    for source in [*sources, "emulator_user.cpp"]:
        run([work / "build" / pathlib.Path(source).stem], cwd=work)


def test_zsh(commands, work):
    """Whether zsh, which refuses words in brackets that name no file, passes each line's words on."""
    zsh = shutil.which("zsh")
    if zsh is None:
        print("not tried in zsh: it is not installed", flush=True)
        return
    script = "setopt err_exit\nwarpwise() { : }\n" + "\n".join(commands)
    subprocess.run([zsh, "-fc", script], cwd=work, check=True, stdin=subprocess.DEVNULL)


def test_quotation(repository, said):
    """Whether the README quotes what explain says."""
    quoted = re.search(r"says of its line \d+:\n\n```\n(.*?)```", (repository / "README.md").read_text("utf-8"),
                       re.DOTALL)
    if quoted is None or quoted[1] not in said:
        sys.exit("README.md quotes explain, which says something else")


def test_sh(repository, work, arguments):
    for folder in ["samples", "examples"]:
        shutil.copytree(repository / folder, work / folder)
    environment = dict(os.environ, PATH=f"{arguments.build}/bin:{os.environ['PATH']}")
    commands = [line for block in blocks(repository, "sh")
                for line in block.splitlines() if re.match(r"(\w+ .*\| )?warpwise ", line)]
    if not commands:
        sys.exit("README.md has no warpwise command")
    said = ""
    complete = True
    for command in commands:
        print("+", command, flush=True)
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=work, env=environment,
                              capture_output=True, text=True)
        sys.stdout.write(done.stdout)
        sys.stderr.write(done.stderr)
        said += done.stdout
        complete = complete and done.returncode == 0
        if done.returncode != 0 and any(why in done.stderr for why in NOT_HERE):
            print("not run: see the line above", flush=True)
        elif done.returncode != 0:
            sys.exit(f"exit code {done.returncode}")
    test_zsh(commands, work)
    if complete:
        test_quotation(repository, said)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["cpp", "sh"])
    parser.add_argument("repository", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--prefix")
    parser.add_argument("--cmake")
    parser.add_argument("--build")
    arguments = parser.parse_args()
    shutil.rmtree(arguments.work, ignore_errors=True)
    arguments.work.mkdir(parents=True)
    test = test_cpp if arguments.what == "cpp" else test_sh
    test(arguments.repository, arguments.work, arguments)


if __name__ == "__main__":
    main()
