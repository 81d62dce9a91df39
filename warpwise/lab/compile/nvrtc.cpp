#include "warpwise/lab/compile/nvrtc.hpp"

#include <dlfcn.h>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/loaded_path.hpp"

namespace warpwise::lab {
namespace {

using ProgramHandle = void*;
using Result = int;
constexpr Result success = 0;
constexpr Result compilation_failed = 6;

// NVRTC opens the library of its built-in functions by its bare name. The loader finds the library
// by that name only in the loader's own folders, or if it is loaded already. This function loads it
// from NVRTC's folder.
void load_builtins_beside(const std::filesystem::path& library) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(library.parent_path(), error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("libnvrtc-builtins.so.")) ::dlopen(entry.path().c_str(), RTLD_NOW);
  }
}

}  // namespace

// Functions as nvrtc.h declares them. Building does not need the toolkit's header.
struct Nvrtc::Functions {
  void* library = nullptr;
  const char* (*error_text)(Result) = nullptr;
  Result (*version)(int*, int*) = nullptr;
  Result (*architecture_count)(int*) = nullptr;
  Result (*architectures)(int*) = nullptr;
  Result (*create)(ProgramHandle*, const char*, const char*, int, const char* const*,
                   const char* const*) = nullptr;
  Result (*destroy)(ProgramHandle*) = nullptr;
  Result (*compile)(ProgramHandle, int, const char* const*) = nullptr;
  Result (*log_size)(ProgramHandle, std::size_t*) = nullptr;
  Result (*log)(ProgramHandle, char*) = nullptr;
  Result (*ptx_size)(ProgramHandle, std::size_t*) = nullptr;
  Result (*ptx)(ProgramHandle, char*) = nullptr;
  Result (*cubin_size)(ProgramHandle, std::size_t*) = nullptr;
  Result (*cubin)(ProgramHandle, char*) = nullptr;

  // NVRTC starts threads that outlive a compilation, so it is never unloaded.
  static std::unique_ptr<Functions> load(const std::filesystem::path& path) {
    auto functions = std::make_unique<Functions>();
    if (path.has_parent_path()) load_builtins_beside(path);
    ::dlerror();
    functions->library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (functions->library == nullptr) return nullptr;
    const auto take = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::decay_t<decltype(function)>>(::dlsym(functions->library, name));
      return function != nullptr;
    };
    const bool complete =
        take(functions->error_text, "nvrtcGetErrorString") &&
        take(functions->version, "nvrtcVersion") &&
        take(functions->architecture_count, "nvrtcGetNumSupportedArchs") &&
        take(functions->architectures, "nvrtcGetSupportedArchs") &&
        take(functions->create, "nvrtcCreateProgram") &&
        take(functions->destroy, "nvrtcDestroyProgram") &&
        take(functions->compile, "nvrtcCompileProgram") &&
        take(functions->log_size, "nvrtcGetProgramLogSize") &&
        take(functions->log, "nvrtcGetProgramLog") &&
        take(functions->ptx_size, "nvrtcGetPTXSize") && take(functions->ptx, "nvrtcGetPTX") &&
        take(functions->cubin_size, "nvrtcGetCUBINSize") && take(functions->cubin, "nvrtcGetCUBIN");
    return complete ? std::move(functions) : nullptr;
  }

  void check(Result result, const char* call) const {
    if (result != success) throw Error(std::string(call) + " failed: " + error_text(result));
  }

  std::string text(ProgramHandle program, Result (*size)(ProgramHandle, std::size_t*),
                   Result (*get)(ProgramHandle, char*), const char* call) const {
    std::size_t bytes = 0;
    check(size(program, &bytes), call);
    std::string result(bytes, '\0');
    check(get(program, result.data()), call);
    return result;
  }
};

std::optional<Nvrtc> Nvrtc::load(std::span<const std::filesystem::path> libraries,
                                 std::string* why_not) {
  for (const std::filesystem::path& path : libraries) {
    if (auto functions = Functions::load(path)) return Nvrtc(std::move(functions), path);
    if (why_not != nullptr) {
      const char* error = ::dlerror();
      *why_not += (why_not->empty() ? "" : "; ") +
                  (error != nullptr ? std::string(error) : path.string() + " lacks a function");
    }
  }
  return std::nullopt;
}

Nvrtc::Nvrtc(std::unique_ptr<Functions> functions, const std::filesystem::path& library)
    : functions_(std::move(functions)), library_(loaded_path(functions_->library, library)) {
  int major = 0;
  int minor = 0;
  functions_->check(functions_->version(&major, &minor), "nvrtcVersion");
  name_ = "NVRTC " + std::to_string(major) + "." + std::to_string(minor) + " (" +
          library_.string() + ")";
  int count = 0;
  functions_->check(functions_->architecture_count(&count), "nvrtcGetNumSupportedArchs");
  architectures_.resize(static_cast<std::size_t>(count));
  functions_->check(functions_->architectures(architectures_.data()), "nvrtcGetSupportedArchs");
}

Nvrtc::~Nvrtc() = default;
Nvrtc::Nvrtc(Nvrtc&&) noexcept = default;
Nvrtc& Nvrtc::operator=(Nvrtc&&) noexcept = default;

Nvrtc::Output Nvrtc::compile(const std::string& text, const std::string& name,
                             const std::vector<std::string>& options, bool machine_code) const {
  std::vector<const char*> header_names;
  std::vector<const char*> header_texts;
  for (const StubHeader& header : stub_headers()) {
    header_names.push_back(header.name);
    header_texts.push_back(header.text);
  }
  // NVRTC takes the byte order mark that some editors write for an unknown token.
  const std::size_t mark = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  ProgramHandle handle = nullptr;
  functions_->check(functions_->create(&handle, text.c_str() + mark, name.c_str(),
                                       static_cast<int>(header_names.size()), header_texts.data(),
                                       header_names.data()),
                    "nvrtcCreateProgram");
  const auto destroy = [this](ProgramHandle program) { functions_->destroy(&program); };
  const std::unique_ptr<void, decltype(destroy)> program(handle, destroy);

  std::vector<const char*> option_texts;
  for (const std::string& option : options) option_texts.push_back(option.c_str());
  const Result result = functions_->compile(program.get(), static_cast<int>(option_texts.size()),
                                            option_texts.data());
  Output output;
  output.compiled = result == success;
  output.log =
      functions_->text(program.get(), functions_->log_size, functions_->log, "nvrtcGetProgramLog");
  while (!output.log.empty() && output.log.back() == '\0') output.log.pop_back();
  if (result != success && result != compilation_failed && output.log.empty()) {
    functions_->check(result, "nvrtcCompileProgram");
  }
  if (!output.compiled) return output;
  output.code = machine_code ? functions_->text(program.get(), functions_->cubin_size,
                                                functions_->cubin, "nvrtcGetCUBIN")
                             : functions_->text(program.get(), functions_->ptx_size,
                                                functions_->ptx, "nvrtcGetPTX");
  if (!machine_code && !output.code.empty() && output.code.back() == '\0') output.code.pop_back();
  return output;
}

}  // namespace warpwise::lab
