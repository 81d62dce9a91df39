#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

std::string_view to_string(FaultKind kind) {
  switch (kind) {
    case FaultKind::out_of_bounds: return "out_of_bounds";
    case FaultKind::misaligned: return "misaligned";
    case FaultKind::deadlock: return "deadlock";
    case FaultKind::budget: return "budget";
    case FaultKind::trap: return "trap";
    case FaultKind::assertion: return "assertion";
  }
  return {};
}

std::string_view to_string(InstructionClass c) {
  static constexpr std::string_view names[] = {
      "integer",    "logic",   "float32", "float64", "half",   "special",
      "conversion", "compare", "move",    "load",    "store",  "atomic",
      "texture",    "shuffle", "tensor",  "barrier", "control"};
  return names[static_cast<int>(c)];
}

namespace {

// What no GPU exceeds (CC 9.0 has the most shared memory).
constexpr std::uint64_t most_shared_bytes = 227 * 1024;
constexpr std::uint64_t most_threads = 1024;

std::string to_text(Dim3 d) {
  return std::to_string(d.x) + "x" + std::to_string(d.y) + "x" + std::to_string(d.z);
}

void validate(const Code& code, Dim3 grid, Dim3 block, std::uint64_t shared_bytes,
              std::size_t parameter_bytes) {
  if (grid.count() == 0 || grid.x > 0x7fffffffU || grid.y > 65535 || grid.z > 65535) {
    throw InvalidArgument("a grid of " + to_text(grid) +
                          " blocks: x is 1 to 2147483647, y and z are 1 to 65535");
  }
  if (block.count() == 0 || block.x > 1024 || block.y > 1024 || block.z > 64 ||
      block.count() > most_threads) {
    throw InvalidArgument("a block of " + to_text(block) +
                          " threads: x and y are 1 to 1024, z is 1 to 64, all three "
                          "multiplied at most 1024");
  }
  if (shared_bytes > most_shared_bytes) {
    throw InvalidArgument("a block with " + std::to_string(shared_bytes) +
                          " bytes of shared memory: no GPU has more than " +
                          std::to_string(most_shared_bytes));
  }
  const std::size_t wanted =
      code.info.parameter_bytes.empty()
          ? 0
          : code.info.parameter_offsets.back() + code.info.parameter_bytes.back();
  if (parameter_bytes != wanted) {
    throw InvalidArgument("kernel '" + code.info.name + "' takes " + std::to_string(wanted) +
                          " bytes of parameters, not " + std::to_string(parameter_bytes));
  }
  const auto& required = code.info.required_threads;
  if (!required.empty()) {
    const Dim3 want{static_cast<std::uint32_t>(required[0]),
                    static_cast<std::uint32_t>(required.size() > 1 ? required[1] : 1),
                    static_cast<std::uint32_t>(required.size() > 2 ? required[2] : 1)};
    if (!(want == block)) {
      throw InvalidArgument("kernel '" + code.info.name + "' was compiled for blocks of " +
                            to_text(want) + " threads, not " + to_text(block));
    }
  }
}

Dim3 thread_index(std::uint32_t thread, Dim3 block) {
  return {thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
}

Dim3 block_index(std::uint64_t linear, Dim3 grid) {
  return {static_cast<std::uint32_t>(linear % grid.x),
          static_cast<std::uint32_t>(linear / grid.x % grid.y),
          static_cast<std::uint32_t>(linear / grid.x / grid.y)};
}

// ---- collecting what the workers counted

void add(TrafficCounts& to, const SiteCounts& from) {
  to.requests += from.requests;
  to.references += from.lanes;
  to.transactions_32 += from.transactions_32;
  to.transactions_64 += from.transactions_64;
  to.transactions_128 += from.transactions_128;
  to.bytes_requested += from.bytes_requested;
  to.bytes_moved +=
      32 * from.transactions_32 + 64 * from.transactions_64 + 128 * from.transactions_128;
  to.ideal_transactions += from.ideal;
}

void add(PassCounts& to, const SiteCounts& from) {
  to.requests += from.requests;
  to.passes += from.passes;
  to.ideal_passes += from.ideal;
}

/// Adds one site's counts of one space where they belong.
void add(MemoryCounts& to, const SiteCounts& from, int space, InstructionClass c,
         bool is_constant) {
  if (c == InstructionClass::texture) {
    to.texture_requests += from.requests;
    to.texture_references += from.lanes;
    return;
  }
  const bool is_atomic = c == InstructionClass::atomic;
  const bool is_store = c == InstructionClass::store;
  switch (space) {
    case 1:
      add(is_atomic ? to.shared_atomic : is_store ? to.shared_store : to.shared_load, from);
      break;
    case 2: add(is_store ? to.local_store : to.local_load, from); break;
    default:
      if (is_constant)
        add(to.constant, from);
      else
        add(is_atomic ? to.global_atomic : is_store ? to.global_store : to.global_load, from);
  }
}

struct Collector {
  const ptx::Module& module;
  const Code& code;
  const Launch& launch;
  std::vector<Worker>& workers;

  LaunchResult collect() {
    LaunchResult result;
    result.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    if (workers.front().counting) count(result);
    collect_faults(result);
    std::map<std::uint64_t, std::string> printed;
    for (Worker& worker : workers) printed.merge(worker.printed);
    for (const auto& [block, text] : printed) result.printed += text;
    return result;
  }

 private:
  std::string file_of(const ptx::SourceLine& source) const {
    const auto index = static_cast<std::size_t>(source.file);
    return source.file >= 0 && index < module.files.size() ? module.files[index] : std::string();
  }

  void count(LaunchResult& result) {
    const std::size_t ccs = launch.ccs.size();
    result.memory.resize(ccs);
    std::map<std::pair<std::string, int>, std::size_t> lines;
    std::array<std::uint64_t, instruction_classes> by_class{};
    for (std::size_t i = 0; i < code.operations.size(); ++i) {
      const Operation& op = code.operations[i];
      const std::pair key(file_of(code.lines[i]), code.lines[i].line);
      const auto [found, is_new] = lines.try_emplace(key, result.lines.size());
      if (is_new) {
        result.lines.push_back({key.first, key.second, {}, std::vector<MemoryCounts>(ccs)});
      }
      LineCounts& line = result.lines[found->second];
      const InstructionClass c = code.classes[i];
      for (const Worker& worker : workers) {
        const OperationCounts& own = worker.operations[i];
        for (ExecutionCounts* to : {&result.totals, &line.execution}) {
          to->warp_instructions += own.warps;
          to->thread_instructions += own.threads;
          if (op.control == Control::branch || op.control == Control::branch_indexed)
            to->branches += own.warps;
          to->divergent_branches += own.divergent;
          if (c == InstructionClass::barrier && op.control == Control::barrier)
            to->barriers += own.warps;
        }
        by_class[static_cast<std::size_t>(c)] += own.warps;
        if (op.site < 0) continue;
        // A copy to shared memory has a second site, of its load.
        const int sites = op.run == nullptr ? 0 : has_second_site(i) ? 2 : 1;
        for (int s = 0; s < sites; ++s) {
          const InstructionClass as =
              sites == 2 ? (s == 0 ? InstructionClass::store : InstructionClass::load) : c;
          add_site(worker, static_cast<std::size_t>(op.site + s), as, is_constant(op), result,
                   line);
        }
      }
    }
    for (int c = 0; c < instruction_classes; ++c) {
      const std::uint64_t n = by_class[static_cast<std::size_t>(c)];
      if (n > 0)
        result.instructions_by_class[std::string(to_string(static_cast<InstructionClass>(c)))] = n;
    }
    std::sort(result.lines.begin(), result.lines.end(),
              [](const LineCounts& x, const LineCounts& y) {
                return std::pair(x.file, x.line) < std::pair(y.file, y.line);
              });
  }

  bool has_second_site(std::size_t i) const { return code.names[i].substr(0, 9) == "cp.async."; }

  static bool is_constant(const Operation& op) {
    constexpr std::uint32_t shift = 24;
    return static_cast<Space>(op.variant >> shift & 7) == Space::constant;
  }

  void add_site(const Worker& worker, std::size_t site, InstructionClass c, bool constant,
                LaunchResult& result, LineCounts& line) const {
    const std::size_t ccs = launch.ccs.size();
    for (int space = 0; space < 3; ++space) {
      for (std::size_t k = 0; k < ccs; ++k) {
        const SiteCounts& counts =
            worker.sites[(site * 3 + static_cast<std::size_t>(space)) * ccs + k];
        if (counts.requests == 0) continue;
        add(result.memory[k], counts, space, c, constant);
        add(line.memory[k], counts, space, c, constant);
      }
    }
  }

  void collect_faults(LaunchResult& result) {
    // One fault for each kind on each line: the first, by block and thread.
    struct Key {
      FaultKind kind;
      std::string file;
      int line;
      auto operator<=>(const Key&) const = default;
    };
    std::map<Key, FaultRecord> merged;
    for (Worker& worker : workers) {
      for (const auto& [where, record] : worker.faults) {
        const ptx::SourceLine& source = code.lines[where.second];
        FaultRecord& to = merged[{where.first, file_of(source), source.line}];
        const std::uint64_t count = to.count + record.count;
        if (to.count == 0 ||
            std::pair(record.block, record.thread) < std::pair(to.block, to.thread))
          to = record;
        to.count = count;
      }
    }
    for (const auto& [key, record] : merged) {
      result.faults.push_back({key.kind, thread_index(record.thread, launch.block),
                               block_index(record.block, launch.grid), key.file, key.line,
                               record.count, record.message});
    }
  }
};

std::uint64_t next_program_number() {
  static std::atomic<std::uint64_t> next = 1;
  return next++;
}

/// The plain name in a mangled one: "_Z6squarePfi" has "square"; nested names their last part.
std::string plain_name(std::string_view mangled) {
  if (mangled.substr(0, 2) != "_Z") return std::string(mangled);
  std::size_t at = 2;
  while (at < mangled.size() && (mangled[at] == 'N' || mangled[at] == 'L' || mangled[at] == 'K'))
    ++at;
  std::string last;
  while (at < mangled.size() && mangled[at] >= '0' && mangled[at] <= '9') {
    std::size_t length = 0;
    while (at < mangled.size() && mangled[at] >= '0' && mangled[at] <= '9' &&
           length < mangled.size()) {
      length = length * 10 + static_cast<std::size_t>(mangled[at++] - '0');
    }
    if (length > mangled.size() - at) break;
    last = mangled.substr(at, length);
    at += length;
    if (at < mangled.size() && mangled[at] == 'L') ++at;
  }
  return last.empty() ? std::string(mangled) : last;
}

}  // namespace

struct Program::State {
  ptx::Module module;
  std::uint64_t number = next_program_number();
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<Code>, std::less<>> decoded;

  const ptx::Function& find(std::string_view name) const;
  const Code& code(std::string_view name);
  const std::vector<Address>& load(Device::State& device, Device& owner);
};

const ptx::Function& Program::State::find(std::string_view name) const {
  const ptx::Function* found = nullptr;
  std::string names;
  std::string matches;
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry || !function.has_body) continue;
    names += (names.empty() ? "" : ", ") + function.name;
    if (function.name == name) return function;
    if (plain_name(function.name) != name) continue;
    matches += (matches.empty() ? "" : ", ") + function.name;
    found = found == nullptr ? &function : found;
  }
  if (found == nullptr) {
    throw InvalidArgument("there is no kernel '" + std::string(name) + "'; " +
                          (names.empty() ? "the program has none" : "the program has " + names));
  }
  if (matches.find(',') != std::string::npos) {
    throw InvalidArgument("'" + std::string(name) + "' is the name of several kernels: " + matches);
  }
  return *found;
}

const Code& Program::State::code(std::string_view name) {
  const ptx::Function& function = find(name);
  const std::lock_guard lock(mutex);
  std::unique_ptr<Code>& code = decoded[function.name];
  if (!code) code = std::make_unique<Code>(decode(module, function));
  return *code;
}

/// The module's variables on a device; brought there at first use.
const std::vector<Address>& Program::State::load(Device::State& device, Device& owner) {
  const std::lock_guard lock(mutex);
  {
    const std::shared_lock device_lock(device.mutex);
    const auto found = device.modules.find(number);
    if (found != device.modules.end()) return found->second;
  }
  std::vector<Address> addresses;
  for (const ptx::Variable& variable : module.variables) {
    const bool in_memory = variable.space == "global" || variable.space == "const";
    addresses.push_back(
        in_memory ? owner.allocate(variable.bytes, "variable '" + variable.name + "'") : 0);
  }
  const auto address_of = [&](const std::string& name) {
    for (std::size_t i = 0; i < module.variables.size(); ++i) {
      if (module.variables[i].name == name && addresses[i] != 0) return addresses[i];
    }
    throw Unsupported("a variable is initialised with the address of '" + name +
                      "', which the emulator does not place in memory");
  };
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const ptx::Variable& variable = module.variables[i];
    if (addresses[i] == 0 || variable.bytes == 0) continue;
    std::byte* host = owner.host_pointer(addresses[i], variable.bytes);
    std::copy_n(variable.initial.begin(),
                std::min<std::size_t>(variable.initial.size(), variable.bytes),
                reinterpret_cast<std::uint8_t*>(host));
    for (const auto& relocation : variable.relocations) {
      const std::uint64_t value =
          address_of(relocation.name) + static_cast<std::uint64_t>(relocation.addend);
      const auto width = static_cast<std::uint64_t>(relocation.bytes);
      if (width > sizeof(value) || relocation.offset > variable.bytes - width) continue;
      std::memcpy(host + relocation.offset, &value, width);
    }
  }
  const std::unique_lock device_lock(device.mutex);
  return device.modules[number] = std::move(addresses);
}

Program::Program(std::string_view ptx) : state_(std::make_unique<State>()) {
  state_->module = ptx::parse(ptx);
}
Program::~Program() = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;

std::vector<std::string> Program::kernel_names() const {
  std::vector<std::string> names;
  for (const ptx::Function& function : state_->module.functions) {
    if (function.is_entry && function.has_body) names.push_back(function.name);
  }
  return names;
}

const KernelInfo& Program::kernel(std::string_view name) { return state_->code(name).info; }

Address Program::variable(Device& device, std::string_view name, std::uint64_t* bytes) {
  const std::vector<Address>& addresses = state_->load(device.state(), device);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const ptx::Variable& variable = state_->module.variables[i];
    if (variable.name != name || addresses[i] == 0) continue;
    if (bytes != nullptr) *bytes = variable.bytes;
    return addresses[i];
  }
  throw InvalidArgument("the program has no variable '" + std::string(name) + "'");
}

LaunchResult Program::launch(Device& device, std::string_view kernel, Dim3 grid, Dim3 block,
                             std::uint64_t dynamic_shared_bytes,
                             std::span<const std::byte> parameters, const LaunchOptions& options) {
  const Code& code = state_->code(kernel);
  if (dynamic_shared_bytes > most_shared_bytes) dynamic_shared_bytes = most_shared_bytes + 1;
  const std::uint64_t shared_bytes =
      dynamic_shared_bytes > 0 ? code.dynamic_shared_at + dynamic_shared_bytes : code.static_shared;
  validate(code, grid, block, shared_bytes, parameters.size());

  Progress progress;
  Launch launch;
  launch.code = &code;
  launch.device = &device.state();
  launch.grid = grid;
  launch.block = block;
  launch.shared_bytes = shared_bytes;
  launch.dynamic_shared_bytes = dynamic_shared_bytes;
  launch.parameters.assign(parameters.begin(), parameters.end());
  launch.ccs = options.compute_capabilities;
  launch.budget = options.budget;
  launch.progress = &progress;

  const std::vector<Address>& variables = state_->load(device.state(), device);
  launch.constants = AlignedBytes(code.constants.size());
  std::memcpy(launch.constants.data(), code.constants.data(), code.constants.size());
  for (const Code::Relocation& relocation : code.relocations) {
    const std::uint64_t value =
        variables[relocation.variable] + static_cast<std::uint64_t>(relocation.addend);
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      std::memcpy(launch.constants.data() + relocation.constant + i * sizeof(value), &value,
                  sizeof(value));
    }
  }

  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t wanted =
      options.threads > 0 ? static_cast<std::uint64_t>(options.threads) : cores;
  const std::size_t count = std::min<std::uint64_t>(wanted, grid.count());
  launch.atomic = count > 1;
  std::vector<Worker> workers(count);
  for (Worker& worker : workers) {
    worker.launch = &launch;
    worker.code = &code;
    worker.device = launch.device;
    worker.counting = options.count;
    worker.operations.resize(code.operations.size());
    if (options.count) worker.sites.resize(code.sites * 3 * launch.ccs.size());
  }
  // An exception of one worker (memory ran out) ends all of them and is thrown here.
  std::vector<std::exception_ptr> errors(count);
  const auto work = [&](std::size_t i) {
    try {
      run_blocks(workers[i]);
    } catch (...) {
      errors[i] = std::current_exception();
      progress.stop = true;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work, i);
    work(0);
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return Collector{state_->module, code, launch, workers}.collect();
}

}  // namespace warpwise::emulator
