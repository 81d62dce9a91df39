#include "warpwise/emulator/runtime/reports/call_site.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "warpwise/emulator/readable.hpp"
#include "warpwise/emulator/runtime/code/registry.hpp"
#include "warpwise/emulator/runtime/reports/python_place.hpp"

namespace warpwise::emulator::runtime {
namespace {

/// Site of this thread's CallScope; null outside of one.
thread_local const CallSite* site_of_scope = nullptr;

// Maximum number of program frames to look up. Code of CUDA's headers may lie before the caller.
// The launch of a kernel template has five such frames without optimisation.
constexpr std::size_t most_looked_at = 8;

struct Frame {
  const char* file = nullptr;
  std::uintptr_t offset = 0;   ///< offset from the file's start in memory
  std::uintptr_t in_file = 0;  ///< address in the file's own numbering, for addr2line
};

Frame frame_of(const void* return_address) {
  Dl_info info{};
  // The call lies just before its return address.
  const auto call = reinterpret_cast<std::uintptr_t>(return_address) - 1;
  if (::dladdr(reinterpret_cast<const void*>(call), &info) == 0 || info.dli_fname == nullptr)
    return {};
  const auto base = reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  Elf64_Half type = 0;
  std::memcpy(&type, static_cast<const char*>(info.dli_fbase) + offsetof(Elf64_Ehdr, e_type),
              sizeof(type));
  return {info.dli_fname, call - base, type == ET_EXEC ? call : call - base};
}

std::string_view name_of_file(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// Returns a library's file name. A copy of a library in memory has the library's name
/// (preload/static_runtime.cpp).
std::string shown_name(const char* file) {
  std::array<char, 512> target{};
  if (std::string_view(file).starts_with("/proc/self/fd/") &&
      ::readlink(file, target.data(), target.size() - 1) > 0) {
    constexpr std::string_view in_memory = "/memfd:";
    const std::string_view name = target.data();
    if (name.starts_with(in_memory))
      return std::string(name.substr(in_memory.size(), name.rfind(" (") - in_memory.size()));
  }
  return std::string(name_of_file(file));
}

/// Returns true if calls from this file are reported at a line of Python. These are extension
/// modules, libraries of installed packages, and libffi, through which ctypes calls. Any other
/// library is the program's own, so reports name the library's line.
bool is_of_python(const char* file) {
  const std::string name = shown_name(file);
  return name.find(".cpython-") != std::string::npos || name.find(".abi3.") != std::string::npos ||
         name.starts_with("libffi.") ||
         std::string_view(file).find("/lib/python3") != std::string_view::npos;
}

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

/// Returns true if an address is in libcudart.so.13, libcuda.so.1 or the emulator.
bool is_own(const void* address) {
  // Never destroyed, because leaks are reported after other static objects are destroyed.
  static const std::string& own_folder = *[] {
    Dl_info info{};
    ::dladdr(reinterpret_cast<const void*>(&emulated), &info);
    return new std::string(folder_of(info.dli_fname));
  }();
  Dl_info info{};
  if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return false;
  const std::string_view file = name_of_file(info.dli_fname);
  return file.starts_with("libwarpwise_emulator.so") ||
         (folder_of(info.dli_fname) == own_folder &&
          (file.starts_with("libcudart.so") || file.starts_with("libcuda.so")));
}

/// Returns true if a word is a return address: a call instruction precedes it.
bool comes_after_call(const void* word) {
  if (frame_of(word).file == nullptr) return false;
#if defined(__x86_64__)
  unsigned char code[7] = {};
  const iovec there{const_cast<char*>(static_cast<const char*>(word)) - sizeof(code), sizeof(code)};
  const iovec here{code, sizeof(code)};
  if (::process_vm_readv(::getpid(), &here, 1, &there, 1, 0) != sizeof(code)) return false;
  if (code[2] == 0xe8) return true;
  // Indirect calls by register or memory: FF /2, then the addressing bytes.
  for (const std::size_t length : {2, 3, 4, 6, 7}) {
    const unsigned char* const call = code + sizeof(code) - length;
    if (call[0] == 0xff && (call[1] >> 3 & 7) == 2) return true;
  }
  return false;
#elif defined(__aarch64__)
  std::uint32_t code = 0;
  const iovec there{const_cast<char*>(static_cast<const char*>(word)) - sizeof(code), sizeof(code)};
  const iovec here{&code, sizeof(code)};
  if (::process_vm_readv(::getpid(), &here, 1, &there, 1, 0) != sizeof(code)) return false;
  return (code & 0xfc000000U) == 0x94000000U || (code & 0xfffffc1fU) == 0xd63f0000U;  // bl, blr
#else
  return true;
#endif
}

std::string hex(std::uintptr_t value) {
  char text[20] = "0x";
  const auto end = std::to_chars(text + 2, text + sizeof(text), value, 16).ptr;
  return {text, end};
}

/// Returns the output of binutils' addr2line; empty if it is not installed. For each address it has
/// a line with the address, and then two lines, function and place, for each function that was
/// inlined there, the innermost first.
std::string addr2line(const char* file, const std::vector<std::uintptr_t>& addresses) {
  std::vector<std::string> words = {"addr2line", "-a", "-i", "-C", "-f", "-e", file};
  for (const std::uintptr_t each : addresses) words.push_back(hex(each));
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const bool started =
      ::posix_spawnp(&child, "addr2line", &actions, nullptr, arguments.data(), environ) == 0;
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t bytes = 0; started && (bytes = ::read(ends[0], part, sizeof(part))) != 0;) {
    if (bytes > 0)
      text.append(part, static_cast<std::size_t>(bytes));
    else if (errno != EINTR)
      break;
  }
  ::close(ends[0]);
  if (started) ::waitpid(child, nullptr, 0);
  return text;
}

ProgramPlace place_of(std::string_view function, std::string_view line) {
  ProgramPlace place;
  if (!function.starts_with("??")) place.function = function;
  line = line.substr(0, line.find(" (discriminator"));
  const std::size_t colon = line.rfind(':');
  if (colon == std::string_view::npos || line.starts_with("??")) return place;
  int number = 0;
  std::from_chars(line.data() + colon + 1, line.data() + line.size(), number);
  if (number > 0) place.source = {std::string(line.substr(0, colon)), number};
  return place;
}

/// Returns true for the host function of a kernel. addr2line may name it without a template's
/// return type, or without parameters too: "void scale<int>(int*)" or "scale<int>".
bool is_kernel(std::string_view function, std::string_view kernel) {
  if (kernel.empty() || function.empty()) return false;
  if (function == kernel || function.ends_with(" " + std::string(kernel))) return true;
  const std::size_t at = kernel.find(std::string(function) + "(");
  return at == 0 ||
         (at != std::string_view::npos && (kernel[at - 1] == ' ' || kernel[at - 1] == ':'));
}

/// Returns true for the functions that nvcc puts between a kernel's host function and the launch.
bool is_stub(const ProgramPlace& place) {
  // nvcc deletes these files.
  return place.function.find("__device_stub_") != std::string::npos ||
         name_of_file(place.source.file).starts_with("tmpxft_");
}

/// Returns true for stubs, for code of CUDA's headers and for the kernel's host function.
bool is_of_cuda(const ProgramPlace& place, std::string_view kernel) {
  if (is_stub(place) || is_of_toolkit(place.source.file)) return true;
  std::string_view function = place.function;
  // A template's name begins with its return type.
  for (const std::string_view type : {"cudaError ", "cudaError_t "}) {
    if (function.starts_with(type)) function.remove_prefix(type.size());
  }
  const bool is_wrapper = place.source.file.empty() && function.starts_with("cuda");
  return is_wrapper || function.starts_with("__cuda") || is_kernel(place.function, kernel);
}

/// Reads addr2line's output into the program's places, the innermost first.
/// \param known  the frames whose addresses addr2line got
std::vector<ProgramPlace> places_of(std::string_view text, const std::vector<Frame>& known) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  std::vector<ProgramPlace> places;
  const auto is_address = [&](std::size_t i) { return lines[i].starts_with("0x"); };
  std::size_t line = 0;
  for (const Frame& each : known) {
    const std::string offset = shown_name(each.file) + "+" + hex(each.in_file);
    const std::size_t before = places.size();
    if (line < lines.size() && is_address(line)) ++line;
    for (; line + 1 < lines.size() && !is_address(line); line += 2) {
      places.push_back(place_of(lines[line], lines[line + 1]));
      places.back().offset = offset;
    }
    if (places.size() == before) places.push_back({{}, {}, offset});
  }
  return places;
}

ProgramPlace look_up(const std::vector<const void*>& frames, std::string_view kernel) {
  std::vector<std::uintptr_t> addresses;
  std::vector<Frame> known;
  for (const void* each : frames) {
    const Frame frame = frame_of(each);
    // Takes the first frames that lie in one file. The program's code ends where another file
    // begins.
    if (frame.file == nullptr || (!known.empty() && frame.file != known[0].file)) break;
    known.push_back(frame);
    addresses.push_back(frame.in_file);
  }
  if (known.empty()) return {};
  // Names the program /proc/PID/exe, because the loader's path may be relative and no longer valid.
  // Replaces /proc/self by /proc/PID, because addr2line runs in a process of its own.
  constexpr std::string_view self = "/proc/self/";
  const std::string_view named = known[0].file;
  const std::string process = "/proc/" + std::to_string(::getpid()) + "/";
  const std::string file = name_of_file(named) == ::program_invocation_short_name ? process + "exe"
                           : named.starts_with(self)
                               ? process + std::string(named.substr(self.size()))
                               : std::string(named);
  const std::vector<ProgramPlace> places = places_of(addr2line(file.c_str(), addresses), known);
  for (std::size_t i = 0; i < places.size(); ++i) {
    // addr2line gives an inlined static kernel, or one that is extern "C", its caller's name.
    const bool is_inlined = i + 1 < places.size() && places[i + 1].offset == places[i].offset &&
                            places[i + 1].function == places[i].function;
    if (is_inlined && i > 0 && is_stub(places[i - 1])) continue;
    if (!is_of_cuda(places[i], kernel)) return places[i];
  }
  return places.front();
}

}  // namespace

std::string ProgramPlace::text() const {
  std::string result =
      source.file.empty() ? offset : source.file + ":" + std::to_string(source.line);
  if (result.empty()) return "an unknown place";
  if (!function.empty()) result += " in " + function;
  return result;
}

CallScope::CallScope() {
  if (site_of_scope != nullptr) return;
  site_ = CallSite::here_in_python();
  site_of_scope = &site_;
}

CallScope::~CallScope() {
  if (site_of_scope == &site_) site_of_scope = nullptr;
}

CallSite CallSite::here() {
  CallSite site;
  const int count = ::backtrace(site.frames_.data(), static_cast<int>(site.frames_.size()));
  site.count_ = count > 0 ? static_cast<std::size_t>(count) : 0;
  return site;
}

CallSite CallSite::here_in_python() {
  if (site_of_scope != nullptr) return *site_of_scope;
  CallSite site = here();
  const char* const file = frame_of(site.address()).file;
  if (file == nullptr || is_of_python(file)) site.python_ = python_place();
  return site;
}

// For an access inside the C library, the site is the library's caller: the stack's first return
// address outside the library.
CallSite CallSite::of_signal(const void* program_counter, std::span<const void* const> stack) {
  const auto is_c_library = [](const void* address) {
    const char* const file = frame_of(address).file;
    return file != nullptr && name_of_file(file).starts_with("libc.so");
  };
  CallSite site;
  // frame_of() subtracts one byte from a return address, so one is added to this address of an
  // instruction.
  const void* place = static_cast<const char*>(program_counter) + 1;
  if (is_c_library(place)) {
    const auto caller = std::find_if(stack.begin(), stack.end(), [&](const void* word) {
      return comes_after_call(word) && !is_c_library(word);
    });
    if (caller == stack.end()) return site;
    place = *caller;
  }
  site.frames_[site.count_++] = const_cast<void*>(place);
  return site;
}

std::size_t CallSite::first_of_program() const {
  std::size_t i = 0;
  while (i < count_ && is_own(frames_[i])) ++i;
  return i;
}

std::string CallSite::function() const {
  const std::size_t first = first_of_program();
  if (first == 0) return {};
  Dl_info info{};
  const auto call = reinterpret_cast<std::uintptr_t>(frames_[first - 1]) - 1;
  if (::dladdr(reinterpret_cast<const void*>(call), &info) == 0 || info.dli_sname == nullptr)
    return {};
  std::string_view name = info.dli_sname;
  for (const std::string_view ending : {"_ptsz", "_ptds", "_v2", "_v3"}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  if (name.starts_with("__cuda")) name.remove_prefix(2);  // __cuda functions of kernel<<<...>>>()
  return std::string(name);
}

ProgramPlace CallSite::place(std::string_view kernel) const {
  if (python_ != nullptr) return *python_;
  const std::size_t first = first_of_program();
  std::vector<const void*> frames;
  for (std::size_t i = first; i < count_ && i < first + most_looked_at; ++i)
    frames.push_back(frames_[i]);
  static std::mutex& mutex = *new std::mutex;
  static auto& known =
      *new std::map<std::pair<std::vector<const void*>, std::string>, ProgramPlace>;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known.try_emplace({frames, std::string(kernel)});
  if (is_new) found->second = look_up(frames, kernel);
  return found->second;
}

std::string CallSite::text() const {
  const std::string called = function();
  return (called.empty() ? "CUDA" : called) + " called at " + place().text();
}

const void* CallSite::address() const {
  const std::size_t first = first_of_program();
  return first < count_ ? frames_[first] : nullptr;
}

}  // namespace warpwise::emulator::runtime
