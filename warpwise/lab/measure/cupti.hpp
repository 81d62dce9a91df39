#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

// Declares what counters.hpp needs of CUPTI, NVIDIA's library that reads a GPU's counters. The
// structures have the layouts of cupti_result.h, cupti_target.h, cupti_profiler_host.h and
// cupti_range_profiler.h since CUDA 12.6, and our own names. The build needs none of these headers,
// and nothing links the library. docs/decisions/2026-11-22-counters.md gives the reasons.
namespace warpwise::lab::cupti {

using Result = int;
constexpr Result success = 0;
constexpr Result hardware_busy = 26;
constexpr Result virtualized_device = 33;
constexpr Result insufficient_privileges = 35;
constexpr Result virtualized_device_insufficient_privileges = 40;
constexpr Result mig_device = 43;

// Handles of the library's opaque objects. A Context is a CUcontext.
using Host = void*;
using Profiler = void*;
using Context = void*;

// The caller sets the first word of each parameter block to the block's size. CUPTI sets "out"
// members.
struct Plain {
  std::size_t struct_size;
  void* reserved;
};

struct ChipName {
  std::size_t struct_size;
  void* reserved;
  std::size_t device;
  const char* name;  // out
};

struct HostInitialize {
  std::size_t struct_size;
  void* reserved;
  int profiler_type;  // 0: the range profiler
  const char* chip;
  const std::uint8_t* availability;  // may be null
  Host host;                         // out
};

struct HostOnly {
  std::size_t struct_size;
  void* reserved;
  Host host;
};

struct AddMetrics {
  std::size_t struct_size;
  void* reserved;
  Host host;
  const char** names;
  std::size_t count;
};

struct ConfigImageSize {
  std::size_t struct_size;
  void* reserved;
  Host host;
  std::size_t bytes;  // out
};

struct ConfigImage {
  std::size_t struct_size;
  void* reserved;
  Host host;
  std::size_t bytes;
  std::uint8_t* image;  // out
};

struct PassCount {
  std::size_t struct_size;
  void* reserved;
  std::size_t bytes;
  std::uint8_t* image;
  std::size_t passes;  // out
};

struct Evaluate {
  std::size_t struct_size;
  void* reserved;
  Host host;
  const std::uint8_t* data;
  std::size_t bytes;
  std::size_t range;
  const char** names;
  std::size_t count;
  double* values;  // out
};

struct Enable {
  std::size_t struct_size;
  void* reserved;
  Context context;
  Profiler profiler;  // out
};

struct ProfilerOnly {  // parameters of disable and start
  std::size_t struct_size;
  void* reserved;
  Profiler profiler;
};

struct DataSize {
  std::size_t struct_size;
  void* reserved;
  Profiler profiler;
  const char** names;
  std::size_t count;
  std::size_t most_ranges;
  std::uint32_t most_tree_nodes;
  std::size_t bytes;  // out
};

struct InitializeData {
  std::size_t struct_size;
  void* reserved;
  Profiler profiler;
  std::size_t bytes;
  std::uint8_t* data;  // out
};

constexpr int auto_range = 1;   // one range per kernel
constexpr int user_replay = 3;  // the caller runs the kernels once per pass

struct SetConfig {
  std::size_t struct_size;
  void* reserved;
  Profiler profiler;
  std::size_t config_bytes;
  const std::uint8_t* config;
  std::size_t data_bytes;
  std::uint8_t* data;
  int range;
  int replay;
  std::size_t most_ranges_per_pass;
  std::uint16_t nesting_levels;
  std::uint16_t least_nesting_level;
  std::size_t pass;
  std::uint16_t target_nesting_level;
};

struct Stop {
  std::size_t struct_size;
  void* reserved;
  Profiler profiler;
  std::size_t pass;                  // out
  std::size_t target_nesting_level;  // out
  std::uint8_t all_passes_done;      // out
};

struct Decode {
  std::size_t struct_size;
  void* reserved;
  Profiler profiler;
  std::size_t dropped_ranges;  // out
};

struct DataInfo {
  std::size_t struct_size;
  void* reserved;
  const std::uint8_t* data;
  std::size_t bytes;
  std::size_t ranges;  // out
};

/// Number of bytes up to the end of the last member, without the padding after it.
template <class Parameters>
constexpr std::size_t size_of = sizeof(Parameters);
template <>
constexpr std::size_t size_of<SetConfig> =
    offsetof(SetConfig, target_nesting_level) + sizeof(std::uint16_t);
template <>
constexpr std::size_t size_of<Stop> = offsetof(Stop, all_passes_done) + sizeof(std::uint8_t);

/// The library's functions.
struct Library {
  /// Loads the first of `paths` that has all functions. If none does, returns null and gives the
  /// reason for each in `why_not`.
  static std::shared_ptr<const Library> load(std::span<const std::filesystem::path> paths,
                                             std::string& why_not);

  /// Returns the name of a result, such as "CUPTI_ERROR_NOT_SUPPORTED".
  std::string text_of(Result result) const;

  std::string path;
  Result (*result_string)(Result, const char**) = nullptr;
  Result (*initialise)(Plain*) = nullptr;
  Result (*chip_name)(ChipName*) = nullptr;
  Result (*host_initialize)(HostInitialize*) = nullptr;
  Result (*host_deinitialize)(HostOnly*) = nullptr;
  Result (*add_metrics)(AddMetrics*) = nullptr;
  Result (*config_image_size)(ConfigImageSize*) = nullptr;
  Result (*config_image)(ConfigImage*) = nullptr;
  Result (*pass_count)(PassCount*) = nullptr;
  Result (*evaluate)(Evaluate*) = nullptr;
  Result (*enable)(Enable*) = nullptr;
  Result (*disable)(ProfilerOnly*) = nullptr;
  Result (*data_size)(DataSize*) = nullptr;
  Result (*initialize_data)(InitializeData*) = nullptr;
  Result (*set_config)(SetConfig*) = nullptr;
  Result (*start)(ProfilerOnly*) = nullptr;
  Result (*stop)(Stop*) = nullptr;
  Result (*decode)(Decode*) = nullptr;
  Result (*data_info)(DataInfo*) = nullptr;
};

/// Returns pointers to the texts of `names`, because CUPTI takes lists of C strings. `names` has to
/// outlive the pointers.
std::vector<const char*> pointers(const std::vector<std::string>& names);

/// Returns the CUDA driver's current context of this thread; null without a driver or a context.
Context current_context();

}  // namespace warpwise::lab::cupti
