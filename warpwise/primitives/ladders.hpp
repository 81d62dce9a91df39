#pragma once

#include "warpwise/primitives/shared/ladder.hpp"

// The ladders, each defined in its primitive's folder.
namespace warpwise::ladders {

const Ladder& convert_ladder();
const Ladder& copy_ladder();
const Ladder& gemv_ladder();
const Ladder& match_ladder();
const Ladder& sobel_ladder();
const Ladder& threshold_ladder();

}  // namespace warpwise::ladders
