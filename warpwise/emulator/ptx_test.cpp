#include "warpwise/emulator/ptx.hpp"
