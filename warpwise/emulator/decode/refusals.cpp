#include "warpwise/emulator/decode/refusals.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace warpwise::emulator {
namespace {

/// Refused instructions: they have this opcode, and a modifier that begins with the text
/// `modifier`. An empty `modifier` matches all instructions of the opcode.
struct Refusal {
  std::string_view opcode;
  std::string_view modifier;
  std::string_view reason;
};

constexpr std::string_view scalar_video = "scalar video instructions are not modelled";
constexpr std::string_view bytes = "matrices of elements of 8 bits are not modelled";
constexpr std::string_view queries = "queries of textures and surfaces are not modelled";
constexpr std::string_view sparse = "sparse matrices are not modelled";

constexpr Refusal refusals[] = {
    {"tcgen05", "", "the tensor memory of CC 10.0 is not modelled"},
    {"multimem", "", "memory that several GPUs share is not modelled"},
    {"tensormap", "", "tensors of these elements or with this layout are not modelled"},
    {"clusterlaunchcontrol", "multicast", "answers to several blocks are not modelled"},
    {"mma", "sp", sparse},
    {"wgmma", "sp", sparse},
    {"mma", "kind::", "matrices with scales and floats of 6 or 4 bits are not modelled"},
    {"mma", "m8n8k4", "products by quarters of a warp (CC 7.0) are not modelled"},
    {"cvt", "rs", "stochastic rounding is not modelled"},
    {"cvt", "pack", "integers of fewer than 8 bits are not modelled"},
    {"fma", "oob", "the NaN for elements outside a tensor is not documented"},
    {"ldmatrix", "m16n16", bytes},
    {"ldmatrix", "m8n16", bytes},
    {"stmatrix", "m16n8", bytes},
    {"wgmma", "b1", "matrices of 1-bit elements are modelled only for mma and wmma"},
    {"tex", "grad", "mipmaps are not modelled"},
    {"txq", "", queries},
    {"suq", "", queries},
    {"sust", "p", "formatted stores to surfaces are not modelled"},
    {"sured", "", "reductions in surfaces are not modelled"},
    {"isspacep", "const", "constant memory has no address range of its own in the emulator"},
    {"vadd", "", scalar_video},
    {"vsub", "", scalar_video},
    {"vabsdiff", "", scalar_video},
    {"vmin", "", scalar_video},
    {"vmax", "", scalar_video},
    {"vshl", "", scalar_video},
    {"vshr", "", scalar_video},
    {"vmad", "", scalar_video},
    {"vset", "", scalar_video},
};

}  // namespace

std::string refusal_of(const ptx::Instruction& instruction) {
  const auto& modifiers = instruction.modifiers;
  const auto* const found =
      std::find_if(std::begin(refusals), std::end(refusals), [&](const Refusal& each) {
        const auto begins = [&](const std::string& modifier) {
          return modifier.starts_with(each.modifier);
        };
        return each.opcode == instruction.opcode &&
               (each.modifier.empty() || std::any_of(modifiers.begin(), modifiers.end(), begins));
      });
  return found == std::end(refusals) ? std::string() : std::string(found->reason);
}

}  // namespace warpwise::emulator
