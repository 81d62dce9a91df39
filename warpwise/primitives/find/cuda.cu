#include "warpwise/primitives/find/backends.hpp"
