#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/start_with.hpp"
#include "warpwise/primitives/convert/deep.cuh"
#include "warpwise/primitives/convert/deep_backends.hpp"

namespace warpwise::detail::convert {
namespace {

using namespace kernels::convert;  // NOLINT: the names of the arguments

template <class Byte>
bool has_aligned_codes(const Places<Byte>& places) {
  return reinterpret_cast<std::uintptr_t>(places.data) % 2 == 0 && places.pitch % 2 == 0;
}

bool is_for_hopper() {
  static gpu::HopperCode code;
  return code.is_for_hopper(deep_kernel<true, true>, "deep_kernel");
}

template <class Kernel, class... Values>
void start_over(Kernel kernel, const char* name, std::int64_t columns, std::int64_t rows,
                gpu::StreamHandle stream, Values... values) {
  const gpu::Launch<Kernel> launch{
      .kernel = kernel,
      .grid = {gpu::grid_x(gpu::blocks_for(columns, deep_block_threads)), gpu::grid_y(rows)},
      .block = {deep_block_threads},
      .parameters = gpu::Parameters::of(values...)};
  gpu::start_early(is_for_hopper(), kernel, launch, name, stream);
}

}  // namespace

void deep_cuda(const DeepArguments& arguments, bool to_planes, gpu::StreamHandle stream) {
  gpu::require_device();
  bool aligned = true;
  for (int i = 0; i < 3; ++i) {
    aligned = aligned && has_aligned_codes(arguments.src[i]) && has_aligned_codes(arguments.dst[i]);
  }
  auto* const kernel = to_planes ? (aligned ? deep_kernel<true, true> : deep_kernel<true, false>)
                                 : (aligned ? deep_kernel<false, true> : deep_kernel<false, false>);
  const long long columns = gpu::blocks_for(arguments.width, arguments.across);
  const long long rows = gpu::blocks_for(arguments.height, arguments.down);
  start_over(kernel, "deep_kernel", columns, rows, stream, arguments, columns, rows);
}

void bytes_cuda(const ByteArguments& arguments, gpu::StreamHandle stream) {
  gpu::require_device();
  auto* const kernel = arguments.rule == ByteRule::mean ? bytes_kernel<ByteSource::bytes>
                       : has_aligned_codes(arguments.src)
                           ? bytes_kernel<ByteSource::codes>
                           : bytes_kernel<ByteSource::unaligned_codes>;
  start_over(kernel, "bytes_kernel", arguments.columns, arguments.rows, stream, arguments);
}

}  // namespace warpwise::detail::convert
