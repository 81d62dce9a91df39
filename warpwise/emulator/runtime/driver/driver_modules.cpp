// The driver's modules, libraries and linker, and their functions.

#include <algorithm>
#include <cstring>
#include <string_view>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/runtime/code/link.hpp"
#include "warpwise/emulator/runtime/driver/driver.hpp"
#include "warpwise/emulator/runtime/reports/reports.hpp"

using namespace warpwise::emulator::runtime;

/// The PTX texts to link, and the linked text.
struct CUlinkState_st {
  std::vector<std::string> texts;
  std::string text;
};

namespace {

/// The caller's options for loading or linking code. They may name a buffer for error messages, to
/// which write() copies a text.
struct Log {
  unsigned count = 0;
  const CUjit_option* options = nullptr;
  void** values = nullptr;

  void write(std::string_view text) const {
    char* log = nullptr;
    std::size_t size = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER) log = static_cast<char*>(values[i]);
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
        size = reinterpret_cast<std::uintptr_t>(values[i]);
      }
    }
    if (log == nullptr || size == 0) return;
    const std::size_t length = std::min(size - 1, text.size());
    std::memcpy(log, text.data(), length);
    log[length] = 0;
  }
};

// Calls `body`. Turns exceptions into errors of loading, and logs their texts.
template <class Body>
CUresult loading(const Log& log, Body body) {
  const auto failed = [&](CUresult result, const std::exception& error) {
    log.write(error.what());
    note_error(cudaGetErrorName(static_cast<cudaError_t>(result)), error.what());
    return result;
  };
  try {
    body();
    return CUDA_SUCCESS;
  } catch (const warpwise::Unsupported& error) {
    std::fprintf(stderr, "warpwise: %s\n", error.what());
    return failed(CUDA_ERROR_NO_BINARY_FOR_GPU, error);
  } catch (const warpwise::IoError& error) {
    return failed(CUDA_ERROR_FILE_NOT_FOUND, error);
  } catch (const warpwise::Error& error) {
    return failed(CUDA_ERROR_INVALID_PTX, error);
  } catch (const std::bad_alloc& error) {
    return failed(CUDA_ERROR_OUT_OF_MEMORY, error);
  } catch (const std::exception& error) {
    return failed(CUDA_ERROR_INVALID_VALUE, error);
  }
}

template <class Handle>
CUresult load(Handle* handle, const Log& log, const void* image) {
  return loading(log,
                 [&] { *handle = reinterpret_cast<Handle>(load_module(ptx_of_image(image))); });
}

template <class Handle>
CUresult load_file(Handle* handle, const Log& log, const char* path) {
  return loading(log, [&] { *handle = reinterpret_cast<Handle>(load_module(ptx_of_file(path))); });
}

CUresult unload(Module* module) {
  return driver_guarded([&] {
    unload_module(module);
    return cudaSuccess;
  });
}

template <class Handle>
CUresult kernel_of(Handle* handle, Module* module, const char* name) {
  return driver_guarded([&] {
    const void* found = kernel_handle(module, name);
    if (found == nullptr) return static_cast<cudaError_t>(CUDA_ERROR_NOT_FOUND);
    *handle = reinterpret_cast<Handle>(const_cast<void*>(found));
    return cudaSuccess;
  });
}

template <class Handle>
CUresult kernels_of(Handle* handles, unsigned count, Module* module) {
  return driver_guarded([&] {
    for (const std::string& name : module->get().kernel_names()) {
      if (count-- == 0) break;
      *handles++ = reinterpret_cast<Handle>(const_cast<void*>(kernel_handle(module, name)));
    }
    return cudaSuccess;
  });
}

CUresult kernel_count(unsigned* count, Module* module) {
  return driver_guarded([&] {
    *count = static_cast<unsigned>(module->get().kernel_names().size());
    return cudaSuccess;
  });
}

CUresult global_of(CUdeviceptr* address, size_t* bytes, Module* module, const char* name) {
  try {
    std::uint64_t size = 0;
    const auto at = variable_of(module, name, &size);
    if (address != nullptr) *address = at;
    if (bytes != nullptr) *bytes = size;
    return CUDA_SUCCESS;
  } catch (const warpwise::Error&) {
    return CUDA_ERROR_NOT_FOUND;
  }
}

// Returns true for libcudadevrt, CUDA's library of functions that kernels call. The emulator has
// these functions itself, except for the grid barrier, which is linked as PTX.
bool is_device_runtime(CUjitInputType type, const char* name) {
  return type == CU_JIT_INPUT_LIBRARY && name != nullptr &&
         std::string_view(name).find("cudadevrt") != std::string_view::npos;
}

CUresult add_grid_barrier(CUlinkState state) {
  const std::string text(grid_barrier);
  if (std::find(state->texts.begin(), state->texts.end(), text) == state->texts.end())
    state->texts.push_back(text);
  return CUDA_SUCCESS;
}

CUresult add_to_link(CUlinkState state, CUjitInputType type, const Log& log,
                     const std::string& text) {
  if (type == CU_JIT_INPUT_CUBIN || type == CU_JIT_INPUT_OBJECT || type == CU_JIT_INPUT_LIBRARY) {
    return loading(log, [] {
      throw warpwise::Unsupported(
          "objects, libraries and cubins hold machine code, which the emulator cannot link");
    });
  }
  state->texts.push_back(text);
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuModuleLoad(CUmodule* module, const char* path) { return load_file(module, {}, path); }
CUresult cuModuleLoadData(CUmodule* module, const void* image) { return load(module, {}, image); }
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int count,
                            CUjit_option* options, void** values) {
  return load(module, {count, options, values}, image);
}
CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return load(module, {}, image);
}
CUresult cuModuleUnload(CUmodule module) { return unload(module_of(module)); }
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return kernel_of(function, module_of(module), name);
}
CUresult cuModuleGetFunctionCount(unsigned int* count, CUmodule module) {
  return kernel_count(count, module_of(module));
}
CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned int count, CUmodule module) {
  return kernels_of(functions, count, module_of(module));
}
CUresult cuModuleGetGlobal(CUdeviceptr* address, size_t* bytes, CUmodule module, const char* name) {
  return global_of(address, bytes, module_of(module), name);
}

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* options,
                           void** values, unsigned int count, CUlibraryOption*, void**,
                           unsigned int) {
  return load(library, {count, options, values}, code);
}
CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option* options,
                               void** values, unsigned int count, CUlibraryOption*, void**,
                               unsigned int) {
  return load_file(library, {count, options, values}, path);
}
CUresult cuLibraryUnload(CUlibrary library) { return unload(module_of(library)); }
CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  return kernel_of(kernel, module_of(library), name);
}
CUresult cuLibraryGetKernelCount(unsigned int* count, CUlibrary library) {
  return kernel_count(count, module_of(library));
}
CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned int count, CUlibrary library) {
  return kernels_of(kernels, count, module_of(library));
}
CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  *module = reinterpret_cast<CUmodule>(library);
  return CUDA_SUCCESS;
}
CUresult cuLibraryGetGlobal(CUdeviceptr* address, size_t* bytes, CUlibrary library,
                            const char* name) {
  return global_of(address, bytes, module_of(library), name);
}
CUresult cuLibraryGetManaged(CUdeviceptr* address, size_t* bytes, CUlibrary library,
                             const char* name) {
  return global_of(address, bytes, module_of(library), name);
}
CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  *function = reinterpret_cast<CUfunction>(kernel);
  return CUDA_SUCCESS;
}
CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel kernel) {
  const Kernel* found = find_kernel(handle_of(kernel));
  if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *library = reinterpret_cast<CUlibrary>(found->module);
  return CUDA_SUCCESS;
}

CUresult cuLinkCreate(unsigned int, CUjit_option*, void**, CUlinkState* state) {
  *state = new CUlinkState_st;
  return CUDA_SUCCESS;
}
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t bytes,
                       const char* name, unsigned int count, CUjit_option* options, void** values) {
  const Log log{count, options, values};
  if (is_device_runtime(type, name)) return add_grid_barrier(state);
  std::string text;
  const CUresult result = loading(log, [&] {
    if (type == CU_JIT_INPUT_FATBINARY)
      text = ptx_of_image(data);
    else if (type == CU_JIT_INPUT_PTX)
      text.assign(static_cast<const char*>(data), strnlen(static_cast<const char*>(data), bytes));
  });
  return result == CUDA_SUCCESS ? add_to_link(state, type, log, text) : result;
}
CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path, unsigned int count,
                       CUjit_option* options, void** values) {
  const Log log{count, options, values};
  if (is_device_runtime(type, path)) return add_grid_barrier(state);
  std::string text;
  const CUresult result = loading(log, [&] {
    if (type == CU_JIT_INPUT_FATBINARY || type == CU_JIT_INPUT_PTX) text = ptx_of_file(path);
  });
  return result == CUDA_SUCCESS ? add_to_link(state, type, log, text) : result;
}
// Returns PTX text instead of machine code. The program loads the linked code next, and the
// emulated driver does not load machine code.
CUresult cuLinkComplete(CUlinkState state, void** image, size_t* bytes) {
  return loading({}, [&] {
    state->text = linked(state->texts);
    *image = state->text.data();
    if (bytes != nullptr) *bytes = state->text.size() + 1;
  });
}
CUresult cuLinkDestroy(CUlinkState state) {
  delete state;
  return CUDA_SUCCESS;
}

}  // extern "C"
