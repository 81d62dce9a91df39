// Replaces NVIDIA's CUPTI in counters_test.cpp. It logs the calls, and fails as the test asked
// for. A metric has the value 100 * kernel + the length of its name.
#include "warpwise/lab/measure/fake_cupti.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

#include "warpwise/lab/measure/cupti.hpp"

namespace {

using namespace warpwise::lab::cupti;

constexpr Result invalid = 1;
constexpr Result not_supported = 27;
constexpr int own_passes = 3;

struct State {
  std::string log;
  std::string failure;
  int kernels = 0;  // counted in this pass
  int pass = 0;
  int passes = 0;
  std::size_t most_kernels = 0;
  std::uint8_t* data = nullptr;
  bool counts = false;
  std::set<void*> hosts;
};

State& state() {
  static State the_state;
  return the_state;
}

struct FakeHost {
  bool patched = false;
};

template <class Parameters>
bool is_whole(const Parameters* parameters) {
  return parameters->struct_size == size_of<Parameters> && parameters->reserved == nullptr;
}

bool is_host(void* host) { return state().hosts.contains(host); }

// Returns the only profiler.
Profiler profiler() { return &state(); }

}  // namespace

extern "C" {

void fake_begin(const char* failure) {
  state().log.clear();
  state().failure = failure;
}
const char* fake_log() { return state().log.c_str(); }
int fake_hosts() { return static_cast<int>(state().hosts.size()); }
void fake_kernel() { state().kernels += state().counts ? 1 : 0; }

Result cuptiGetResultString(Result result, const char** text) {
  *text = result == insufficient_privileges ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
          : result == not_supported         ? "CUPTI_ERROR_NOT_SUPPORTED"
                                            : "CUPTI_ERROR_INVALID_PARAMETER";
  return success;
}

Result cuptiProfilerInitialize(Plain* p) { return is_whole(p) ? success : invalid; }

Result cuptiDeviceGetChipName(ChipName* p) {
  if (!is_whole(p) || p->device != 0) return invalid;
  p->name = "FAKE";
  return success;
}

Result cuptiProfilerHostInitialize(HostInitialize* p) {
  if (!is_whole(p) || std::strcmp(p->chip, "FAKE") != 0) return invalid;
  p->host = new FakeHost;
  state().hosts.insert(p->host);
  return success;
}

Result cuptiProfilerHostDeinitialize(HostOnly* p) {
  if (!is_whole(p) || state().hosts.erase(p->host) != 1) return invalid;
  delete static_cast<FakeHost*>(p->host);
  return success;
}

Result cuptiProfilerHostConfigAddMetrics(AddMetrics* p) {
  if (!is_whole(p) || !is_host(p->host)) return invalid;
  for (std::size_t i = 0; i < p->count; ++i) {
    if (std::strstr(p->names[i], "nothing") != nullptr) return invalid;
    static_cast<FakeHost*>(p->host)->patched = std::strstr(p->names[i], "sass") != nullptr;
  }
  return success;
}

Result cuptiProfilerHostGetConfigImageSize(ConfigImageSize* p) {
  if (!is_whole(p) || !is_host(p->host)) return invalid;
  p->bytes = 1;
  return success;
}

Result cuptiProfilerHostGetConfigImage(ConfigImage* p) {
  if (!is_whole(p) || !is_host(p->host) || p->bytes != 1) return invalid;
  p->image[0] = static_cast<FakeHost*>(p->host)->patched ? 1 : own_passes;
  return success;
}

Result cuptiProfilerHostGetNumOfPasses(PassCount* p) {
  if (!is_whole(p) || p->bytes != 1) return invalid;
  p->passes = p->image[0];
  return success;
}

Result cuptiRangeProfilerEnable(Enable* p) {
  state().log += "enable ";
  if (!is_whole(p) || p->context == nullptr) return invalid;
  if (state().failure == "enable") return insufficient_privileges;
  p->profiler = profiler();
  return success;
}

Result cuptiRangeProfilerDisable(ProfilerOnly* p) {
  state().log += "disable ";
  return is_whole(p) && p->profiler == profiler() ? success : invalid;
}

Result cuptiRangeProfilerGetCounterDataSize(DataSize* p) {
  if (!is_whole(p) || p->profiler != profiler() || p->most_tree_nodes < p->most_ranges) {
    return invalid;
  }
  p->bytes = 8;
  return success;
}

Result cuptiRangeProfilerCounterDataImageInitialize(InitializeData* p) {
  if (!is_whole(p) || p->profiler != profiler() || p->bytes != 8) return invalid;
  std::memset(p->data, 0, p->bytes);
  return success;
}

Result cuptiRangeProfilerSetConfig(SetConfig* p) {
  if (!is_whole(p) || p->profiler != profiler() || p->config_bytes != 1 || p->data_bytes != 8 ||
      p->range != auto_range || p->replay != user_replay || p->nesting_levels != 1) {
    return invalid;
  }
  if (state().failure == "patching" && p->config[0] == 1) return not_supported;
  state().passes = p->config[0];
  state().pass = 0;
  state().data = p->data;
  state().most_kernels = p->most_ranges_per_pass;
  return success;
}

Result cuptiRangeProfilerStart(ProfilerOnly* p) {
  state().log += "start ";
  if (!is_whole(p) || p->profiler != profiler()) return invalid;
  state().kernels = 0;
  state().counts = true;
  return success;
}

Result cuptiRangeProfilerStop(Stop* p) {
  state().log += "stop ";
  if (!is_whole(p) || p->profiler != profiler()) return invalid;
  state().counts = false;
  ++state().pass;
  p->all_passes_done = state().pass == state().passes && state().failure != "stop" ? 1 : 0;
  return success;
}

Result cuptiRangeProfilerDecodeData(Decode* p) {
  state().log += "decode ";
  if (!is_whole(p) || p->profiler != profiler()) return invalid;
  const std::size_t kernels = static_cast<std::size_t>(state().kernels);
  state().data[0] = static_cast<std::uint8_t>(std::min(kernels, state().most_kernels));
  return success;
}

Result cuptiRangeProfilerGetCounterDataInfo(DataInfo* p) {
  if (!is_whole(p) || p->bytes != 8) return invalid;
  p->ranges = p->data[0];
  return success;
}

Result cuptiProfilerHostEvaluateToGpuValues(Evaluate* p) {
  if (!is_whole(p) || !is_host(p->host) || p->range >= p->data[0]) return invalid;
  for (std::size_t i = 0; i < p->count; ++i) {
    p->values[i] =
        100.0 * static_cast<double>(p->range) + static_cast<double>(std::strlen(p->names[i]));
  }
  return success;
}
}
