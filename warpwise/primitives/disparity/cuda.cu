#include "warpwise/primitives/disparity/backends.hpp"
