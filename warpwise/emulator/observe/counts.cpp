#include "warpwise/emulator/observe/counts.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "warpwise/emulator/execute/address_scan.hpp"

namespace warpwise::emulator {
namespace {

constexpr std::size_t patterns_of_site = 8;  // accesses in loops alternate between a few alignments
constexpr std::size_t kept_shapes = 512;     // they fit into an L2 cache beside other data

}  // namespace

Counts::Counts(const Launch& launch)
    : Observer(launch), code_(launch.code), block_threads_(launch.block.count()), ccs_(launch.ccs),
      operations_(launch.code->operations.size()),
      host_counts_(launch.host_code != nullptr ? host_counts(*launch.code) : 0),
      sites_(launch.code->sites.size() * counted_spaces * launch.ccs.size()) {}

void Counts::on_block_begin(Block& block) {
  for (Warp& warp : block.warps) {
    warp.accesses = 0;
    warp.host_counts = host_counts_.data();
  }
}

void Counts::on_block_end(const Block& block) {
  std::uint64_t rounds = 0;
  for (const Warp& warp : block.warps) rounds = std::max(rounds, warp.accesses);
  thread_rounds_ += rounds * block_threads_;
}

Counts::Cost Counts::cost_of(rules::ComputeCapability cc, Space space,
                             const rules::WarpAccess& access) {
  Cost cost;
  switch (space) {
    case Space::shared: cost.passes = rules::shared_passes(cc, access); break;
    case Space::constant: cost.passes = {rules::constant_passes(cc, access), 1}; break;
    default: {
      cost.traffic = space == Space::local ? rules::local_traffic(cc, access)
                                           : rules::global_traffic(cc, access);
      cost.ideal = space == Space::local ? rules::ideal_local_transactions(cc, access)
                                         : rules::ideal_global_transactions(cc, access);
    }
  }
  return cost;
}

void Counts::add(SiteCounts& counts, const Cost& cost, int lanes, int bytes) {
  ++counts.requests;
  counts.lanes += static_cast<std::uint64_t>(lanes);
  counts.bytes_requested += static_cast<std::uint64_t>(lanes) * static_cast<std::uint64_t>(bytes);
  counts.transactions_32 += static_cast<std::uint64_t>(cost.traffic.transactions_32);
  counts.transactions_64 += static_cast<std::uint64_t>(cost.traffic.transactions_64);
  counts.transactions_128 += static_cast<std::uint64_t>(cost.traffic.transactions_128);
  counts.passes += static_cast<std::uint64_t>(cost.passes.passes);
  counts.ideal +=
      static_cast<std::uint64_t>(cost.passes.passes > 0 ? cost.passes.ideal : cost.ideal);
}

const Counts::Cost* Counts::costs_of_shape(const rules::WarpAccess& request, Space space,
                                           std::size_t place) {
  const std::size_t n = ccs_.size();
  if (shapes_.empty()) {
    shapes_.resize(kept_shapes);
    shape_costs_.resize(kept_shapes * n);
  }
  const std::uint64_t first = request.addresses[std::countr_zero(request.active)];
  const std::uint64_t begin = first & ~std::uint64_t{255};
  const std::size_t slot = (place * patterns_of_site + (first >> 5 & 7)) % kept_shapes;
  Shape& shape = shapes_[slot];
  Cost* costs = shape_costs_.data() + slot * n;
  std::uint64_t different = shape.active ^ request.active;
  if (request.active == all_lanes) {
    different |= compare_offsets(request.addresses.data(), begin, shape.offsets.data());
  } else {
    for (int i = 0; i < warp_lanes; ++i) {
      const bool is_active = (request.active >> i & 1) != 0;
      different |= shape.offsets[i] ^ (is_active ? request.addresses[i] - begin : 0);
    }
  }
  if (different == 0 && shape.place == place && shape.bytes == request.bytes) return costs;
  shape.place = place;
  shape.active = request.active;
  shape.bytes = request.bytes;
  for (int i = 0; i < warp_lanes; ++i)
    shape.offsets[i] = (request.active >> i & 1) != 0 ? request.addresses[i] - begin : 0;
  for (std::size_t k = 0; k < n; ++k) costs[k] = cost_of(ccs_[k], space, request);
  return costs;
}

void Counts::count(const Access& access) {
  const auto site = static_cast<std::size_t>(access.site);
  if (code_->sites[site].compiler_local) return;
  const std::size_t n = ccs_.size();
  const std::size_t place = site * counted_spaces + counted_space(access.space);
  SiteCounts* counts = sites_.data() + place * n;
  const std::uint64_t* addresses = access.addresses;
  const Mask active = access.lanes;
  const int lanes = active == all_lanes ? warp_lanes : std::popcount(active);
  const rules::WarpAccess request{std::span<const std::uint64_t, warp_lanes>(addresses, warp_lanes),
                                  active, access.bytes, access.kind == AccessKind::store};

  const int first = std::countr_zero(active);
  const std::uint64_t stride = first < warp_lanes - 1 && (active >> (first + 1) & 1) != 0
                                   ? addresses[first + 1] - addresses[first]
                                   : 0;
  const std::uint64_t base = addresses[first] - stride * static_cast<std::uint64_t>(first);
  // Tests if the lanes' addresses have a common step. For a whole warp, Access::steady already
  // holds the answer, except in local memory.
  const bool is_scanned = active == all_lanes && access.space != Space::local;
  std::uint64_t off = is_scanned && !access.steady ? 1 : 0;
  if (!is_scanned) {
    for (int i = 0; i < warp_lanes; ++i) {
      const std::uint64_t expected = base + stride * static_cast<std::uint64_t>(i);
      off |= (active >> i & 1) != 0 ? addresses[i] ^ expected : 0;
    }
  }
  if (off != 0) {
    const Cost* costs = costs_of_shape(request, access.space, place);
    for (std::size_t k = 0; k < n; ++k) add(counts[k], costs[k], lanes, access.bytes);
    return;
  }
  if (patterns_.empty()) {
    patterns_.resize(code_->sites.size() * counted_spaces * patterns_of_site);
    costs_.resize(patterns_.size() * n);
  }
  const auto low = static_cast<std::uint32_t>(base & 255);
  const std::size_t slot = place * patterns_of_site + (low >> 5);
  Pattern& pattern = patterns_[slot];
  Cost* costs = costs_.data() + slot * n;
  if (!pattern.filled || pattern.stride != stride || pattern.active != active ||
      pattern.base != low || pattern.bytes != access.bytes) {
    pattern = {stride, active, low, access.bytes, true};
    for (std::size_t k = 0; k < n; ++k) costs[k] = cost_of(ccs_[k], access.space, request);
  }
  for (std::size_t k = 0; k < n; ++k) add(counts[k], costs[k], lanes, access.bytes);
}

void Counts::on_texture_read(Warp& warp, const Operation& op, const TextureRead& read) {
  ++warp.accesses;
  const std::size_t n = ccs_.size();
  SiteCounts* counts = sites_.data() + static_cast<std::size_t>(op.site) * counted_spaces * n;
  for (std::size_t k = 0; k < n; ++k) {
    ++counts[k].requests;
    counts[k].lanes += static_cast<std::uint64_t>(std::popcount(read.lanes));
  }
}

}  // namespace warpwise::emulator
