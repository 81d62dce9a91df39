#include "warpwise/emulator/runtime/preload/static_runtime.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace warpwise::preload {
namespace {

using Bytes = std::span<const std::byte>;

/// A file that is mapped into memory.
class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    struct stat status{};
    if (file >= 0 && ::fstat(file, &status) == 0 && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      void* const start = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (start != MAP_FAILED) start_ = static_cast<const std::byte*>(start);
    }
    if (file >= 0) ::close(file);
  }
  ~MappedFile() {
    if (start_ != nullptr) ::munmap(const_cast<std::byte*>(start_), size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  Bytes bytes() const { return start_ == nullptr ? Bytes() : Bytes(start_, size_); }

 private:
  const std::byte* start_ = nullptr;
  std::size_t size_ = 0;
};

/// Reads `count` objects at an offset of a file; empty if the file is too short.
template <class T>
std::vector<T> read(Bytes file, std::uint64_t offset, std::uint64_t count) {
  if (offset > file.size() || count > (file.size() - offset) / sizeof(T)) return {};
  std::vector<T> all(count);
  if (count > 0) std::memcpy(all.data(), file.data() + offset, count * sizeof(T));
  return all;
}

/// A function of a static runtime: its name, and its place in the file and in memory.
struct Function {
  std::string name;
  std::uint64_t offset = 0;
  std::uint64_t address = 0;
};

// Machine code that jumps to the address stored behind it.
#if defined(__x86_64__)
constexpr std::array<std::uint8_t, 6> jump_code{0xff, 0x25, 0, 0, 0, 0};
#elif defined(__aarch64__)
constexpr std::array<std::uint8_t, 8> jump_code{0x50, 0, 0, 0x58, 0, 0x02, 0x1f, 0xd6};
#endif
constexpr std::size_t jump_bytes = jump_code.size() + sizeof(void*);

std::array<std::uint8_t, jump_bytes> jump_to(const void* target) {
  std::array<std::uint8_t, jump_bytes> code{};
  std::copy(jump_code.begin(), jump_code.end(), code.begin());
  std::memcpy(code.data() + jump_code.size(), &target, sizeof(target));
  return code;
}

bool is_of_runtime(std::string_view name) {
  return name.starts_with("cuda") || name.starts_with("__cuda");
}

/// Returns the functions that a symbol table defines, if their names are the runtime's (cuda…,
/// __cuda…) and they are large enough for the jump.
std::vector<Function> functions_of(Bytes file, const std::vector<Elf64_Shdr>& sections,
                                   const Elf64_Shdr& table) {
  if (table.sh_link >= sections.size()) return {};
  const Elf64_Shdr& texts = sections[table.sh_link];
  const auto names = read<char>(file, texts.sh_offset, texts.sh_size);
  if (names.empty() || names.back() != 0) return {};
  std::vector<Function> all;
  for (const auto& symbol :
       read<Elf64_Sym>(file, table.sh_offset, table.sh_size / sizeof(Elf64_Sym))) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
        symbol.st_shndx >= sections.size() || symbol.st_name >= names.size() ||
        symbol.st_size < jump_bytes)
      continue;
    const std::string_view name = names.data() + symbol.st_name;
    const Elf64_Shdr& section = sections[symbol.st_shndx];
    const std::uint64_t inside = symbol.st_value - section.sh_addr;
    if (!is_of_runtime(name) || inside > section.sh_size || section.sh_size - inside < jump_bytes ||
        section.sh_offset > file.size() || section.sh_size > file.size() - section.sh_offset)
      continue;
    all.push_back({std::string(name), section.sh_offset + inside, symbol.st_value});
  }
  return all;
}

/// Returns the sections of a 64-bit program or library; no section for any other file.
std::vector<Elf64_Shdr> sections_of(Bytes file) {
  const auto headers = read<Elf64_Ehdr>(file, 0, 1);
  if (headers.empty() || std::memcmp(headers[0].e_ident, ELFMAG, SELFMAG) != 0 ||
      headers[0].e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  return read<Elf64_Shdr>(file, headers[0].e_shoff, headers[0].e_shnum);
}

/// Returns true if a library is linked with the shared runtime.
bool needs_runtime(Bytes file) {
  const auto sections = sections_of(file);
  const auto table = std::ranges::find(sections, Elf64_Word{SHT_DYNAMIC}, &Elf64_Shdr::sh_type);
  if (table == sections.end() || table->sh_link >= sections.size()) return false;
  const Elf64_Shdr& texts = sections[table->sh_link];
  const auto names = read<char>(file, texts.sh_offset, texts.sh_size);
  if (names.empty() || names.back() != 0) return false;
  const auto entries = read<Elf64_Dyn>(file, table->sh_offset, table->sh_size / sizeof(Elf64_Dyn));
  return std::ranges::any_of(entries, [&](const Elf64_Dyn& entry) {
    return entry.d_tag == DT_NEEDED && entry.d_un.d_val < names.size() &&
           std::string_view(names.data() + entry.d_un.d_val) == "libcudart.so.13";
  });
}

/// Returns the functions of a file's static runtime; empty without a runtime or without its
/// symbols.
std::vector<Function> functions_of(Bytes file) {
  const auto sections = sections_of(file);
  const auto table = std::ranges::find(sections, Elf64_Word{SHT_SYMTAB}, &Elf64_Shdr::sh_type);
  if (table == sections.end()) return {};
  std::vector<Function> all = functions_of(file, sections, *table);
  const bool has_runtime = std::ranges::any_of(
      all, [](const Function& each) { return each.name == "__cudaRegisterFatBinary"; });
  return has_runtime ? all : std::vector<Function>();
}

void* emulated_runtime() {
  static void* const runtime = ::dlopen(beside("libcudart.so.13").c_str(), RTLD_NOW | RTLD_LOCAL);
  return runtime;
}

void* emulated(const std::string& name) {
  void* const runtime = emulated_runtime();
  return runtime == nullptr ? nullptr : ::dlsym(runtime, name.c_str());
}

/// A loaded program or library.
struct Loaded {
  std::string path;
  std::uintptr_t base = 0;
};

void redirect(const Loaded& loaded) {
  const MappedFile file(loaded.path.c_str());
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (const Function& each : functions_of(file.bytes())) {
    const void* const target = emulated(each.name);
    const std::uintptr_t at = loaded.base + each.address;
    // The emulated runtime itself may be one of the libraries, and must not jump to itself.
    if (target == nullptr || target == reinterpret_cast<const void*>(at)) continue;
    const auto code = jump_to(target);
    const std::uintptr_t first = at / page * page;
    const std::size_t bytes = (at + code.size() - first + page - 1) / page * page;
    void* const pages = reinterpret_cast<void*>(first);
    if (::mprotect(pages, bytes, PROT_READ | PROT_WRITE) != 0) continue;
    auto* const start = reinterpret_cast<char*>(at);
    std::memcpy(start, code.data(), code.size());
    ::mprotect(pages, bytes, PROT_READ | PROT_EXEC);
    // aarch64 fetches instructions through a separate cache, which may hold the old code.
    __builtin___clear_cache(start, start + code.size());
  }
}

// Redirects the program and its libraries before their constructors register kernels. The linker
// option -z initfirst makes this library the first to be initialised.
__attribute__((constructor(101))) void redirect_program(int, char** words, char** variables) {
  // Sets the C library's variables early, because the emulated runtime reads them before the C
  // library is initialised.
  if (::environ == nullptr) {
    ::environ = variables;
    ::program_invocation_name = words[0];
    char* const slash = std::strrchr(words[0], '/');
    ::program_invocation_short_name = slash == nullptr ? words[0] : slash + 1;
  }
  std::vector<Loaded> all;
  ::dl_iterate_phdr(
      [](dl_phdr_info* each, std::size_t, void* to) {
        auto& known = *static_cast<std::vector<Loaded>*>(to);
        // The first one is the program.
        known.push_back({known.empty() ? "/proc/self/exe" : each->dlpi_name, each->dlpi_addr});
        return 0;
      },
      &all);
  for (const Loaded& each : all) redirect(each);
}

}  // namespace

std::string beside(const char* name) {
  Dl_info own{};
  ::dladdr(reinterpret_cast<const void*>(&beside), &own);
  const std::string path = own.dli_fname;
  return path.substr(0, path.rfind('/') + 1) + name;
}

std::string redirected_copy(const char* path) {
  const MappedFile file(path);
  const std::vector<Function> functions = functions_of(file.bytes());
  // A library with its own search path, like PyTorch's, may lead to another runtime. The emulated
  // one is loaded first, because the loader prefers a loaded library of the same name.
  if (needs_runtime(file.bytes())) emulated_runtime();
  if (functions.empty()) return {};
  // This name appears in the reports of calls. The system limits it to 249 bytes.
  const std::string_view whole_path = path;
  const std::string name(whole_path.substr(whole_path.rfind('/') + 1).substr(0, 200));
  const int copy = ::memfd_create(name.c_str(), MFD_CLOEXEC);
  if (copy < 0) return {};
  const auto write = [&](const void* from, std::size_t bytes, std::uint64_t at) {
    const auto* const start = static_cast<const std::byte*>(from);
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t part =
          ::pwrite(copy, start + done, bytes - done, static_cast<off_t>(at + done));
      if (part <= 0) return false;
      done += static_cast<std::size_t>(part);
    }
    return true;
  };
  bool is_whole = write(file.bytes().data(), file.bytes().size(), 0);
  for (const Function& each : functions) {
    const void* const target = emulated(each.name);
    if (target == nullptr) continue;
    const auto code = jump_to(target);
    is_whole = is_whole && write(code.data(), code.size(), each.offset);
  }
  // The descriptor stays open, because the loader knows the copy by the descriptor's path.
  if (is_whole) return "/proc/self/fd/" + std::to_string(copy);
  ::close(copy);
  return {};
}

}  // namespace warpwise::preload
