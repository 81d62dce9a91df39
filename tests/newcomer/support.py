"""Helpers of the newcomer's steps: their count, the parts of pages, commands in a shell, and keys on a terminal."""
import os
import pty
import re
import select
import signal
import subprocess
import time

# Matches commands within the sentences of a page.
COMMAND = re.compile(r"`((?:cmake|g\+\+|ldconfig|man|warpwise) [^`]*|ldconfig|scripts/[\w-]+\.sh[^`]*)`")


class Wrong(Exception):
    """The result of a step is not what the documents say."""


class NotHere(Exception):
    """A step needs something that this machine lacks, such as a GPU or a compiler for kernels."""


class NotInstalled(NotHere):
    """A step needs a package that scripts/packages.sh --test installs; in CI this is a failure."""


class Steps:
    def __init__(self):
        self.wrong = []
        self.not_here = []
        self.count = 0

    def take(self, title, action):
        """Runs a step and prints its result. An exception does not stop the following steps."""
        self.count += 1
        start = time.monotonic()
        said = ""
        try:
            action()
            how = "ok"
        except NotHere as reason:
            missing = isinstance(reason, NotInstalled) and os.environ.get("CI")
            how = "WRONG" if missing else "not here"
            (self.wrong if missing else self.not_here).append(title)
            said = f"      {reason}"
        except (Wrong, OSError, subprocess.SubprocessError) as error:
            how = "WRONG"
            self.wrong.append(title)
            said = f"{error}"
        print(f"{self.count:3} {how:8} {time.monotonic() - start:5.1f} s  {title}", flush=True)
        if said:
            print(said, flush=True)

    def status(self):
        """Prints the totals; returns the exit status of the program."""
        print(f"{self.count} steps, {len(self.wrong)} wrong, {len(self.not_here)} that this machine cannot take")
        for title in self.wrong:
            print(f"  wrong: {title}")
        return 1 if self.wrong else 0


class Pages:
    """README.md and the pages of the first steps, divided into parts. A step has to use each part."""

    def __init__(self, root, names):
        self.names = ", ".join(names)
        self.text = "\n".join((root / name).read_text(encoding="utf-8") for name in names)
        self.blocks = [(language, content) for language, content in
                       re.findall(r"^ *```(\w*)\n(.*?)^ *```$", self.text, re.MULTILINE | re.DOTALL)]
        outside = re.sub(r"^ *```.*?^ *```$", "", self.text, flags=re.MULTILINE | re.DOTALL)
        self.commands = list(dict.fromkeys(" ".join(code.split()) for code in COMMAND.findall(outside)))
        self.taken = set()

    def block(self, language, holds):
        """Returns the only block of this language that contains these words."""
        found = [block for block in self.blocks if block[0] == language and holds in block[1]]
        if len(found) != 1:
            raise Wrong(f"{self.names}: {len(found)} blocks of '{language}' with \"{holds}\"")
        self.taken.add(found[0])
        return found[0][1]

    def blocks_of(self, language):
        found = [block for block in self.blocks if block[0] == language]
        if not found:
            raise Wrong(f"{self.names}: no block of '{language}'")
        self.taken.update(found)
        return [content for _, content in found]

    def command(self, start):
        """Returns the only command within a sentence that begins like this."""
        found = [code for code in self.commands if code.startswith(start)]
        if len(found) != 1:
            raise Wrong(f"{self.names}: {len(found)} commands `{start}…`")
        self.taken.add(found[0])
        return found[0]

    def not_taken(self):
        return [str(part) for part in [*self.blocks, *self.commands] if part not in self.taken]


def expect(condition, text):
    if not condition:
        raise Wrong(text)


def shell(name, command, status=0, says=(), **options):
    """Runs a line in bash or zsh as a user types it. Returns its output, which must contain each of `says`."""
    words = {"bash": ["bash", "-euo", "pipefail", "-c"], "zsh": ["zsh", "-f", "-e", "-o", "pipefail", "-c"]}[name]
    try:
        done = subprocess.run([*words, command], stdin=subprocess.DEVNULL, capture_output=True, timeout=600,
                              **options)
    except FileNotFoundError as error:
        raise NotInstalled(f"{name} is not installed (scripts/packages.sh --test)") from error
    output = (done.stdout + done.stderr).decode(errors="replace")
    expect(done.returncode == status, f"{command}\nexit code {done.returncode}, not {status}\n{output}")
    for words in says:
        expect(words in output, f"{command}\nsays nothing of \"{words}\":\n{output}")
    return output


class Terminal:
    """Runs a program at a terminal. Collects its output, and types keys."""

    def __init__(self, words, **options):
        try:
            self.pid, self.screen = pty.fork()
        except OSError as error:
            raise NotHere(f"no pseudo-terminal: {error}") from error
        if self.pid == 0:
            try:
                os.chdir(options["cwd"])
                os.execvpe(words[0], words, options["env"])
            finally:
                os._exit(127)
        self.shown = ""

    def read(self, until, seconds=20):
        """Waits until the terminal shows `until` or the program has ended; returns all that was shown."""
        end = time.monotonic() + seconds
        while until not in self.shown and time.monotonic() < end:
            if not select.select([self.screen], [], [], 0.1)[0]:
                continue
            try:
                part = os.read(self.screen, 65536)
            except OSError:  # the program has ended
                break
            if not part:
                break
            self.shown += part.decode(errors="replace")
        return self.shown

    def type(self, keys):
        self.shown = ""
        os.write(self.screen, keys.encode())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.screen)
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(self.pid, 0)
