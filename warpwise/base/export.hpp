#pragma once

#include "warpwise/base/standard.hpp"

/// Before a function or a class of the public interface: the shared libraries show these symbols
/// and no others.
#define WARPWISE_EXPORT __attribute__((visibility("default")))
