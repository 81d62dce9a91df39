#pragma once

#include "warpwise/gpu/handles.hpp"
#include "warpwise/primitives/convert/deep_pixels.hpp"

// The GPU's part of convert_deep(), round_to_8_bits() and share_chroma() once their arguments are
// checked.
namespace warpwise::detail::convert {

void deep_cuda(const kernels::convert::DeepArguments& arguments, bool to_planes,
               gpu::StreamHandle stream);
/// Computes one component.
void bytes_cuda(const kernels::convert::ByteArguments& arguments, gpu::StreamHandle stream);

}  // namespace warpwise::detail::convert
