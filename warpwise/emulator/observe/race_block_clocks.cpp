#include "warpwise/emulator/observe/race_block_clocks.hpp"

#include <utility>

namespace warpwise::emulator {
namespace {

// The tree holds 16^8 blocks; no grid that runs here has more.
constexpr int tallest = 8;
constexpr std::size_t fan_out = 16;

std::size_t branch(std::uint64_t block, int height) {
  return block >> (4 * (height - 1)) & (fan_out - 1);
}

}  // namespace

void Clock::add(std::size_t warp, Mask of, Time until) {
  if (until <= all[warp]) return;
  if (of == all_lanes) {
    all[warp] = until;
    return;
  }
  lanes[warp] = some[warp] > all[warp] ? lanes[warp] | of : of;
  some[warp] = some[warp] < until ? until : some[warp];
}

bool covers(const Clock& a, const Clock& b, std::size_t warps) {
  for (std::size_t w = 0; w < warps; ++w) {
    if (a.all[w] < b.all[w]) return false;
    if (b.some[w] > a.all[w] && (b.some[w] > a.some[w] || (b.lanes[w] & ~a.lanes[w]) != 0))
      return false;
  }
  return true;
}

struct BlockClocks::Node {
  std::array<Tree, fan_out> below;
};

const Clock* BlockClocks::clock_of(std::uint64_t block) const {
  const void* at = root_.get();
  for (int height = tallest; height > 0 && at != nullptr; --height)
    at = static_cast<const Node*>(at)->below[branch(block, height)].get();
  return static_cast<const Clock*>(at);
}

Mask BlockClocks::lanes_at(std::uint64_t block, std::size_t warp, Time time) const {
  const Clock* clock = clock_of(block);
  return clock == nullptr ? 0 : clock->lanes_at(warp, time);
}

BlockClocks::Tree BlockClocks::with(const Tree& tree, int height, std::uint64_t block,
                                    const Clock& clock) {
  if (height == 0) return joined(tree, std::make_shared<const Clock>(clock), 0);
  const auto* old = static_cast<const Node*>(tree.get());
  const std::size_t at = branch(block, height);
  const Tree below = old == nullptr ? nullptr : old->below[at];
  Tree changed = with(below, height - 1, block, clock);
  if (changed == below) return tree;
  auto node = old == nullptr ? std::make_shared<Node>() : std::make_shared<Node>(*old);
  node->below[at] = std::move(changed);
  return node;
}

/// Merges two trees. Returns one of them if it covers the other.
BlockClocks::Tree BlockClocks::joined(const Tree& a, const Tree& b, int height) {
  if (b == nullptr || a == b) return a;
  if (a == nullptr) return b;
  if (height == 0) {
    const auto& x = *static_cast<const Clock*>(a.get());
    const auto& y = *static_cast<const Clock*>(b.get());
    if (emulator::covers(x, y)) return a;
    if (emulator::covers(y, x)) return b;
    Clock both = x;
    join(both, y);
    return std::make_shared<const Clock>(both);
  }
  const auto& x = *static_cast<const Node*>(a.get());
  const auto& y = *static_cast<const Node*>(b.get());
  std::shared_ptr<Node> both;  // only if it differs from a
  bool is_b = true;
  for (std::size_t i = 0; i < fan_out; ++i) {
    if (x.below[i] == y.below[i]) continue;
    Tree below = joined(x.below[i], y.below[i], height - 1);
    is_b = is_b && below == y.below[i];
    if (below == x.below[i]) continue;
    if (both == nullptr) both = std::make_shared<Node>(x);
    both->below[i] = std::move(below);
  }
  if (both == nullptr) return a;
  if (is_b) return b;
  return both;
}

bool BlockClocks::covers(const Tree& a, const Tree& b, int height) {
  if (b == nullptr || a == b) return true;
  if (a == nullptr) return false;
  if (height == 0)
    return emulator::covers(*static_cast<const Clock*>(a.get()),
                            *static_cast<const Clock*>(b.get()));
  const auto& x = *static_cast<const Node*>(a.get());
  const auto& y = *static_cast<const Node*>(b.get());
  for (std::size_t i = 0; i < fan_out; ++i) {
    if (!covers(x.below[i], y.below[i], height - 1)) return false;
  }
  return true;
}

bool BlockClocks::includes(const BlockClocks& others) const {
  return covers(root_, others.root_, tallest);
}

void BlockClocks::add(std::uint64_t block, const Clock& clock) {
  root_ = with(root_, tallest, block, clock);
}

bool BlockClocks::add(const BlockClocks& others) {
  if (includes(others)) return false;
  root_ = others.includes(*this) ? others.root_ : joined(root_, others.root_, tallest);
  return true;
}

}  // namespace warpwise::emulator
