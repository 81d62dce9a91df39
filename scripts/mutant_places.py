"""Finds the places of a C++ source where scripts/mutants.py may plant a mutant, and rewrites them.

No parser is needed: the sources are formatted by clang-format, so an operator of two operands stands between
spaces, and the brackets of a template's arguments do not. A place is a segment of the text, `before`, and the
text `after` that replaces it. A place that this module cannot parse is left out; a compiler checks the others.
"""
import bisect
import re

HEADER = "warpwise_mutant.hpp"
HEADER_TEXT = r"""#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

// Returns the whole text of a file of /proc.
static inline std::string warpwise_mutant_text(const std::string& file) {
  std::string text;
  if (std::FILE* const open = std::fopen(("/proc/" + file).c_str(), "r")) {
    for (int c = std::fgetc(open); c != EOF; c = std::fgetc(open)) text += static_cast<char>(c);
    std::fclose(open);
  }
  return text;
}

// Returns the command line of the test that this process belongs to: of the process that ctest started. Returns
// nothing in a process that has left its parents.
static inline std::string warpwise_mutant_test() {
  std::string process = "self";
  for (;;) {
    // "PID (NAME) STATE PARENT ..."
    const std::string status = warpwise_mutant_text(process + "/stat");
    const std::size_t name_end = status.rfind(')');
    if (name_end == std::string::npos) return "";
    const std::size_t from = name_end + 4;
    const std::string parent = status.substr(from, status.find(' ', from) - from);
    if (parent == "0" || parent == "1") return "";
    if (warpwise_mutant_text(parent + "/comm") == "ctest\n") return warpwise_mutant_text(process + "/cmdline");
    process = parent;
  }
}

// Notes in a file with a mutant's number that this test reaches it.
static inline void warpwise_mutant_reached(const char* folder, int number) {
  static bool noted[10000];
  if (noted[number]) return;
  noted[number] = true;
  if (std::FILE* const file = std::fopen((folder + ("/" + std::to_string(number))).c_str(), "a")) {
    const std::string line = warpwise_mutant_test() + "\n";
    std::fwrite(line.data(), 1, line.size(), file);
    std::fclose(file);
  }
}

// The number of the mutant that is switched on; 0 for none.
static const int warpwise_mutant_chosen = [] {
  const char* number = std::getenv("WARPWISE_MUTANT");
  return number == nullptr ? 0 : std::atoi(number);
}();
static const char* const warpwise_mutants_reached = std::getenv("WARPWISE_MUTANTS_REACHED");
static inline bool warpwise_mutant(int number) {
  if (warpwise_mutants_reached != nullptr) warpwise_mutant_reached(warpwise_mutants_reached, number);
  return number == warpwise_mutant_chosen;
}
"""

BOUNDS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
OPERATORS = {"+": "-", "-": "+", "&&": "||", "||": "&&", "==": "!=", "!=": "=="}
KINDS = ["operator", "bound", "branch", "constant"]
RANKS = {"*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<=>": 7, "<": 6, "<=": 6, ">": 6, ">=": 6,
         "==": 5, "!=": 5, "&": 4, "^": 3, "|": 2, "&&": 1, "||": 0}

# No mutants are planted after one of these words up to the end of the statement. A change there cannot be switched at
# run time, or it affects only a message, reserved memory or speed.
LEFT_OUT = re.compile(
    r"\b(static_assert|assert|constexpr|template|case|using|enum|operator|throw|\w*Error|refuse\w*|fail\w*|reserve|"
    r"fmt|printf|snprintf|cerr|cout|print\w*|message|note|warn|warning|requires|alignas|grain\w*|prefetch|"
    r"parallel_rows|for_each_row|capacity|likely|add_option\w*|add_flag\w*|help)\b|<<\s+S")
# Code between a line of this pattern and its #endif is compiled only for some machines, or not in this build.
CONDITION = re.compile(r"\s*#\s*(?:if|ifdef|ifndef)\b.*(?:FUZZES|HWY_TARGET [<=!>]|CUDA_ARCH|CUDACC_RTC|_WIN32)")

TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
                  r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|^[ \t]*\#(?:\\\n|[^\n])*", re.S | re.M)
OPERATOR = re.compile(r"[-+*/%&|^]|<<|>>|<=>|[<>=!]=|[<>]|&&|\|\||(?:[-+*/%&|^]|<<|>>)?=")
BINARY = re.compile(rf"(?<=\s)(?:{OPERATOR.pattern})(?=\s)")
FUNCTION_HEAD = re.compile(r"\)\s*(?:(?:const|noexcept|override|final|&|mutable)\s*)*(?:->[\w:&*\s]+)?$")
NUMBER = re.compile(r"(?<![\w.'])(0[xX][0-9a-fA-F']+|[1-9][\d']*|0)([uUlLzZ]*)(?![\w.'])")


def masked(text):
    """Blanks the parts that hold no mutant, keeping their length: comments and directives become spaces, strings S,
    lists of template arguments T."""
    def of_kind(match):
        fill = "S" if match[0][0] in "\"'R" else " "
        return re.sub(r"[^\n]", fill, match[0])
    text = list(TEXT.sub(of_kind, text))
    plain = "".join(text)
    for match in re.finditer(r"(?<=[\w\]])<(?![<=])|(?<=\btemplate )<", plain):
        depth, i = 0, match.start()
        while i < len(plain) and plain[i] not in ";{":
            depth += (plain[i] == "<") - (plain[i] == ">" and plain[i - 1] not in "- ")
            if depth == 0:
                text[match.start():i + 1] = re.sub(r"\S", "T", plain[match.start():i + 1])
                break
            i += 1
    return "".join(text)


def brackets(mask):
    """Pairs the positions of the brackets, both ways; raises ValueError if they do not balance."""
    pairs, stack = {}, []
    for match in re.finditer(r"[][(){}]", mask):
        if match[0] in "([{":
            stack.append(match.start())
        elif not stack or mask[stack[-1]] + match[0] not in ("()", "[]", "{}"):
            raise ValueError("brackets do not balance")
        else:
            pairs[match.start()] = stack[-1]
            pairs[stack.pop()] = match.start()
    return pairs


def functions(mask, pairs):
    """Lists the spans of the outermost function bodies."""
    spans, end = [], 0
    for start in sorted(i for i in pairs if mask[i] == "{"):
        head = re.split(r"[;{}]", mask[end:start])[-1]
        if start >= end and FUNCTION_HEAD.search(head):
            spans.append((start, pairs[start], "constexpr" in head or "consteval" in head))
            end = pairs[start]
    return spans


def left_end(mask, pairs, at, rank):
    """Finds where the left operand of the operator at `at` begins; operators of equal rank bind from the left."""
    i = at - 1
    while i >= 0:
        c = mask[i]
        if c in ")]}":
            if c == "}" and mask[pairs[i] - 1].isspace():
                break  # a block, not the braces of a value
            i = pairs[i]
        elif c in "([{,;?" or c == ":" and ":" not in (mask[i - 1], mask[i + 1]):
            break
        elif mask[i + 1].isspace() and not c.isspace():
            word = re.search(r"\S+$", mask[max(0, i - 16):i + 1])[0]
            if word in ("return", "throw", "else", "do", "co_yield"):
                break
            if OPERATOR.fullmatch(word) and RANKS.get(word, -1) < rank:
                break
        i -= 1
    i += 1
    return i + len(mask[i:at]) - len(mask[i:at].lstrip())


def right_end(mask, pairs, at, rank):
    """Finds where the right operand that begins at `at` ends."""
    i = at
    while i < len(mask):
        c = mask[i]
        if c in "([{":
            i = pairs[i]
        elif c in ")]},;?" or c == ":" and ":" not in (mask[i - 1], mask[i + 1]):
            break
        else:
            match = BINARY.match(mask, i)
            if match and RANKS.get(match[0], -1) <= rank:
                break
            i = match.end() - 1 if match else i
        i += 1
    return at + len(mask[at:i].rstrip())


def is_choice(mask, first, operator, behind, last):
    """Tells whether a comparison chooses between its own operands: `if (a < b) a = b` or `a < b ? a : b`. In both, `<`
    and `<=` give the same result."""
    a, b = mask[first:operator].strip(), mask[behind:last].strip()
    if not a or not b:
        return False
    a, b = (rf"{re.escape(each)}(?![\w.(\[-])" for each in (a, b))
    return any(re.match(form, mask[last:]) for x, y in ((a, b), (b, a))
               for form in (rf"\)\s+{x} = {y}", rf"\)?\s+\?\s+{x}\s+:\s+{y}"))


def conditional_spans(text):
    """Lists the spans between the conditions of CONDITION and their #endif."""
    spans, stack, at = [], [], 0
    for line in text.splitlines(keepends=True):
        if re.match(r"\s*#\s*if", line):
            stack.append(at if CONDITION.match(line) else None)
        elif re.match(r"\s*#\s*endif", line) and stack:
            start = stack.pop()
            if start is not None:
                spans.append((start, at))
        at += len(line)
    return spans


def segments(text, mask, pairs, start, end):
    """Yields (kind, first, last, after, at) for every change: `after` replaces text[first:last] because of text[at]."""
    for match in BINARY.finditer(mask, start, end):
        operator = match[0]
        changed = BOUNDS.get(operator) or OPERATORS.get(operator)
        if not changed:
            continue
        first = left_end(mask, pairs, match.start(), RANKS[operator])
        last = right_end(mask, pairs, match.end() + 1, RANKS[operator])
        if operator in BOUNDS and is_choice(mask, first, match.start(), match.end(), last):
            continue
        if "S" in re.sub(r"\w*[^\WS]\w*", "", mask[first:last]) and operator in "+-":
            continue  # the + joins strings
        yield ("bound" if operator in BOUNDS else "operator", first, last,
               text[first:match.start()] + changed + text[match.end():last], match.start())
    for match in re.finditer(r"\bif \(", mask[start:end]):
        first = start + match.end()
        last = pairs[first - 1]
        if not re.search(r";| = ", mask[first:last]):
            yield "branch", first, last, f"!({text[first:last]})", start + match.start()
    for match in NUMBER.finditer(mask, start, end):
        digits = match[1].replace("'", "")
        value = int(digits, 0) + 1
        is_subscript_of_declaration = re.search(r"[\w>&*] +\w+\[$", mask[max(0, match.start() - 80):match.start()])
        is_overwritten = re.match(r";\s*(?:if \(|const auto [^;=]*= )?\s*std::from_chars", mask[match.end():])
        mixes_bits = value > 1 << 32
        if not is_subscript_of_declaration and not is_overwritten and not mixes_bits:
            yield ("constant", match.start(), match.end(),
                   (hex(value) if digits[:2] in ("0x", "0X") else str(value)) + match[2], match.start())


def places(text, is_kernel=False):
    """Lists the places of a source where one change may be planted, by position."""
    mask = masked(text)
    try:
        pairs = brackets(mask)
    except ValueError:
        return []
    starts = [0] + [match.end() for match in re.finditer("\n", text)]
    left_out = conditional_spans(text) if not is_kernel else []
    found = []
    for start, end, is_constant in functions(mask, pairs):
        if is_constant:
            continue
        for kind, first, last, after, at in segments(text, mask, pairs, start + 1, end):
            statement = re.split(r"[;{}]", mask[max(start, at - 600):at])[-1]
            before, after = (re.sub(r"\s*\n\s*", " ", each) for each in (text[first:last], after))
            if (LEFT_OUT.search(statement) or "//" in before or 'R"' in before or not before.strip()
                    or any(a <= at < b for a, b in left_out)):
                continue
            found.append({"kind": kind, "line": bisect.bisect(starts, at), "first_line": bisect.bisect(starts, first),
                          "last_line": bisect.bisect(starts, last), "start": first, "end": last,
                          "before": before, "after": after})
    return sorted(found, key=lambda place: (place["start"], place["end"], place["kind"]))


def switched(text, mutants):
    """Rewrites a source so that the environment chooses among its mutants at run time."""
    for mutant in sorted(mutants, key=lambda each: each["start"], reverse=True):
        before = mutant["before"] if mutant["kind"] != "branch" else f"!!({mutant['before']})"
        text = (text[:mutant["start"]] + f"(::warpwise_mutant({mutant['number']}) ? ({mutant['after']}) : ({before}))"
                + text[mutant["end"]:])
    return f'#include "{HEADER}"\n{text}'


def planted(text, mutant):
    """Rewrites a source with the mutant in the place of the original code."""
    return text[:mutant["start"]] + mutant["after"] + text[mutant["end"]:]
