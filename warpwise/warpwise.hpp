#pragma once

// Everything that a program which uses Warpwise needs. No header below needs the CUDA toolkit.

#include "warpwise/algorithms/chain/chain.hpp"
#include "warpwise/algorithms/track/track.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/base/frame.hpp"
#include "warpwise/base/image.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/cpu/threads.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/graph.hpp"
#include "warpwise/gpu/sharing.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/primitives/convert/convert.hpp"
#include "warpwise/primitives/copy/copy.hpp"
#include "warpwise/primitives/disparity/disparity.hpp"
#include "warpwise/primitives/find/find.hpp"
#include "warpwise/primitives/gemv/gemv.hpp"
#include "warpwise/primitives/match/match.hpp"
#include "warpwise/primitives/sobel/sobel.hpp"
#include "warpwise/primitives/threshold/threshold.hpp"
