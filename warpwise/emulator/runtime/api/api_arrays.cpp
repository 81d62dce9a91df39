// CUDA arrays: allocation and copies.

#include "warpwise/emulator/runtime/api/arrays.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "warpwise/emulator/runtime/checks/allocations.hpp"
#include "warpwise/emulator/runtime/checks/copy_check.hpp"
#include "warpwise/emulator/runtime/checks/stream_order.hpp"
#include "warpwise/emulator/runtime/code/registry.hpp"
#include "warpwise/emulator/runtime/reports/reports.hpp"

using namespace warpwise::emulator::runtime;

namespace {

bool is_shape(const cudaExtent& extent, unsigned flags) {
  if (extent.width == 0) return false;
  if ((flags & cudaArrayCubemap) != 0) {
    const bool faces = (flags & cudaArrayLayered) != 0 ? extent.depth % 6 == 0 : extent.depth == 6;
    return faces && extent.depth > 0 && extent.width == extent.height;
  }
  if ((flags & cudaArrayLayered) != 0) return extent.depth > 0;
  return extent.depth == 0 || extent.height > 0;
}

/// Keeps the address of a freed handle in use, so that a second free is recognised.
void keep_freed(cudaArray_t array) {
  struct Freed {
    std::mutex mutex;
    std::vector<std::unique_ptr<cudaArray>> all;
  };
  static Freed& freed = *new Freed;
  const std::lock_guard lock(freed.mutex);
  freed.all.emplace_back(array);
}

cudaError_t make_array(cudaArray_t* array, const cudaChannelFormatDesc* format,
                       const cudaExtent& extent, unsigned flags) {
  constexpr unsigned known = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap |
                             cudaArrayTextureGather | cudaArrayColorAttachment;
  if (array == nullptr || format == nullptr) return report(cudaErrorInvalidValue);
  if (!is_texel(*format)) return report(cudaErrorInvalidChannelDescriptor);
  if (!is_shape(extent, flags)) return report(cudaErrorInvalidValue);
  if ((flags & ~known) != 0) return report(cudaErrorNotSupported);
  const cudaError_t refused = refuse_unsafe_call();
  if (refused != cudaSuccess) return refused;
  return guarded([&] {
    auto made = std::make_unique<cudaArray>();
    made->format = *format;
    made->extent = extent;
    made->flags = flags;
    made->texel_bytes = static_cast<std::size_t>(format->x + format->y + format->z + format->w) / 8;
    made->row_bytes = extent.width * made->texel_bytes;
    made->rows = std::max<std::size_t>(extent.height, 1);
    made->slices = std::max<std::size_t>(extent.depth, 1);
    const std::size_t all_bytes = made->row_bytes * made->rows * made->slices;
    const std::string name = next_allocation_name();
    made->data = emulated().device.allocate(all_bytes, name + ", a CUDA array,");
    note_allocation(made->data, all_bytes, AllocationKind::array, name);
    *array = made.release();
    return cudaSuccess;
  });
}

/// One end of a copy: its first row, and the distances of rows and slices.
struct End {
  std::byte* first = nullptr;
  std::size_t pitch = 0;
  std::size_t slice = 0;
};

/// Finds a position in an array. Returns false if the copy does not fit. x and width are in bytes.
bool end_in(const cudaArray& array, const cudaPos& at, const cudaExtent& bytes, End& end) {
  end.pitch = array.row_bytes;
  end.slice = array.row_bytes * array.rows;
  end.first = reinterpret_cast<std::byte*>(array.data) + at.z * end.slice + at.y * end.pitch + at.x;
  return at.x + bytes.width <= array.row_bytes && at.y + bytes.height <= array.rows &&
         at.z + bytes.depth <= array.slices;
}

End end_in(const cudaPitchedPtr& memory, const cudaPos& at) {
  const std::size_t slice = memory.pitch * memory.ysize;
  return {static_cast<std::byte*>(memory.ptr) + at.z * slice + at.y * memory.pitch + at.x,
          memory.pitch, slice};
}

/// Reports a copy that ends outside an array.
cudaError_t outside(cudaArray_const_t array) {
  report_bad_copy(array == nullptr
                      ? std::string("the array is null")
                      : "the copy exceeds the array of " + std::to_string(array->row_bytes) +
                            " bytes in each of " + std::to_string(array->rows) + " rows and " +
                            std::to_string(array->slices) + " slices");
  return report(cudaErrorInvalidValue);
}

cudaError_t copy_slices(const cudaMemcpy3DParms& copy) {
  const cudaArray_t array = copy.srcArray != nullptr ? copy.srcArray : copy.dstArray;
  if (copy.srcArray != nullptr && copy.dstArray != nullptr &&
      copy.srcArray->texel_bytes != copy.dstArray->texel_bytes)
    return report(cudaErrorInvalidValue);
  // Extents count elements if an array takes part. Positions in memory always count bytes.
  const std::size_t unit = array != nullptr ? array->texel_bytes : 1;
  cudaExtent bytes = copy.extent;
  bytes.width *= unit;
  End from;
  End to;
  bool fits = true;
  const auto in_bytes = [&](const cudaPos& at) { return cudaPos{at.x * unit, at.y, at.z}; };
  if (copy.srcArray != nullptr)
    fits = end_in(*copy.srcArray, in_bytes(copy.srcPos), bytes, from);
  else
    from = end_in(copy.srcPtr, copy.srcPos);
  if (copy.dstArray != nullptr)
    fits = end_in(*copy.dstArray, in_bytes(copy.dstPos), bytes, to) && fits;
  else
    to = end_in(copy.dstPtr, copy.dstPos);
  if (!fits) return outside(array);
  for (std::size_t z = 0; z < bytes.depth; ++z) {
    const cudaError_t error =
        copy_rows(to.first + z * to.slice, to.pitch, from.first + z * from.slice, from.pitch,
                  bytes.width, bytes.height, copy.kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

/// Returns the start of an array's memory; null without an array.
const void* start_of(cudaArray_const_t array) {
  return array != nullptr ? reinterpret_cast<const void*>(array->data) : nullptr;
}

/// Returns the start of a source or destination of cudaMemcpy3D.
const void* end_of(cudaArray_t array, const cudaPitchedPtr& memory) {
  return array != nullptr ? start_of(array) : memory.ptr;
}

cudaError_t copy_to(cudaArray_t array, std::size_t x, std::size_t y, const void* from,
                    std::size_t pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  End to;
  if (array == nullptr || !end_in(*array, {x, y, 0}, {width, height, 1}, to)) return outside(array);
  return copy_rows(to.first, to.pitch, from, pitch, width, height, kind);
}

cudaError_t copy_from(cudaArray_const_t array, std::size_t x, std::size_t y, void* to,
                      std::size_t pitch, std::size_t width, std::size_t height,
                      cudaMemcpyKind kind) {
  End from;
  if (array == nullptr || !end_in(*array, {x, y, 0}, {width, height, 1}, from))
    return outside(array);
  return copy_rows(to, pitch, from.first, from.pitch, width, height, kind);
}

/// Finds consecutive bytes in a two-dimensional array, across rows. Returns null without an array,
/// or if the bytes do not fit.
std::byte* run_in(cudaArray_const_t array, std::size_t x, std::size_t y, std::size_t bytes) {
  if (array == nullptr) return nullptr;
  const std::size_t first = y * array->row_bytes + x;
  if (first + bytes > array->row_bytes * array->rows) return nullptr;
  return reinterpret_cast<std::byte*>(array->data) + first;
}

cudaError_t copy_run(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return copy_rows(to, bytes, from, bytes, bytes, 1, kind);
}

}  // namespace

namespace warpwise::emulator::runtime {

bool is_texel(const cudaChannelFormatDesc& format) {
  const int bits = format.x;
  const bool size = bits == 8 || bits == 16 || bits == 32;
  const bool two = format.y == bits || (format.y == 0 && format.z == 0 && format.w == 0);
  const bool four = format.z == format.w && (format.z == 0 || format.z == bits);
  const bool kind = format.f == cudaChannelFormatKindSigned ||
                    format.f == cudaChannelFormatKindUnsigned ||
                    (format.f == cudaChannelFormatKindFloat && bits != 8);
  return size && two && four && kind;
}

}  // namespace warpwise::emulator::runtime

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width,
                            size_t height, unsigned int flags) {
  return make_array(array, format, {width, height, 0}, flags);
}
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                              cudaExtent extent, unsigned int flags) {
  return make_array(array, format, extent, flags);
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  if (array == nullptr) return cudaSuccess;
  const cudaError_t refused = refuse_unsafe_call();
  if (refused != cudaSuccess) return refused;
  if (array->is_freed) {
    if (checks_asked_for().has(warpwise::emulator::Check::memory)) {
      note_host_fault(warpwise::emulator::FaultKind::invalid_free, CallSite::here(),
                      "frees a CUDA array that was freed before");
    }
    return report(cudaErrorInvalidValue);
  }
  return guarded([&] {
    note_free(reinterpret_cast<const void*>(array->data), false);
    if (StreamOrder* const order = stream_order()) order->host_waits_for_all();
    emulated().device.free(array->data);
    array->is_freed = true;
    keep_freed(array);
    return cudaSuccess;
  });
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned int* flags,
                             cudaArray_t array) {
  if (array == nullptr) return report(cudaErrorInvalidValue);
  if (format != nullptr) *format = array->format;
  if (extent != nullptr) *extent = array->extent;
  if (flags != nullptr) *flags = array->flags;
  return cudaSuccess;
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  if (array == nullptr) return report(cudaErrorInvalidValue);
  *format = array->format;
  return cudaSuccess;
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* copy) {
  if (copy == nullptr) return report(cudaErrorInvalidValue);
  return wait_for_copy(end_of(copy->dstArray, copy->dstPtr), end_of(copy->srcArray, copy->srcPtr),
                       copy_slices(*copy));
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* copy, cudaStream_t stream) {
  if (copy == nullptr) return report(cudaErrorInvalidValue);
  return wait_for_copy(
      end_of(copy->dstArray, copy->dstPtr), end_of(copy->srcArray, copy->srcPtr),
      run_or_capture(stream, cudaGraphNodeTypeMemcpy, [own = *copy] { return copy_slices(own); }),
      stream);
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  return wait_for_copy(start_of(to), from, copy_to(to, x, y, from, pitch, width, height, kind));
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from,
                                     size_t pitch, size_t width, size_t height, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  return report(run_or_capture(stream, cudaGraphNodeTypeMemcpy, [=] {
    return copy_to(to, x, y, from, pitch, width, height, kind);
  }));
}
cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
  return wait_for_copy(to, start_of(from), copy_from(from, x, y, to, pitch, width, height, kind));
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return wait_for_copy(
      to, start_of(from),
      run_or_capture(stream, cudaGraphNodeTypeMemcpy,
                     [=] { return copy_from(from, x, y, to, pitch, width, height, kind); }),
      stream);
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t x, size_t y, size_t width,
                                     size_t height, cudaMemcpyKind kind) {
  End end;
  if (from == nullptr || !end_in(*from, {x, y, 0}, {width, height, 1}, end)) return outside(from);
  return copy_to(to, to_x, to_y, end.first, end.pitch, width, height, kind);
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                              cudaMemcpyKind kind) {
  return wait_for_copy(start_of(to), from, copy_run(run_in(to, x, y, bytes), from, bytes, kind));
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from,
                                   size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return report(run_or_capture(stream, cudaGraphNodeTypeMemcpy, [=] {
    return copy_run(run_in(to, x, y, bytes), from, bytes, kind);
  }));
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
  return wait_for_copy(to, start_of(from), copy_run(to, run_in(from, x, y, bytes), bytes, kind));
}
cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y,
                                     size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return wait_for_copy(
      to, start_of(from),
      run_or_capture(stream, cudaGraphNodeTypeMemcpy,
                     [=] { return copy_run(to, run_in(from, x, y, bytes), bytes, kind); }),
      stream);
}
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                   size_t x, size_t y, size_t bytes, cudaMemcpyKind kind) {
  return copy_run(run_in(to, to_x, to_y, bytes), run_in(from, x, y, bytes), bytes, kind);
}

}  // extern "C"
