#include "warpwise/emulator/fidelity.hpp"

#include <algorithm>

#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator {
namespace {

ModelledUse& use_of(std::vector<ModelledUse>& all, Modelled what) {
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const ModelledUse& each) { return each.what >= what; });
  if (at != all.end() && at->what == what) return *at;
  ModelledUse fresh;
  fresh.what = what;
  return *all.insert(at, fresh);
}

void add(std::vector<ModelledUse>& all, const ModelledUse& use) {
  ModelledUse& own = use_of(all, use.what);
  own.may_reach_branch = own.may_reach_branch || use.may_reach_branch;
  own.may_reach_result = own.may_reach_result || use.may_reach_result;
  own.lines.insert(own.lines.end(), use.lines.begin(), use.lines.end());
  std::sort(own.lines.begin(), own.lines.end());
  own.lines.erase(std::unique(own.lines.begin(), own.lines.end()), own.lines.end());
}

}  // namespace

std::string_view meaning_of(Modelled what) {
  switch (what) {
    case Modelled::approximation:
      return "approximate functions: their last bits may differ from a GPU's";
    case Modelled::matrix_sum:
      return "sums in matrix instructions: a GPU's order of summation is not known";
    case Modelled::contraction:
      return "products and sums that machine code may fuse and round once";
    case Modelled::texture_filter: return "filtered texels: their last bits may differ";
    case Modelled::order:
      return "the order of threads: atomics, addresses from malloc, and reads of other threads' "
             "writes";
    case Modelled::placement: return "numbers of multiprocessors, warps and grids";
    case Modelled::clock: return "clocks";
    case Modelled::asynchrony: return "asynchronous copies, executed when they are issued";
  }
  return "";
}

void add_uses(std::vector<ModelledUse>& all, const std::vector<ModelledUse>& more) {
  for (const ModelledUse& use : more) add(all, use);
}

std::string reach_of(const ModelledUse& use) {
  if (use.what == Modelled::asynchrony) return "the copied data is exact";
  return use.may_reach_branch   ? "may have reached a branch"
         : use.may_reach_result ? "may have reached a result"
                                : "reached no branch and no result";
}

std::string fidelity_line(const std::vector<ModelledUse>& all) {
  // Results of racing threads are inexact too, but only a race check detects them.
  if (all.empty()) return "every result is exact if no threads race";
  std::string text;
  for (const ModelledUse& use : all) {
    text +=
        (text.empty() ? "" : "; ") + std::string(meaning_of(use.what)) + " (" + reach_of(use) + ")";
  }
  return "not exact: " + text;
}

}  // namespace warpwise::emulator
