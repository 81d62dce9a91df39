#include "warpwise/emulator/instructions/modelled.hpp"

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

void run_modelled(Warp& warp, const Operation& op) {
  Worker& worker = *warp.worker;
  worker.modelled_executed[op.index] = 1;
  worker.code->modelled_handlers[op.index](warp, op);
}

}  // namespace warpwise::emulator
