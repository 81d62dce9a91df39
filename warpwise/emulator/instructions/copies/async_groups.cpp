#include "warpwise/emulator/instructions/copies/async_groups.hpp"

#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator {
namespace {

template <class Observers>
void async_group(Warp& warp, const Operation& op) {
  const auto flags = flags_of<GroupFlags>(op);
  auto& observers = Observers::of(warp);
  if (flags.commits != 0) observers.on_group_commit(warp, flags.what, warp.active);
  if (flags.waits != 0)
    observers.on_group_wait(warp, flags.what, warp.active, flags.left, flags.reads_only != 0);
}

}  // namespace

Handler async_group_handler(ObserverSet observers) {
  return with_observers(
      observers, [](auto set) -> Handler { return async_group<typename decltype(set)::type>; });
}

}  // namespace warpwise::emulator
