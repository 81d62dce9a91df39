#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <iterator>
#include <mutex>
#include <span>
#include <utility>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/decode/decoder.hpp"
#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/execute/orders.hpp"
#include "warpwise/emulator/host_code/host_code.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator {
namespace {

std::uint64_t next_program_number() {
  static std::atomic<std::uint64_t> next = 1;
  return next++;
}

/// Returns the plain name in a mangled one: "square" for "_Z6squarePfi". Returns the last part of a
/// nested name.
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

// Workspace of a cooperative launch, in the layout of CUDA's headers: the size, and a count of the
// blocks that have arrived.
class GridWorkspace {
 public:
  GridWorkspace(Device& device, bool is_wanted) : device_(device) {
    if (!is_wanted) return;
    constexpr std::uint32_t bytes = 8;
    address_ = device.allocate(bytes, "the barrier of a cooperative launch");
    std::memcpy(device.host_pointer(address_, bytes), &bytes, sizeof(bytes));
  }
  ~GridWorkspace() {
    if (address_ != 0) device_.free(address_);
  }
  GridWorkspace(const GridWorkspace&) = delete;
  GridWorkspace& operator=(const GridWorkspace&) = delete;
  Address address() const { return address_; }

 private:
  Device& device_;
  Address address_ = 0;
};

bool is_in_memory(const ptx::Variable& variable) {
  return variable.space == "global" || variable.space == "const";
}

}  // namespace

struct Program::State {
  ptx::Module module;
  std::uint64_t number = next_program_number();
  std::mutex mutex;
  /// Kernels by name and by the set of observers that their handlers call.
  std::map<std::pair<std::string, ObserverSet>, std::unique_ptr<Code>> decoded;

  const ptx::Function& find(std::string_view name) const;
  const Code& code(std::string_view name, ObserverSet observers);
  const std::vector<Address>& load(Device::State& device, Device& owner);
  std::vector<Address> allocate(Device& owner) const;
  /// Writes the initial values of the variables at these addresses.
  void fill(Device& owner, std::span<const Address> addresses) const;
  Address target_of(const ptx::Variable& variable, const std::string& name,
                    std::span<const Address> addresses) const;
  /// Runs the work that a grid at this depth launched, in order. Returns false if a kernel had a
  /// fault; the rest is then left undone.
  /// \param executed  warp instructions of the whole launch so far; its kernels share the budget
  bool run(Device& device, std::vector<DeviceWork> work, int depth, const LaunchOptions& options,
           std::uint64_t& executed, std::vector<LaunchedKernel>& done);
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

const Code& Program::State::code(std::string_view name, ObserverSet observers) {
  const ptx::Function& function = find(name);
  const std::lock_guard lock(mutex);
  std::unique_ptr<Code>& code = decoded[{function.name, observers}];
  const bool checks =
      observers == ObserverSet::checks || observers == ObserverSet::counts_and_checks;
  if (!code) {
    code = std::make_unique<Code>(decode(module, function, observers, checks));
    code->host_code = std::make_shared<LazyHostCode>(*code, observers);
  }
  return *code;
}

/// Returns the address of the variable or function that `name` means in a variable's initialiser.
/// For a variable, returns 0 if `addresses` is empty.
Address Program::State::target_of(const ptx::Variable& variable, const std::string& name,
                                  std::span<const Address> addresses) const {
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    if (module.variables[i].name != name || !is_in_memory(module.variables[i])) continue;
    return addresses.empty() ? 0 : addresses[i];
  }
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    if (module.functions[i].name == name) return function_address(i);
  }
  throw Unsupported("PTX line " + std::to_string(variable.ptx_line) +
                    ": a variable is initialised with the address of '" + name +
                    "', which the emulator does not place in memory");
}

/// Allocates all variables, or none. The address of a variable outside global and constant memory
/// is 0.
std::vector<Address> Program::State::allocate(Device& owner) const {
  for (const ptx::Variable& variable : module.variables) {
    if (!is_in_memory(variable) || variable.bytes == 0) continue;
    for (const auto& relocation : variable.relocations) target_of(variable, relocation.name, {});
  }
  std::vector<Address> addresses;
  try {
    for (const ptx::Variable& variable : module.variables) {
      const std::string name = "variable '" + variable.name + "'";
      addresses.push_back(!is_in_memory(variable) ? 0
                          : variable.is_managed   ? reinterpret_cast<Address>(
                                                      owner.allocate_visible(variable.bytes, name))
                                                : owner.allocate(variable.bytes, name));
    }
  } catch (...) {
    for (const Address address : addresses) {
      if (address != 0) owner.free(address);
    }
    throw;
  }
  return addresses;
}

/// Returns addresses of the module's variables on a device, and allocates them at first use.
const std::vector<Address>& Program::State::load(Device::State& device, Device& owner) {
  const std::lock_guard lock(mutex);
  {
    const std::shared_lock device_lock(device.mutex);
    const auto found = device.modules.find(number);
    if (found != device.modules.end()) return found->second;
  }
  std::vector<Address> addresses = allocate(owner);
  fill(owner, addresses);
  const std::unique_lock device_lock(device.mutex);
  for (const Address address : addresses) {
    if (address != 0) device.allocations.at(address).is_variable = true;
  }
  return device.modules[number] = std::move(addresses);
}

void Program::State::fill(Device& owner, std::span<const Address> addresses) const {
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const ptx::Variable& variable = module.variables[i];
    if (addresses[i] == 0 || variable.bytes == 0) continue;
    std::byte* host = owner.host_pointer(addresses[i], variable.bytes);
    std::copy_n(variable.initial.begin(),
                std::min<std::size_t>(variable.initial.size(), variable.bytes),
                reinterpret_cast<std::uint8_t*>(host));
    for (const auto& relocation : variable.relocations) {
      const std::uint64_t value = target_of(variable, relocation.name, addresses) +
                                  static_cast<std::uint64_t>(relocation.addend);
      const auto width = static_cast<std::uint64_t>(relocation.bytes);
      const auto first = static_cast<std::uint64_t>(relocation.first_byte);
      if (first + width > sizeof(value) || relocation.offset > variable.bytes - width) continue;
      std::memcpy(host + relocation.offset, reinterpret_cast<const std::byte*>(&value) + first,
                  width);
    }
  }
}

namespace {

// Limit of one grid's tail launches. A GPU has none, so a kernel may launch itself for ever.
constexpr std::uint64_t most_tail_launches = std::uint64_t{1} << 18;

/// Reports a grid whose tail launches do not end, as a fault of the last kernel.
void stop_tails(LaunchResult& last) {
  Fault fault;
  fault.kind = FaultKind::budget;
  fault.count = 1;
  fault.message = "the tail stream of one launch has run " + std::to_string(most_tail_launches) +
                  " kernels, the emulator's limit: a kernel may launch itself for ever";
  last.faults.push_back(std::move(fault));
}

/// Does a copy or a fill that a kernel launched.
void move_bytes(Device& device, const DeviceWork& work) {
  std::byte* to = device.host_pointer(work.to, work.bytes);
  if (work.kind == DeviceWork::Kind::fill) {
    std::fill_n(to, work.bytes, work.value);
  } else {
    std::memmove(to, device.bytes_at(work.from, work.bytes), work.bytes);
    device.copied(work.to, work.from, work.bytes);
  }
}

/// Names the whole budget in a fault of a kernel that had only the rest of it.
void name_budget(LaunchResult& result, std::uint64_t budget) {
  for (Fault& fault : result.faults) {
    if (fault.kind == FaultKind::budget)
      fault.message = "the launch and the kernels that it launched did not end within " +
                      std::to_string(budget) + " warp instructions";
  }
}

}  // namespace

bool Program::State::run(Device& device, std::vector<DeviceWork> work, int depth,
                         const LaunchOptions& options, std::uint64_t& executed,
                         std::vector<LaunchedKernel>& done) {
  LaunchOptions its_options = options;
  std::uint64_t tails = 0;
  std::deque<DeviceWork> left(std::make_move_iterator(work.begin()),
                              std::make_move_iterator(work.end()));
  while (!left.empty()) {
    const DeviceWork next = std::move(left.front());
    left.pop_front();
    if (next.bytes > 0) move_bytes(device, next);
    if (next.kind != DeviceWork::Kind::launch) continue;
    if (next.is_tail && tails++ == most_tail_launches) {
      stop_tails(done.back().result);
      return false;
    }
    if (options.budget != 0)
      its_options.budget = options.budget - std::min(executed, options.budget - 1);
    const auto start = std::chrono::steady_clock::now();
    const Code& own = code(next.kernel, launch_observers(options));
    const int its_depth = next.is_tail ? depth : depth + 1;
    LaunchResult result =
        run_launch(own, device.state(), load(device.state(), device),
                   {next.grid, next.block, next.dynamic_shared_bytes, 0, its_depth},
                   next.parameters, its_options);
    executed += result.executed;
    name_budget(result, options.budget);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    std::vector<DeviceWork> further = std::exchange(result.device_work, {});
    const bool is_sound = result.faults.empty();
    done.push_back({next.kernel, next.grid, next.block, taken.count(), std::move(result)});
    if (!is_sound) return false;
    // A tail launch takes the place of the grid that launched it. Kernels that the tail launch
    // launches therefore come next in this queue, at the same depth.
    if (next.is_tail)
      left.insert(left.begin(), std::make_move_iterator(further.begin()),
                  std::make_move_iterator(further.end()));
    else if (!run(device, std::move(further), its_depth, options, executed, done))
      return false;
  }
  return true;
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

const KernelInfo& Program::kernel(std::string_view name) {
  return state_->code(name, ObserverSet::none).info;
}

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

void Program::initialise(Device& device) {
  std::vector<Address> addresses;
  {
    const std::shared_lock lock(device.state().mutex);
    const auto found = device.state().modules.find(state_->number);
    if (found == device.state().modules.end()) return;
    addresses = found->second;
  }
  for (const Address address : addresses) {
    const std::uint64_t bytes = device.allocation_of(address).second;
    if (bytes > 0) std::memset(device.host_pointer(address, bytes), 0, bytes);
  }
  state_->fill(device, addresses);
}

void Program::unload(Device& device) {
  Device::State& own = device.state();
  const std::unique_lock lock(own.mutex);
  const auto found = own.modules.find(state_->number);
  if (found == own.modules.end()) return;
  for (const Address address : found->second) {
    if (address != 0) own.take_out(own.allocations.find(address), "");
  }
  own.modules.erase(found);
}

LaunchResult Program::launch(Device& device, std::string_view kernel, Dim3 grid, Dim3 block,
                             std::uint64_t dynamic_shared_bytes,
                             std::span<const std::byte> parameters, const LaunchOptions& options) {
  const Code& code = state_->code(kernel, launch_observers(options));
  const std::vector<Address>& variables = state_->load(device.state(), device);
  const GridWorkspace workspace(device, options.cooperative);
  const LaunchShape shape{grid, block, dynamic_shared_bytes, workspace.address()};
  LaunchResult result =
      options.orders < 2 ? run_launch(code, device.state(), variables, shape, parameters, options)
                         : run_in_orders(code, state_->code(kernel, ObserverSet::none),
                                         device.state(), variables, shape, parameters, options);
  if (result.faults.empty()) {
    std::uint64_t executed = result.executed;
    state_->run(device, std::exchange(result.device_work, {}), 0, options, executed,
                result.launched);
  }
  return result;
}

}  // namespace warpwise::emulator
