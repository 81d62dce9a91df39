#include "warpwise/emulator/decode/decoder.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/instructions/warp_operations.hpp"
#include "warpwise/emulator/readable.hpp"

namespace warpwise::emulator {
namespace {

// Returns 75 for "sm_75", 90 for "sm_90a"; 0 for other names.
int target_of(std::string_view name) {
  int number = 0;
  for (const char c : name.substr(std::min<std::size_t>(name.size(), 3))) {
    if (c < '0' || c > '9' || number > 999) break;
    number = 10 * number + (c - '0');
  }
  return number;
}

// Returns the largest number of threads in a block: the product of the numbers in .reqntid or
// .maxntid, at most 1024. This product is the only limit that .maxntid sets: each dimension may
// exceed its own number.
int most_threads_of(const ptx::Function& kernel) {
  constexpr std::int64_t of_any_gpu = 1024;
  const auto& bounds =
      kernel.required_threads.empty() ? kernel.max_threads : kernel.required_threads;
  std::int64_t most = bounds.empty() ? of_any_gpu : 1;
  for (const int each : bounds) most = std::min(of_any_gpu, most * std::max(each, 0));
  return static_cast<int>(most);
}

}  // namespace

Code Decoder::decode() {
  code_.info.name = kernel_.name;
  code_.info.target = target_of(module_.target);
  code_.info.required_threads = kernel_.required_threads;
  code_.info.most_threads = most_threads_of(kernel_);
  code_.info.instructions = kernel_.instructions.size();
  code_.info.required_cluster = kernel_.required_cluster;
  code_.info.needs_cluster = kernel_.is_explicit_cluster;
  if (kernel_.is_grid_of_clusters) {
    throw Unsupported("PTX line " + std::to_string(kernel_.ptx_line) + ": kernel '" +
                      readable(kernel_.name) +
                      "' has .blocksareclusters, which the emulator does not run");
  }
  lay_out_parameters();
  Frame frame;
  frame.function = &kernel_;
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::parameter;
    symbol.offset = code_.info.parameter_offsets[i];
    frame.symbols[kernel_.parameters[i].name] = symbol;
  }
  decode_function(frame);
  emit_control(Control::exit);
  code_.local_bytes = local_peak_;
  decode_called_functions();
  finish(observers_);
  return std::move(code_);
}

void Decoder::decode_function(Frame& frame) {
  frame_ = &frame;
  for (const ptx::Variable& variable : frame.function->variables) declare(frame, variable);
  const auto& instructions = frame.function->instructions;
  auto label = frame.function->labels.begin();
  const auto labels_end = frame.function->labels.end();
  for (std::size_t i = 0; i <= instructions.size(); ++i) {
    for (; label != labels_end && label->index == i; ++label) {
      frame.labels[label->name] = static_cast<std::uint32_t>(code_.operations.size());
      if (label->is_rolled)
        code_.rolled_loops.push_back(static_cast<std::int32_t>(code_.operations.size()));
    }
    if (i == instructions.size()) break;
    current_ = &instructions[i];
    frame_ = &frame;
    decode_instruction(instructions.size() - 1 - i);
  }
  frame.labels[end_label] = static_cast<std::uint32_t>(code_.operations.size());
  current_ = nullptr;
  for (const Frame::Branch& branch : frame.branches) resolve_labels(frame, branch);
}

void Decoder::resolve_labels(const Frame& frame, const Frame::Branch& branch) {
  std::vector<std::int32_t> targets;
  for (const std::string& label : branch.labels) {
    const auto found = frame.labels.find(label);
    if (found == frame.labels.end()) {
      throw InvalidArgument(place(branch.instruction->source, branch.instruction->ptx_line) +
                            ": function '" + frame.function->name + "' branches to '" + label +
                            "', which is no label of it");
    }
    targets.push_back(static_cast<std::int32_t>(found->second));
  }
  Operation& op = code_.operations[branch.operation];
  if (!branch.is_indexed) {
    op.target = targets.front();
    return;
  }
  op.target = static_cast<std::int32_t>(code_.jump_tables.size());
  code_.jump_tables.push_back(std::move(targets));
}

void Decoder::decode_instruction(std::size_t remaining) {
  const std::string& opcode = current_->opcode;
  static const std::set<std::string_view> ignored = {"prefetch",      "prefetchu", "discard",
                                                     "applypriority", "pmevent",   "griddepcontrol",
                                                     "setmaxnreg",    "nop"};
  if (decode_composed()) return;
  if (opcode == "ld" || opcode == "ldu")
    decode_access(true);
  else if (opcode == "st" && has("bulk"))
    decode_fill();
  else if (opcode == "st")
    has("async") ? decode_store_async() : decode_access(false);
  else if (opcode == "atom")
    decode_atomic(true);
  else if (opcode == "red")
    has("async") ? decode_store_async() : decode_atomic(false);
  else if (opcode == "mov")
    decode_move();
  else if (opcode == "bra")
    decode_branch();
  else if (opcode == "brx")
    decode_indexed_branch();
  else if (opcode == "call")
    decode_call();
  else if (opcode == "ret")
    decode_return(remaining);
  else if (opcode == "alloca" || opcode == "stacksave" || opcode == "stackrestore")
    decode_stack();
  else if (opcode == "exit")
    emit_control(Control::exit);
  else if (opcode == "trap" || opcode == "brkpt")
    emit_control(Control::trap);
  else if (opcode == "bar" || opcode == "barrier")
    decode_barrier();
  else if (opcode == "membar" || opcode == "fence")
    emit(fence_handler(observers_, has("gl") || has("gpu") || has("sys") || has("cluster")),
         InstructionClass::barrier);
  else if (opcode == "nanosleep")
    emit(warp_operations().at("sleep").handler, InstructionClass::control);
  else if (opcode == "cvta" || opcode == "isspacep")
    decode_address_conversion();
  else if (opcode == "wgmma")
    decode_warpgroup();
  else if (opcode == "mapa" || opcode == "getctarank")
    decode_cluster_address();
  else if (opcode == "cp")
    decode_copy_async();
  else if (opcode == "mbarrier")
    decode_mbarrier();
  else if (opcode == "createpolicy")
    decode_policy();
  else if (opcode == "tensormap")
    decode_tensor_map();
  else if (opcode == "clusterlaunchcontrol")
    decode_launch_control();
  else if (ignored.contains(opcode))
    emit_nothing(InstructionClass::control);
  else if (!decode_texture_or_tensor())
    decode_selected();
}

void Decoder::emit_nothing(InstructionClass c) { emit(warp_operations().at("nothing").handler, c); }

Code decode(const ptx::Module& module, const ptx::Function& kernel, ObserverSet observers,
            bool separates_shared) {
  return Decoder(module, kernel, observers, separates_shared).decode();
}

}  // namespace warpwise::emulator
