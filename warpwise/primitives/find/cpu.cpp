#include "warpwise/primitives/find/backends.hpp"
namespace warpwise::detail {
Finding find_cpu(ConstHostView, ConstHostView, const std::optional<HostView>&, Measure) { return {}; }
}
