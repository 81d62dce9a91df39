#include "warpwise/cpu/threads.hpp"

#include <memory>
#include <mutex>
#include <string>

#include <tbb/global_control.h>

#include "warpwise/base/error.hpp"

namespace warpwise::cpu {

void limit_threads(int threads) {
  if (threads < 0)
    throw InvalidArgument("threads are " + std::to_string(threads) + "; the least is 0, no limit");
  static std::mutex mutex;
  static std::unique_ptr<tbb::global_control> limit;
  const std::lock_guard one_at_a_time(mutex);
  limit.reset();  // the old limit would still count if it is lower
  if (threads > 0) {
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  static_cast<std::size_t>(threads));
  }
}

}  // namespace warpwise::cpu
