#pragma once

#include "warpwise/base/standard.hpp"

/// Marks a function or a class of the public interface. libwarpwise and libwarpwise_emulator export
/// no other symbols of Warpwise.
#define WARPWISE_EXPORT __attribute__((visibility("default")))
