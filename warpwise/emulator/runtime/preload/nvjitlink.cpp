// Intercepts nvJitLink. Linked code stays PTX, which the emulated driver loads. The real nvJitLink
// only compiles code for link-time optimisation to PTX.

#include <cuda.h>
#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// Values of two enums of nvJitLink.h: results and input types. Including the header would define
// the functions of this file inline, for one version of the library.
enum Result { success = 0, invalid_input = 3, internal_error = 6 };
enum Input { cubin = 1, ptx = 2, lto_ir = 3, fat_binary = 4, object = 5, library = 6, any = 10 };

struct Part {
  Input type;
  std::string bytes;
  std::string name;
};

struct Link {
  std::vector<std::string> options;
  std::vector<Part> parts;
  std::string linked;
  std::string error;
};

Link& link_of(void* handle) { return *static_cast<Link*>(handle); }

template <class Function>
Function function_of(void* from, const std::string& name) {
  void* const found = ::dlsym(from, name.c_str());
  if (found == nullptr) throw std::runtime_error("the function " + name + " is missing");
  return reinterpret_cast<Function>(found);
}

// ---- the emulated driver's linker

void* driver() {
  static void* const opened = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) throw std::runtime_error("the emulated driver cannot be loaded");
  return opened;
}

CUjitInputType driver_type(const Part& part) {
  switch (part.type) {
    case ptx: return CU_JIT_INPUT_PTX;
    case library: return CU_JIT_INPUT_LIBRARY;
    case object: return CU_JIT_INPUT_OBJECT;
    case cubin: return CU_JIT_INPUT_CUBIN;
    case fat_binary: return CU_JIT_INPUT_FATBINARY;
    default: break;
  }
  // Recognises an input of type "any" by its first bytes.
  if (part.bytes.starts_with("\177ELF")) return CU_JIT_INPUT_CUBIN;
  if (part.bytes.starts_with("!<arch>")) return CU_JIT_INPUT_LIBRARY;
  const bool is_text = part.bytes.find(".version") != std::string::npos &&
                       part.bytes.find(".target") != std::string::npos;
  return is_text ? CU_JIT_INPUT_PTX : CU_JIT_INPUT_FATBINARY;
}

std::string linked_by_driver(const std::vector<Part>& parts) {
  const auto create = function_of<decltype(&cuLinkCreate)>(driver(), "cuLinkCreate_v2");
  const auto add = function_of<decltype(&cuLinkAddData)>(driver(), "cuLinkAddData_v2");
  const auto complete = function_of<decltype(&cuLinkComplete)>(driver(), "cuLinkComplete");
  const auto destroy = function_of<decltype(&cuLinkDestroy)>(driver(), "cuLinkDestroy");
  CUlinkState state = nullptr;
  create(0, nullptr, nullptr, &state);
  char log[1024] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof(log))};
  for (Part part : parts) {
    if (add(state, driver_type(part), part.bytes.data(), part.bytes.size(), part.name.c_str(), 2,
            options, values) == CUDA_SUCCESS)
      continue;
    destroy(state);
    throw std::runtime_error(part.name + ": " + log);
  }
  void* image = nullptr;
  std::size_t bytes = 0;
  const CUresult result = complete(state, &image, &bytes);
  const std::string text = result == CUDA_SUCCESS ? static_cast<const char*>(image) : "";
  destroy(state);
  if (result != CUDA_SUCCESS)
    throw std::runtime_error("the emulated driver could not link the code");
  return text;
}

// ---- the real nvJitLink

/// Returns the path of a library in the folder of any loaded library; empty if there is none.
/// NVIDIA's wheels for Python put nvJitLink into one folder with other CUDA libraries.
std::string beside_loaded_libraries(const char* name) {
  struct Search {
    const char* name;
    std::string found;
  } search{name, {}};
  ::dl_iterate_phdr(
      [](dl_phdr_info* loaded, std::size_t, void* data) {
        auto& own = *static_cast<Search*>(data);
        const auto file = std::filesystem::path(loaded->dlpi_name).parent_path() / own.name;
        std::error_code ignored;
        if (!std::filesystem::exists(file, ignored)) return 0;
        own.found = file.string();
        return 1;
      },
      &search);
  return search.found;
}

void* real_library() {
  static void* const opened = [] {
    // Prefers a wheel's library, because the toolkit's may be older than the compiler of the code.
    constexpr const char* name = "libnvJitLink.so.13";
    const std::string file = beside_loaded_libraries(name);
    return ::dlopen(file.empty() ? name : file.c_str(), RTLD_NOW | RTLD_LOCAL);
  }();
  if (opened == nullptr)
    throw std::runtime_error("libnvJitLink.so.13, which compiles LTO code, is not found");
  return opened;
}

/// Returns a function of the real library. Its exported name ends with the version 13.0.
template <class Function>
Function real(const std::string& name) {
  return function_of<Function>(real_library(), "__" + name + "_13_0");
}

std::string real_log(void* handle) {
  std::size_t bytes = 0;
  real<int (*)(void*, std::size_t*)>("nvJitLinkGetErrorLogSize")(handle, &bytes);
  std::string log(bytes, '\0');
  if (bytes > 0) real<int (*)(void*, char*)>("nvJitLinkGetErrorLog")(handle, log.data());
  return log.c_str();
}

/// Compiles all parts for link-time optimisation together, into one PTX text.
std::string compiled(const Link& link) {
  std::vector<const char*> options;
  for (const std::string& each : link.options) {
    if (each != "-lto" && each != "-ptx") options.push_back(each.c_str());
  }
  options.insert(options.end(), {"-lto", "-ptx"});
  void* handle = nullptr;
  int error = real<int (*)(void**, std::uint32_t, const char**)>("nvJitLinkCreate")(
      &handle, static_cast<std::uint32_t>(options.size()), options.data());
  if (error != success) throw std::runtime_error("nvJitLink refused the options");
  const auto add =
      real<int (*)(void*, int, const void*, std::size_t, const char*)>("nvJitLinkAddData");
  for (const Part& part : link.parts) {
    if (error == success && part.type == lto_ir)
      error = add(handle, lto_ir, part.bytes.data(), part.bytes.size(), part.name.c_str());
  }
  if (error == success) error = real<int (*)(void*)>("nvJitLinkComplete")(handle);
  std::string text;
  if (error == success) {
    std::size_t bytes = 0;
    real<int (*)(void*, std::size_t*)>("nvJitLinkGetLinkedPtxSize")(handle, &bytes);
    text.resize(bytes);
    real<int (*)(void*, char*)>("nvJitLinkGetLinkedPtx")(handle, text.data());
    text.resize(std::strlen(text.c_str()));
  }
  const std::string log = error == success ? "" : real_log(handle);
  real<int (*)(void**)>("nvJitLinkDestroy")(&handle);
  if (error != success) throw std::runtime_error(log);
  return text;
}

void complete(Link& link) {
  std::vector<Part> parts;
  bool has_lto = false;
  for (const Part& part : link.parts) {
    has_lto |= part.type == lto_ir;
    if (part.type != lto_ir) parts.push_back(part);
  }
  if (has_lto) parts.insert(parts.begin(), {ptx, compiled(link), "LTO code"});
  link.linked = linked_by_driver(parts);
}

int give_size(const std::string& text, std::size_t* bytes) {
  *bytes = text.size() + 1;
  return success;
}
int give(const std::string& text, void* to) {
  std::memcpy(to, text.c_str(), text.size() + 1);
  return success;
}

}  // namespace

extern "C" {

int nvJitLinkVersion(unsigned int* major, unsigned int* minor) {
  *major = CUDA_VERSION / 1000;
  *minor = CUDA_VERSION % 1000 / 10;
  return success;
}
int nvJitLinkCreate(void** handle, std::uint32_t count, const char** options) {
  auto* const made = new Link;
  if (count > 0) made->options.assign(options, options + count);
  *handle = made;
  return success;
}
int nvJitLinkDestroy(void** handle) {
  delete static_cast<Link*>(*handle);
  *handle = nullptr;
  return success;
}
int nvJitLinkAddData(void* handle, int type, const void* data, std::size_t bytes,
                     const char* name) {
  link_of(handle).parts.push_back({static_cast<Input>(type),
                                   {static_cast<const char*>(data), bytes},
                                   name == nullptr ? "" : name});
  return success;
}
int nvJitLinkAddFile(void* handle, int type, const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) return invalid_input;
  return nvJitLinkAddData(handle, type, bytes.data(), bytes.size(), path);
}
int nvJitLinkComplete(void* handle) {
  Link& link = link_of(handle);
  try {
    complete(link);
    return success;
  } catch (const std::exception& error) {
    link.error = error.what();
    return internal_error;
  }
}
int nvJitLinkGetLinkedCubinSize(void* handle, std::size_t* bytes) {
  return give_size(link_of(handle).linked, bytes);
}
int nvJitLinkGetLinkedCubin(void* handle, void* code) { return give(link_of(handle).linked, code); }
int nvJitLinkGetLinkedPtxSize(void* handle, std::size_t* bytes) {
  return give_size(link_of(handle).linked, bytes);
}
int nvJitLinkGetLinkedPtx(void* handle, char* text) { return give(link_of(handle).linked, text); }
int nvJitLinkGetErrorLogSize(void* handle, std::size_t* bytes) {
  return give_size(link_of(handle).error, bytes);
}
int nvJitLinkGetErrorLog(void* handle, char* text) { return give(link_of(handle).error, text); }
int nvJitLinkGetInfoLogSize(void*, std::size_t* bytes) { return give_size("", bytes); }
int nvJitLinkGetInfoLog(void*, char* text) { return give("", text); }
int nvJitLinkGetLinkedLTOIRSize(void*, std::size_t*) { return internal_error; }
int nvJitLinkGetLinkedLTOIR(void*, void*) { return internal_error; }

}  // extern "C"
