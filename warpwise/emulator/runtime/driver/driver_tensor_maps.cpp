// Tensor maps, which describe the arrays of tensor copies.

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "warpwise/emulator/runtime/api/not_run.hpp"
#include "warpwise/emulator/runtime/driver/driver.hpp"
#include "warpwise/emulator/tensor_map.hpp"

using namespace warpwise::emulator;

namespace {

// Limits in the driver's documentation.
constexpr std::uint64_t most_elements = std::uint64_t{1} << 32;
constexpr std::uint64_t most_stride = std::uint64_t{1} << 40;
constexpr std::uint32_t most_in_box = 256;
constexpr std::uint32_t most_step = 8;
constexpr std::uint64_t granule = 16;  // alignment in bytes of addresses, strides and rows

std::optional<ElementType> type_of(CUtensorMapDataType type) {
  switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8: return ElementType::u8;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16: return ElementType::u16;
    case CU_TENSOR_MAP_DATA_TYPE_UINT32: return ElementType::u32;
    case CU_TENSOR_MAP_DATA_TYPE_INT32: return ElementType::s32;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64: return ElementType::u64;
    case CU_TENSOR_MAP_DATA_TYPE_INT64: return ElementType::s64;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16: return ElementType::f16;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ: return ElementType::f32;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64: return ElementType::f64;
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16: return ElementType::bf16;
    default: return std::nullopt;
  }
}

std::optional<std::uint32_t> width_of(CUtensorMapSwizzle swizzle) {
  switch (swizzle) {
    case CU_TENSOR_MAP_SWIZZLE_NONE: return 0;
    case CU_TENSOR_MAP_SWIZZLE_32B: return 32;
    case CU_TENSOR_MAP_SWIZZLE_64B: return 64;
    case CU_TENSOR_MAP_SWIZZLE_128B: return 128;
    default: return std::nullopt;
  }
}

/// Names cuTensorMapEncodeTiled once on standard error. Returns the error of functions not run.
CUresult not_run_here() {
  return static_cast<CUresult>(runtime::driver_not_run("cuTensorMapEncodeTiled"));
}

bool is_floating(ElementType type) {
  return type == ElementType::f16 || type == ElementType::bf16 || type == ElementType::f32 ||
         type == ElementType::f64;
}

}  // namespace

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap* out, CUtensorMapDataType data_type, cuuint32_t rank,
                                void* address, const cuuint64_t* sizes, const cuuint64_t* strides,
                                const cuuint32_t* box, const cuuint32_t* steps,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill fill) {
  if (out == nullptr || sizes == nullptr || box == nullptr || steps == nullptr || rank == 0 ||
      rank > TensorMap::most_dimensions || (rank > 1 && strides == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  const auto type = type_of(data_type);
  const auto width = width_of(swizzle);
  if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE || !type || !width) return not_run_here();
  const auto at = reinterpret_cast<std::uint64_t>(address);
  if (at == 0 || at % granule != 0) return CUDA_ERROR_INVALID_VALUE;
  TensorMap map;
  map.address = at;
  map.last_dimension = static_cast<std::uint8_t>(rank - 1);
  map.type = *type;
  map.swizzled_bytes = *width;
  map.fills_with_nan = fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  if (map.fills_with_nan && !is_floating(*type)) return CUDA_ERROR_INVALID_VALUE;
  for (cuuint32_t d = 0; d < rank; ++d) {
    if (sizes[d] == 0 || sizes[d] > most_elements || box[d] == 0 || box[d] > most_in_box ||
        steps[d] == 0 || steps[d] > most_step)
      return CUDA_ERROR_INVALID_VALUE;
    map.last[d] = static_cast<std::uint32_t>(sizes[d] - 1);
    map.box[d] = static_cast<std::uint16_t>(box[d]);
    map.steps[d] = static_cast<std::uint8_t>(steps[d]);
    if (d == 0) continue;
    const cuuint64_t stride = strides[d - 1];
    if (stride % granule != 0 || stride >= most_stride) return CUDA_ERROR_INVALID_VALUE;
    map.strides[d - 1] = stride;
  }
  const std::uint64_t row = box[0] * element_bytes(*type);
  if (row % granule != 0 || (*width != 0 && row > *width)) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(out, &map, sizeof(map));
  return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* out, void* address) {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  if (out == nullptr || at == 0 || at % granule != 0) return CUDA_ERROR_INVALID_VALUE;
  TensorMap map;
  std::memcpy(static_cast<void*>(&map), out, sizeof(map));
  if (map.mark != TensorMap::expected_mark) return CUDA_ERROR_INVALID_VALUE;
  map.address = at;
  std::memcpy(out, &map, sizeof(map));
  return CUDA_SUCCESS;
}

}  // extern "C"
