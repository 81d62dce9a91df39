#include <fmt/format.h>
#include <fmt/ranges.h>

#include <climits>
#include <nlohmann/json.hpp>
#include <optional>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/lab/lab.hpp"
#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/rules/rules.hpp"

namespace warpwise::cli {
namespace {

using Json = nlohmann::ordered_json;

// Maximum number of rows, which is more than anybody reads or plots.
constexpr std::size_t most_rows = 1'000'000;

// Parses "16", "8,16", "32:256" or "32:256:32"; ranges include both ends.
std::vector<int> parse_numbers(std::string_view option, std::string_view text, int least) {
  const auto integer = [&](std::string_view part, int from) {
    return static_cast<int>(parse_integer(option, part, from, INT_MAX));
  };
  std::vector<int> numbers;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const std::size_t colon = item.find(':');
    const int first = integer(item.substr(0, colon), least);
    int last = first;
    int step = 1;
    if (colon != std::string_view::npos) {
      const std::string_view behind = item.substr(colon + 1);
      const std::size_t second = behind.find(':');
      last = integer(behind.substr(0, second), first);
      if (second != std::string_view::npos) step = integer(behind.substr(second + 1), 1);
    }
    if ((std::int64_t{last} - first) / step >= static_cast<std::int64_t>(most_rows)) {
      throw UsageError(fmt::format("{} {} has more than {} numbers", option, item, most_rows));
    }
    for (std::int64_t each = first; each <= last; each += step) {
      numbers.push_back(static_cast<int>(each));
    }
    if (comma == std::string_view::npos) return numbers;
    rest.remove_prefix(comma + 1);
  }
}

struct Row {
  rules::ComputeCapability cc;
  rules::BlockResources block;
  std::string cannot_run;  ///< reason; if set, the members below are not set
  rules::Occupancy occupancy;
  int registers_up_to = 0;  ///< most registers per thread with the same blocks_per_sm
  int shared_up_to = 0;     ///< most bytes per block with the same blocks_per_sm
};

int blocks_of(rules::ComputeCapability cc, const rules::BlockResources& block) {
  try {
    return rules::occupancy(cc, block).blocks_per_sm;
  } catch (const InvalidArgument&) {
    return 0;
  }
}

// Returns the largest amount of a resource, up to `most`, with which an SM still holds `blocks`
// blocks. Finds it by bisection, because more of a resource never allows more blocks.
int up_to(rules::ComputeCapability cc, rules::BlockResources block,
          int rules::BlockResources::* resource, int most, int blocks) {
  int kept = block.*resource;
  int lost = most + 1;
  while (lost - kept > 1) {
    block.*resource = kept + (lost - kept) / 2;
    (blocks_of(cc, block) == blocks ? kept : lost) = block.*resource;
  }
  return kept;
}

Row row_of(rules::ComputeCapability cc, const rules::BlockResources& block) {
  Row row;
  row.cc = cc;
  row.block = block;
  try {
    row.occupancy = rules::occupancy(cc, block);
  } catch (const InvalidArgument& error) {
    row.cannot_run = error.what();
    return row;
  }
  const rules::SmLimits limits = rules::sm_limits(cc);
  const int blocks = row.occupancy.blocks_per_sm;
  row.registers_up_to = up_to(cc, block, &rules::BlockResources::registers_per_thread,
                              limits.max_registers_per_thread, blocks);
  row.shared_up_to =
      up_to(cc, block, &rules::BlockResources::shared_bytes, limits.max_shared_per_block, blocks);
  return row;
}

Json json_of(const Row& row) {
  Json object = {{"compute_capability", rules::to_string(row.cc)},
                 {"threads", row.block.threads},
                 {"registers", row.block.registers_per_thread},
                 {"shared_bytes", row.block.shared_bytes}};
  if (!row.cannot_run.empty()) {
    object["cannot_run"] = row.cannot_run;
    return object;
  }
  object["blocks_per_sm"] = row.occupancy.blocks_per_sm;
  object["warps_per_sm"] = row.occupancy.warps_per_sm;
  object["occupancy"] = row.occupancy.fraction;
  object["limited_by"] = name_of(row.occupancy.limiter);
  object["registers_up_to"] = row.registers_up_to;
  object["shared_bytes_up_to"] = row.shared_up_to;
  return object;
}

// Lines have at most 80 characters, the usual width of a terminal.
constexpr const char* heading =
    "  regs, shared      registers of a thread and bytes of shared memory of a block\n"
    "  occ.              occupancy: resident warps, as a share of the maximum\n"
    "  limited by        the limiting resource; warps and blocks are the SM's slots\n"
    "  regs<=, shared<=  the largest values with this number of blocks\n"
    "\n"
    "CC   threads  regs  shared  blocks  warps    occ.  limited by    regs<= shared<=\n";

std::string text_of(const Row& row) {
  const std::string text =
      fmt::format("{:<4}{:>8}  {:>4}  {:>6}", rules::to_string(row.cc), row.block.threads,
                  row.block.registers_per_thread, row.block.shared_bytes);
  if (!row.cannot_run.empty()) return text + "  " + row.cannot_run + "\n";
  const rules::Occupancy& occupancy = row.occupancy;
  return text + fmt::format("  {:>6}  {:>5}  {:>5.1f}%  {:<13} {:>6} {:>8}\n",
                            occupancy.blocks_per_sm, occupancy.warps_per_sm,
                            100 * occupancy.fraction, name_of(occupancy.limiter),
                            row.registers_up_to, row.shared_up_to);
}

std::string csv_of(const Row& row) {
  const std::string text = fmt::format("{},{},{},{},", rules::to_string(row.cc), row.block.threads,
                                       row.block.registers_per_thread, row.block.shared_bytes);
  if (!row.cannot_run.empty()) return text + ",,,,,,\"" + row.cannot_run + "\"\n";
  const rules::Occupancy& occupancy = row.occupancy;
  return text + fmt::format("{},{},{},{},{},{},\n", occupancy.blocks_per_sm, occupancy.warps_per_sm,
                            occupancy.fraction, name_of(occupancy.limiter), row.registers_up_to,
                            row.shared_up_to);
}

class LabOccupancy final : public Command {
 public:
  explicit LabOccupancy(CLI::App& app) {
    add_modelled_gpu_options(
        app, "Compute capabilities: 1.3,2.0,9.0 (default: 9.0)",
        "GPU whose compute capability to use instead of --cc: h200, another profile's "
        "name or FILE.json",
        modelled_gpus_);
    add_numbers(app, "--block-threads", "Threads of a block", 1, threads_);
    add_deprecated_option(app, "--threads", "--block-threads");
    add_numbers(app, "--registers", "Registers of a thread (default: 0, no limit by registers)", 0,
                registers_);
    add_numbers(app, "--shared",
                "Bytes of shared memory of a block, static and dynamic (default: 0). Before CC 2.0 "
                "a launch adds 16 bytes and its arguments",
                0, shared_);
    app.add_flag("--json", json_, "Print one JSON object");
    app.add_flag("--csv", csv_, "Print comma-separated values");
  }

  void execute() const override {
    if (json_ && csv_) throw UsageError("--json and --csv exclude each other");
    if (threads_.empty()) {
      throw UsageError(
          "lab occupancy needs --block-threads N, the threads of a block; a list such as 64,128 or "
          "a "
          "range such as 32:1024:32 makes a table");
    }
    const std::vector<Row> rows = all_rows();
    const bool any_runs = std::any_of(rows.begin(), rows.end(),
                                      [](const Row& row) { return row.cannot_run.empty(); });
    if (!any_runs) throw InvalidArgument(rows.front().cannot_run);
    if (json_) {
      Json list = Json::array();
      for (const Row& each : rows) list.push_back(json_of(each));
      print(text_of_json(Json{{"occupancy", list}}, 1));
      return;
    }
    std::string text =
        csv_ ? "compute_capability,threads,registers,shared_bytes,blocks_per_sm,warps_per_sm,"
               "occupancy,limited_by,registers_up_to,shared_bytes_up_to,cannot_run\n"
             : heading;
    for (const Row& each : rows) text += csv_ ? csv_of(each) : text_of(each);
    print(text);
  }

 private:
  static void add_numbers(CLI::App& app, const std::string& option, const std::string& help,
                          int least, std::vector<int>& numbers) {
    app.add_option_function<std::string>(
           option,
           [&numbers, option, least](const std::string& text) {
             numbers = parse_numbers(option, text, least);
           },
           help)
        ->type_name("LIST");
  }

  std::vector<Row> all_rows() const {
    const std::vector<rules::ComputeCapability> capabilities = modelled_gpus_.all();
    const double count =
        static_cast<double>(capabilities.size()) * static_cast<double>(threads_.size()) *
        static_cast<double>(registers_.size()) * static_cast<double>(shared_.size());
    if (count > static_cast<double>(most_rows)) {
      throw UsageError(fmt::format("the table would have {:.0f} rows; at most {} are possible",
                                   count, most_rows));
    }
    std::vector<Row> rows;
    for (const rules::ComputeCapability cc : capabilities) {
      for (const int threads : threads_) {
        for (const int registers : registers_) {
          for (const int shared : shared_) rows.push_back(row_of(cc, {threads, registers, shared}));
        }
      }
    }
    return rows;
  }

  ModelledGpus modelled_gpus_;
  std::vector<int> threads_;
  std::vector<int> registers_ = {0};
  std::vector<int> shared_ = {0};
  bool json_ = false;
  bool csv_ = false;
};

}  // namespace

std::unique_ptr<Command> add_lab_occupancy(CLI::App& lab) {
  return std::make_unique<LabOccupancy>(
      *lab.add_subcommand("occupancy",
                          "Compute occupancy: the blocks and warps of a kernel that an SM holds at "
                          "once, and the limiting resource"));
}

}  // namespace warpwise::cli
