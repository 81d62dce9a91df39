#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "warpwise/emulator/emulator.hpp"

// How a program that runs on the emulated runtime is told what its launches cost.
namespace warpwise::emulator::runtime {

/// A launch that has ended; nothing in it outlives the call that shows it.
struct ObservedLaunch {
  const KernelInfo& kernel;
  Dim3 grid;
  Dim3 block;
  std::uint64_t dynamic_shared_bytes = 0;
  std::span<const std::byte> parameters;  ///< as the kernel's parameter block has them
  std::string_view ptx;                   ///< of the whole module that the kernel is in
  const LaunchResult& result;
};

/// An exception that it throws is an error of the launch.
struct Observer {
  void (*see)(void* context, const ObservedLaunch& launch) = nullptr;
  void* context = nullptr;
  LaunchOptions options;  ///< of every launch, read when it begins
};

/// The type of `warpwise_emulated_observe`, which the library exports and dlsym() finds: from now
/// on every launch of the process is shown to `observer`, which stays the caller's; null ends it.
/// Not while kernels run.
using Observe = void (*)(const Observer* observer);
inline constexpr const char* observe_name = "warpwise_emulated_observe";

}  // namespace warpwise::emulator::runtime
