#include "warpwise/emulator/runtime/code/link.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <set>
#include <string_view>

namespace warpwise::emulator::runtime {
namespace {

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

std::string_view first_word(std::string_view text) {
  text = trimmed(text);
  return text.substr(0, std::find_if_not(text.begin(), text.end(), is_letter) - text.begin());
}

/// Returns the local name that a line declares; empty if there is none.
std::string_view own_name(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with(".func")) {
    line = trimmed(line.substr(5));
    if (line.starts_with("(")) line = line.substr(std::min(line.find(')') + 1, line.size()));
    return first_word(line);
  }
  if (!line.starts_with(".global") && !line.starts_with(".const") && !line.starts_with(".shared"))
    return {};
  line = trimmed(line.substr(0, line.find_first_of("[=;")));
  const std::size_t before = line.find_last_of(" \t");
  return before == std::string_view::npos ? std::string_view{} : line.substr(before + 1);
}

/// Returns all local names of a module.
std::set<std::string, std::less<>> own_names(std::string_view text) {
  std::set<std::string, std::less<>> names;
  std::ptrdiff_t depth = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (depth == 0) {
      if (const std::string_view name = own_name(line); !name.empty()) names.emplace(name);
    }
    depth += std::count(line.begin(), line.end(), '{') - std::count(line.begin(), line.end(), '}');
  }
  return names;
}

/// Copies a module's text with new local names and file numbers.
class Renamer {
 public:
  Renamer(std::set<std::string, std::less<>> renamed, std::string suffix, unsigned first_file)
      : renamed_(std::move(renamed)), suffix_(std::move(suffix)), first_file_(first_file) {}

  std::string renamed(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
      const std::string_view part = text.substr(0, length_of_part(text));
      text.remove_prefix(part.size());
      if (is_letter(part.front()))
        word(result, part);
      else
        result += part;
      previous_ = part.back();
    }
    return result;
  }
  /// Number of file numbers that this module uses.
  unsigned files() const { return files_; }

 private:
  static std::size_t length_of_part(std::string_view text) {
    if (text.front() == '"') return std::min(text.find('"', 1), text.size() - 1) + 1;
    if (!is_letter(text.front())) return 1;
    return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_letter) -
                                    text.begin());
  }

  void word(std::string& result, std::string_view part) {
    const bool is_file = file_follows_;
    file_follows_ = (previous_ == '.' && (part == "file" || part == "loc")) || part == "inlined_at";
    unsigned number = 0;
    if (is_file &&
        std::from_chars(part.data(), part.data() + part.size(), number).ec == std::errc{}) {
      files_ = std::max(files_, number + 1);
      result += std::to_string(first_file_ + number);
      return;
    }
    result += part;
    if (renamed_.contains(part)) result += suffix_;
  }

  std::set<std::string, std::less<>> renamed_;
  std::string suffix_;
  unsigned first_file_;
  unsigned files_ = 0;
  bool file_follows_ = false;
  char previous_ = '\n';
};

/// Appends a module's text. Header directives are kept only from the first module.
void append(std::string& whole, std::string_view text) {
  const bool is_first = whole.empty();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    const auto begins = [&](std::string_view word) { return trimmed(line).starts_with(word); };
    if (!is_first && (begins(".version") || begins(".target") || begins(".address_size"))) continue;
    whole += line;
  }
  if (!whole.ends_with('\n')) whole += '\n';
}

}  // namespace

// The grid barrier of CUDA's headers. One thread of each block adds to a word of the launch's
// workspace. The first block adds 0x80000001 minus the number of blocks, and each other block adds
// 1. The sum is 0x80000000, so the last arrival flips the highest bit.
const std::string_view grid_barrier = R"(.version 7.0
.target sm_70
.address_size 64
.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
  .reg .b64 %rd<2>;
  ld.param.u32 %rd1, [scope];
  st.param.b64 [handle], %rd1;
  ret;
}
.visible .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
  .reg .pred %p<3>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<2>;
  mov.u32 %r1, %envreg2;
  mov.u32 %r2, %envreg1;
  mov.b64 %rd1, {%r1, %r2};
  setp.ne.u64 %p1, %rd1, 0;
  @%p1 bra Cooperative;
  trap;
Cooperative:
  barrier.sync 0;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %tid.y;
  mov.u32 %r5, %tid.z;
  or.b32 %r3, %r3, %r4;
  or.b32 %r3, %r3, %r5;
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra Together;
  mov.u32 %r6, %nctaid.x;
  mov.u32 %r7, %nctaid.y;
  mov.u32 %r8, %nctaid.z;
  mul.lo.u32 %r6, %r6, %r7;
  mul.lo.u32 %r6, %r6, %r8;
  mov.u32 %r9, %ctaid.x;
  mov.u32 %r10, %ctaid.y;
  mov.u32 %r11, %ctaid.z;
  or.b32 %r9, %r9, %r10;
  or.b32 %r9, %r9, %r11;
  setp.eq.u32 %p2, %r9, 0;
  sub.u32 %r12, 0x80000001, %r6;
  selp.b32 %r12, %r12, 1, %p2;
  atom.add.release.gpu.u32 %r13, [%rd1+4], %r12;
Wait:
  ld.acquire.gpu.u32 %r14, [%rd1+4];
  xor.b32 %r15, %r13, %r14;
  setp.ge.s32 %p2, %r15, 0;
  @%p2 bra Wait;
Together:
  barrier.sync 0;
  st.param.b32 [error], 0;
  ret;
}
)";

std::string linked(const std::vector<std::string>& texts) {
  if (texts.size() == 1) return texts.front();
  std::string whole;
  std::set<std::string, std::less<>> taken;
  unsigned first_file = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::set<std::string, std::less<>> renamed;
    for (const std::string& name : own_names(texts[i])) {
      if (!taken.insert(name).second) renamed.insert(name);
    }
    Renamer renamer(std::move(renamed), "__of_module_" + std::to_string(i), first_file);
    append(whole, renamer.renamed(texts[i]));
    first_file += renamer.files();
  }
  return whole;
}

}  // namespace warpwise::emulator::runtime
