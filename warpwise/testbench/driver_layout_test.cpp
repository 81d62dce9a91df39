// Compares the structures of driver.hpp with NVIDIA's header, if it is installed.
#include <gtest/gtest.h>

#include "warpwise/testbench/driver.hpp"

#if __has_include(<cuda.h>)

#include <cuda.h>

namespace warpwise::testbench::driver {
namespace {

#define PLACE(OURS, MEMBER, THEIRS, THEIR_MEMBER) \
  static_assert(offsetof(OURS, MEMBER) == offsetof(THEIRS, THEIR_MEMBER))

static_assert(sizeof(Resource) == sizeof(CUDA_RESOURCE_DESC));
PLACE(Resource, type, CUDA_RESOURCE_DESC, resType);
PLACE(Resource, of.linear.format, CUDA_RESOURCE_DESC, res.linear.format);
PLACE(Resource, of.linear.channels, CUDA_RESOURCE_DESC, res.linear.numChannels);
PLACE(Resource, of.linear.bytes, CUDA_RESOURCE_DESC, res.linear.sizeInBytes);
PLACE(Resource, of.pitched.width, CUDA_RESOURCE_DESC, res.pitch2D.width);
PLACE(Resource, of.pitched.height, CUDA_RESOURCE_DESC, res.pitch2D.height);
PLACE(Resource, of.pitched.pitch_bytes, CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes);
PLACE(Resource, flags, CUDA_RESOURCE_DESC, flags);
static_assert(Resource::is_linear == CU_RESOURCE_TYPE_LINEAR);
static_assert(Resource::is_pitched == CU_RESOURCE_TYPE_PITCH2D);

static_assert(sizeof(Reading) == sizeof(CUDA_TEXTURE_DESC));
PLACE(Reading, address_modes, CUDA_TEXTURE_DESC, addressMode);
PLACE(Reading, filter, CUDA_TEXTURE_DESC, filterMode);
PLACE(Reading, flags, CUDA_TEXTURE_DESC, flags);
PLACE(Reading, border_colour, CUDA_TEXTURE_DESC, borderColor);
static_assert(Reading::as_integers == CU_TRSF_READ_AS_INTEGER);
static_assert(Reading::normalised_coordinates == CU_TRSF_NORMALIZED_COORDINATES);

}  // namespace
}  // namespace warpwise::testbench::driver

#endif
