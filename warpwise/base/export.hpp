#pragma once

#include "warpwise/base/standard.hpp"

/// Marks a function or a class of the public interface. The shared libraries export these symbols
/// and no others.
#define WARPWISE_EXPORT __attribute__((visibility("default")))
