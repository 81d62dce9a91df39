// Finds the driver's functions by name.

#include <dlfcn.h>

#include <cstring>
#include <string>

#include "warpwise/emulator/runtime/driver/driver.hpp"
#include "warpwise/emulator/runtime/reports/closed_libraries.hpp"

namespace {

/// The symbol of a function for programs of CUDA `version` or later: 12020 is CUDA 12.2, and 0 is
/// any version. A function without an entry gets its newest symbol (_v3, _v2), because older
/// symbols are obsolete. Most of them take 32-bit addresses.
struct Newer {
  const char* name;
  const char* symbol;
  int version;
};
constexpr Newer newer[] = {
    {"cuCtxCreate", "cuCtxCreate_v4", 12050},
    {"cuCtxCreate", "cuCtxCreate_v3", 11040},
    {"cuMemPrefetchAsync", "cuMemPrefetchAsync_v2", 12020},
    {"cuMemAdvise", "cuMemAdvise_v2", 12020},
    {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v3", 12030},
    {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v2", 11030},
    {"cuGetProcAddress", "cuGetProcAddress_v2", 12000},
    {"cuGraphAddKernelNode", "cuGraphAddKernelNode_v2", 12000},
    {"cuGraphKernelNodeGetParams", "cuGraphKernelNodeGetParams_v2", 12000},
    {"cuGraphKernelNodeSetParams", "cuGraphKernelNodeSetParams_v2", 12000},
    {"cuGraphExecKernelNodeSetParams", "cuGraphExecKernelNodeSetParams_v2", 12000},
    {"cuGraphExecUpdate", "cuGraphExecUpdate_v2", 12000},
    {"cuGraphInstantiate", "cuGraphInstantiateWithFlags", 12000},
    {"cuGraphAddNode", "cuGraphAddNode_v2", 12030},
    {"cuGraphAddDependencies", "cuGraphAddDependencies_v2", 12030},
    {"cuGraphRemoveDependencies", "cuGraphRemoveDependencies_v2", 12030},
    {"cuGraphGetEdges", "cuGraphGetEdges_v2", 12030},
    {"cuGraphNodeGetDependencies", "cuGraphNodeGetDependencies_v2", 12030},
    {"cuGraphNodeGetDependentNodes", "cuGraphNodeGetDependentNodes_v2", 12030},
    {"cuCtxSynchronize", "cuCtxSynchronize", 0},  // the second form takes a context
    {"cuCtxGetDevice", "cuCtxGetDevice", 0},
    {"cuStreamGetCtx", "cuStreamGetCtx", 0},
};

/// UUID of an undocumented table of driver functions. Every CUDA runtime requests this table at its
/// first call, so the UUID reveals a runtime other than the emulated one.
constexpr unsigned char table_of_runtime[16] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                                                0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};

void* symbol(const std::string& name) {
  static void* const own = [] {
    Dl_info here{};
    ::dladdr(reinterpret_cast<void*>(&cuInit), &here);
    return ::dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  }();
  return ::dlsym(own, name.c_str());
}

void* newest(const std::string& name, int version) {
  bool is_listed = false;
  for (const Newer& each : newer) {
    if (name != each.name) continue;
    is_listed = true;
    if (version >= each.version) return symbol(each.symbol);
  }
  if (!is_listed) {
    for (const char* suffix : {"_v3", "_v2"}) {
      if (void* found = symbol(name + suffix)) return found;
    }
  }
  return symbol(name);
}

}  // namespace

extern "C" {

// Finds no table. NVIDIA's own libraries request undocumented tables of driver functions here.
// NVRTC works without them. cuBLAS and similar libraries fail, and so does a CUDA runtime other
// than the emulated one. The tables alone would not help cuBLAS, because its kernels are machine
// code.
CUresult cuGetExportTable(const void** table, const CUuuid* id) {
  if (table == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *table = nullptr;
  warpwise::emulator::runtime::note_closed_caller();
  if (id != nullptr && std::memcmp(id->bytes, table_of_runtime, sizeof(table_of_runtime)) == 0)
    warpwise::emulator::runtime::note_real_runtime();
  return CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t,
                          CUdriverProcAddressQueryResult* status) {
  if (name == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *function = newest(name, version);
  if (status != nullptr) {
    *status =
        *function != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  return *function != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

#undef cuGetProcAddress
CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

}  // extern "C"
