#include "warpwise/emulator/execute/modelled_uses.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "warpwise/emulator/decode/modelled.hpp"
#include "warpwise/emulator/device.hpp"

namespace warpwise::emulator {
namespace {

bool filters(std::span<Worker* const> workers) {
  return std::any_of(workers.begin(), workers.end(), [](const Worker* worker) {
    return std::any_of(worker->textures.begin(), worker->textures.end(), [](const auto& each) {
      return each.second.texture.filter == FilterMode::linear;
    });
  });
}

std::vector<std::uint8_t> executed_by(const Code& code, std::span<Worker* const> workers) {
  std::vector<std::uint8_t> executed(code.modelled_handlers.size());
  for (const Worker* worker : workers) {
    for (std::size_t i = 0; i < executed.size(); ++i) executed[i] |= worker->modelled_executed[i];
  }
  if (filters(workers)) return executed;
  // A texture's filter is known only when the texture is read. A read of the nearest texel is
  // exact.
  for (const Code::ModelledOperation& each : code.modelled) {
    if (each.what == Modelled::texture_filter) executed[each.operation] = 0;
  }
  return executed;
}

}  // namespace

std::vector<ModelledUse> collect_modelled(const Launch& launch, std::span<Worker* const> workers) {
  const Code& code = *launch.code;
  const std::vector<std::uint8_t> executed = executed_by(code, workers);
  const ModelledReach reach = reach_of(code, executed, launch.device->modelled);
  launch.device->modelled |= reach.results;

  std::map<Modelled, std::set<SourcePlace>> lines;
  for (const Code::ModelledOperation& each : code.modelled) {
    if (executed[each.operation] == 0) continue;
    const ptx::SourceLine& source = code.counted_lines[each.operation];
    lines[each.what].insert({code.file_of(source), source.line});
  }
  // Inexact values from an earlier launch are reported if they reach a branch.
  for (const Modelled what : all_values<Modelled>()) {
    if ((reach.branches & set_of(what)) != 0) lines.try_emplace(what);
  }
  std::vector<ModelledUse> uses;
  for (const auto& [what, places] : lines) {
    uses.push_back({what,
                    {places.begin(), places.end()},
                    (reach.branches & set_of(what)) != 0,
                    (reach.results & set_of(what)) != 0});
  }
  return uses;
}

}  // namespace warpwise::emulator
