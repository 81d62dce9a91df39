#pragma once

// Everything that a program which uses Warpwise needs. No header below needs the CUDA toolkit.

#include "warpwise/base/error.hpp"
#include "warpwise/base/frame.hpp"
#include "warpwise/base/image.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/graph.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/primitives/copy/copy.hpp"
#include "warpwise/primitives/gemv/gemv.hpp"
