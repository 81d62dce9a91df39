// The driver's kernels: attributes, launches, occupancy.

#include <algorithm>

#include "warpwise/emulator/runtime/driver/driver.hpp"

using namespace warpwise::emulator::runtime;

namespace {

CUresult attribute_of(int* value, CUfunction_attribute attribute, const void* function) {
  const DriverCall call;
  cudaFuncAttributes all{};
  const cudaError_t error = cudaFuncGetAttributes(&all, function);
  if (error != cudaSuccess) return result_of(error);
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = all.maxThreadsPerBlock; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = static_cast<int>(all.sharedSizeBytes); break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = static_cast<int>(all.constSizeBytes); break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = static_cast<int>(all.localSizeBytes); break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = all.numRegs; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = all.ptxVersion; break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = all.binaryVersion; break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = all.cacheModeCA; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = all.maxDynamicSharedSizeBytes;
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = all.preferredShmemCarveout;
      break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET: *value = all.clusterDimMustBeSet; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: *value = all.requiredClusterWidth; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: *value = all.requiredClusterHeight; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: *value = all.requiredClusterDepth; break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      *value = all.nonPortableClusterSizeAllowed;
      break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      *value = all.clusterSchedulingPolicyPreference;
      break;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

// The runtime has all attributes that a program may set, with the same numbers. Programs also try
// attributes of newer drivers, and continue without them if refused.
CUresult set_attribute(const void* function, CUfunction_attribute attribute, int value) {
  if (attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX) return CUDA_ERROR_INVALID_VALUE;
  return DriverCall().result_of(
      cudaFuncSetAttribute(function, static_cast<cudaFuncAttribute>(attribute), value));
}

cudaLaunchConfig_t config_of(const CUlaunchConfig& config) {
  // The attributes of the driver and the runtime have the same layout.
  static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));
  return {.gridDim = dim3(config.gridDimX, config.gridDimY, config.gridDimZ),
          .blockDim = dim3(config.blockDimX, config.blockDimY, config.blockDimZ),
          .dynamicSmemBytes = config.sharedMemBytes,
          .stream = config.hStream,
          .attrs = reinterpret_cast<cudaLaunchAttribute*>(config.attrs),
          .numAttrs = config.numAttrs};
}

/// Pointers to a launch's arguments. The caller gives either one pointer for each parameter, or one
/// block of bytes with all arguments (`extra`).
class Arguments {
 public:
  Arguments(CUfunction function, void** one_by_one, void** extra) : pointers_(one_by_one) {
    if (one_by_one != nullptr || extra == nullptr) return;
    std::byte* block = nullptr;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
      if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) block = static_cast<std::byte*>(extra[1]);
      if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
        bytes_ = *static_cast<const std::size_t*>(extra[1]);
    }
    std::size_t offset = 0;
    std::size_t bytes = 0;
    const DriverCall call;  // hides the error that ends the loop
    for (std::size_t i = 0;
         cudaFuncGetParamInfo(handle_of(function), i, &offset, &bytes) == cudaSuccess; ++i) {
      if (block == nullptr || offset + bytes > bytes_) is_short_ = true;
      from_block_.push_back(block + offset);
    }
    pointers_ = from_block_.data();
  }
  void** pointers() const { return pointers_; }
  bool is_short() const { return is_short_; }

 private:
  std::vector<void*> from_block_;
  void** pointers_;
  std::size_t bytes_ = 0;
  bool is_short_ = false;
};

}  // namespace

extern "C" {

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  return attribute_of(value, attribute, handle_of(function));
}
CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel,
                              CUdevice) {
  return attribute_of(value, attribute, handle_of(kernel));
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return set_attribute(handle_of(function), attribute, value);
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                              CUdevice) {
  return set_attribute(handle_of(kernel), attribute, value);
}
CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache) { return CUDA_SUCCESS; }
// Checks a shape for cuLaunch(), which is not run. PyCUDA sets the shape before every launch.
CUresult cuFuncSetBlockShape(CUfunction, int x, int y, int z) {
  return x > 0 && y > 0 && z > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuKernelSetCacheConfig(CUkernel, CUfunc_cache, CUdevice) { return CUDA_SUCCESS; }
CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  const Kernel* kernel = find_kernel(handle_of(function));
  if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *module = reinterpret_cast<CUmodule>(kernel->module);
  return CUDA_SUCCESS;
}
CUresult cuFuncGetName(const char** name, CUfunction function) {
  return DriverCall().result_of(cudaFuncGetName(name, handle_of(function)));
}
CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  return DriverCall().result_of(cudaFuncGetName(name, handle_of(kernel)));
}
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes) {
  return DriverCall().result_of(cudaFuncGetParamInfo(handle_of(function), index, offset, bytes));
}
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* bytes) {
  return DriverCall().result_of(cudaFuncGetParamInfo(handle_of(kernel), index, offset, bytes));
}
CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction) {
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}
CUresult cuFuncLoad(CUfunction) { return CUDA_SUCCESS; }

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared, CUstream stream,
                        void** parameters, void** extra) {
  const Arguments arguments(function, parameters, extra);
  if (arguments.is_short()) return CUDA_ERROR_INVALID_VALUE;
  return DriverCall().result_of(cudaLaunchKernel(handle_of(function), dim3(grid_x, grid_y, grid_z),
                                                 dim3(block_x, block_y, block_z),
                                                 arguments.pointers(), shared, stream));
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters,
                          void** extra) {
  const Arguments arguments(function, parameters, extra);
  if (arguments.is_short()) return CUDA_ERROR_INVALID_VALUE;
  const cudaLaunchConfig_t given = config_of(*config);
  return DriverCall().result_of(
      cudaLaunchKernelExC(&given, handle_of(function), arguments.pointers()));
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int shared, CUstream stream,
                                   void** parameters) {
  return DriverCall().result_of(
      cudaLaunchCooperativeKernel(handle_of(function), dim3(grid_x, grid_y, grid_z),
                                  dim3(block_x, block_y, block_z), parameters, shared, stream));
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return DriverCall().result_of(cudaLaunchHostFunc(stream, function, data));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function,
                                                              int threads, size_t shared,
                                                              unsigned int flags) {
  return DriverCall().result_of(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, handle_of(function), threads, shared, flags));
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                     size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}
CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction function,
                                      const CUlaunchConfig* config) {
  const cudaLaunchConfig_t given = config_of(*config);
  return DriverCall().result_of(
      cudaOccupancyMaxActiveClusters(clusters, handle_of(function), &given));
}
CUresult cuOccupancyMaxPotentialClusterSize(int* size, CUfunction function,
                                            const CUlaunchConfig* config) {
  const cudaLaunchConfig_t given = config_of(*config);
  return DriverCall().result_of(
      cudaOccupancyMaxPotentialClusterSize(size, handle_of(function), &given));
}
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction function, int blocks,
                                                 int threads) {
  return DriverCall().result_of(
      cudaOccupancyAvailableDynamicSMemPerBlock(bytes, handle_of(function), blocks, threads));
}
// Chooses the block size with the most resident threads. If several sizes have equally many, it
// chooses the largest.
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, size_t shared,
                                                   int limit, unsigned int flags) {
  if (grid == nullptr || block == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *grid = *block = 0;
  int most = 0;
  const CUresult result =
      attribute_of(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, handle_of(function));
  if (result != CUDA_SUCCESS) return result;
  if (limit > 0) most = std::min(most, limit);
  constexpr int warp = 32;
  int best = 0;
  for (int threads = (most + warp - 1) / warp * warp; threads > 0; threads -= warp) {
    const int tried = std::min(threads, most);
    int blocks = 0;
    const CUresult asked = cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, function, tried, shared_of == nullptr ? shared : shared_of(tried), flags);
    if (asked != CUDA_SUCCESS) return asked;
    if (blocks * tried <= best) continue;
    best = blocks * tried;
    *block = tried;
    *grid = blocks * emulated().multiprocessors;
  }
  return best > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function,
                                          CUoccupancyB2DSize shared_of, size_t shared, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared, limit,
                                                   0);
}

}  // extern "C"
