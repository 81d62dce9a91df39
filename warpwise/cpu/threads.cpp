#include "warpwise/cpu/threads.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>

#include <tbb/global_control.h>
#include <tbb/info.h>

#include "warpwise/base/error.hpp"

namespace warpwise::cpu {

void limit_threads(int threads) {
  if (threads < 0)
    throw InvalidArgument("threads are " + std::to_string(threads) + "; the least is 0, no limit");
  static std::mutex mutex;
  static std::unique_ptr<tbb::global_control> limit;
  const std::lock_guard one_at_a_time(mutex);
  limit.reset();  // the old limit would still count if it is lower
  // Caps the limit, because oneTBB takes memory for each allowed thread. No call uses so many.
  const int most = std::max(256, 4 * tbb::info::default_concurrency());
  if (threads > 0) {
    limit =
        std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                              static_cast<std::size_t>(std::min(threads, most)));
  }
}

}  // namespace warpwise::cpu
