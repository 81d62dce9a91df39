#!/usr/bin/env python3
"""Writes the command's man page and its completion for bash and zsh, from the texts that --help prints.

    scripts/command-docs.py WARPWISE OUT      the command, and a folder for man/man1/warpwise.1,
                                              bash-completion/completions/warpwise, zsh/site-functions/_warpwise

The build runs this script each time it has linked the command, so the texts of --help exist only once.
"""
import dataclasses
import pathlib
import re
import subprocess
import sys

ENTRY = re.compile(r"^  (\S.*?)(?:  +(\S.*))?$")
CHOICES = re.compile(r": ([\w.-]+(?:, [\w.-]+)+)$")


@dataclasses.dataclass
class Option:
    names: list  # "-h", "--help"
    value: str   # "NAME"; empty for a flag
    text: str

    def choices(self):
        """Returns the values that the option's help text lists at its end."""
        found = CHOICES.search(self.text) if self.value in ("NAME", "FMT") else None
        return found[1].split(", ") if found else []


@dataclasses.dataclass
class Page:
    path: list  # ["warpwise", "lab", "run"]
    about: str = ""
    usage: str = ""
    positionals: list = dataclasses.field(default_factory=list)
    options: list = dataclasses.field(default_factory=list)
    subcommands: list = dataclasses.field(default_factory=list)  # pairs of a name and a text
    footer: list = dataclasses.field(default_factory=list)  # lines after the last section


def read(command, path):
    """Returns a list of pages, parsed from `--help` of a subcommand and of all subcommands below it."""
    lines = subprocess.run([command, *path[1:], "--help"], check=True, capture_output=True, text=True).stdout.splitlines()
    page = Page(path)
    section = ""  # first "", then a heading, at last "footer"
    entries = {"Positionals:": [], "Options:": [], "Subcommands:": []}
    for line in lines:
        if line in entries:
            section = line
        elif line.startswith("Usage: "):
            page.usage = line.removeprefix("Usage: ")
        elif not section:
            page.about += line
        elif section == "footer" or line and not line.startswith("  "):
            section = "footer"
            page.footer.append(line)
        elif line.startswith("   "):  # a line of its own with the text for a long name
            entries[section][-1][1] = (entries[section][-1][1] + " " + line.strip()).strip()
        elif line:
            name, text = ENTRY.match(line).groups()
            entries[section].append([name, text or ""])
    page.positionals = entries["Positionals:"]
    for name, text in entries["Options:"]:
        names, _, value = name.partition(" not with:")[0].partition(" ")
        page.options.append(Option(names.split(","), value, text))
    page.subcommands = entries["Subcommands:"]
    pages = [page]
    for name, _ in page.subcommands:
        pages += read(command, [*path, name])
    return pages


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def man(pages, version):
    top = pages[0]
    out = [f'.TH WARPWISE 1 "" "{version}" "User Commands"', ".SH NAME",
           roff(f"warpwise - {top.about[0].lower()}{top.about[1:].rstrip('.')}"), ".SH SYNOPSIS"]
    for page in pages[1:]:
        if not page.subcommands:
            name = " ".join(page.path)
            out += [f"\\fB{roff(name)}\\fR{roff(page.usage.removeprefix(name))}", ".br"]
    out += [".SH DESCRIPTION", "Exit status of all subcommands except run: 0 done, 1 could not be done, 2 called wrongly.",
            "The exit status of run is in docs/ci.md.", ".SH SUBCOMMANDS"]
    for page in [*pages[1:], top]:
        out += [".SS " + roff(" ".join(page.path)), roff(page.about)]
        for name, text in page.positionals:
            out += [".TP", ".I " + roff(name), roff(text)]
        for option in page.options:
            out += [".TP", f"\\fB{roff(', '.join(option.names))}\\fR {roff(option.value)}".rstrip(), roff(option.text)]
        if page.footer and (page is top or page.footer != top.footer):  # CLI11 repeats the command's footer
            out += [".PP", ".nf", *map(roff, page.footer), ".fi"]
    out += [".SH FILES", "What the messages name as docs/ and as README.md lies in share/doc/warpwise of the installation, and",
            "examples of programs that use the library lie beside it."]
    return "\n".join(out) + "\n"


def bash(pages):
    descend = "|".join(f'"{" ".join(page.path)}"' for page in pages[1:])
    out = ["# Completion of warpwise for bash, written by scripts/command-docs.py.", "_warpwise() {",
           "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path=warpwise word words=",
           '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
           f'    case "$path $word" in {descend}) path="$path $word" ;; esac', "  done",
           '  case "$path $previous" in']
    for page in pages:
        for option in page.options:
            for name in option.names if option.choices() else []:
                out.append(f'    "{" ".join(page.path)} {name}") words="{" ".join(option.choices())}" ;;')
    out += ["    *)", '      case "$path" in']
    for page in pages:
        names = [name for option in page.options for name in option.names]
        below = [name for name, _ in page.subcommands]
        # If the subcommand takes files, the shell completes file names, and options only after a dash.
        guard = "" if below else '[[ $current == -* ]] && '
        out.append(f'        "{" ".join(page.path)}") {guard}words="{" ".join(below + names)}" ;;')
    out += ["      esac ;;", "  esac", '  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")', "}",
            "complete -o default -F _warpwise warpwise"]
    return "\n".join(out) + "\n"


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh(pages):
    def plain(text):
        return re.sub(r"([\[\]:\\])", r"\\\1", text)

    out = ["#compdef warpwise", "# Completion of warpwise for zsh, written by scripts/command-docs.py."]
    for page in reversed(pages):
        specs = []
        for option in page.options:
            for name in option.names:
                value = ""
                if option.value:
                    action = f"({' '.join(option.choices())})" if option.choices() else "_files"
                    value = f":{plain(option.value)}:{action}"
                specs.append(quoted(f"*{name}[{plain(option.text)}]{value}"))
        out.append("_".join(["", *page.path]) + "() {")
        if page.subcommands:
            out.append("  local context state line")
            names = " ".join(f"{name}\\:{quoted(plain(text))}" for name, text in page.subcommands)
            specs += [quoted(f"1:subcommand:(({names}))"), quoted("*::argument:->below")]
        else:
            specs.append(quoted("*:file:_files"))
        out.append("  _arguments " + ("-C " if page.subcommands else "") + " \\\n    ".join(specs))
        if page.subcommands:
            out.append("  [[ $state == below ]] && case $line[1] in")
            out += [f"    {name}) {'_'.join(['', *page.path, name])} ;;" for name, _ in page.subcommands] + ["  esac"]
        out.append("}")
    out.append('_warpwise "$@"')
    return "\n".join(out) + "\n"


def main():
    command, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    version = subprocess.run([command, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    pages = read(command, ["warpwise"])
    for name, text in [("man/man1/warpwise.1", man(pages, version)),
                       ("bash-completion/completions/warpwise", bash(pages)),
                       ("zsh/site-functions/_warpwise", zsh(pages))]:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
