#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "warpwise/emulator/emulator.hpp"

// Lets a program on the emulated runtime observe its launches and their cost.
namespace warpwise::emulator::runtime {

/// A finished launch; valid only during the call that receives it.
struct ObservedLaunch {
  const KernelInfo& kernel;
  Dim3 grid;
  Dim3 block;
  std::uint64_t dynamic_shared_bytes = 0;
  std::span<const std::byte> parameters;  ///< the kernel's parameter block
  std::string_view ptx;                   ///< PTX of the whole module
  const LaunchResult& result;
};

/// Receives launches. An exception that it throws becomes the launch's error.
struct Observer {
  void (*see)(void* context, const ObservedLaunch& launch) = nullptr;
  void* context = nullptr;
  LaunchOptions options;  ///< options of every launch; read when the launch begins
};

/// Type of `warpwise_emulated_observe`, which the library exports for dlsym(). Passes all later
/// launches of the process to `observer`; null ends that. The caller owns the observer. Must not be
/// called while kernels run.
using Observe = void (*)(const Observer* observer);
inline constexpr const char* observe_name = "warpwise_emulated_observe";

}  // namespace warpwise::emulator::runtime
