// Moves of matrices: ldmatrix, stmatrix, wmma.load and wmma.store, and movmatrix in registers.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "warpwise/emulator/execute/access.hpp"
#include "warpwise/emulator/instructions/matrices/fragments.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator::tensor {
namespace {

/// Calls body(matrix, row, host address) for the 16-byte rows that the first 8, 16 or 32 lanes
/// address. Shared memory serves the request in as many passes as a 16-byte access of these lanes.
template <class Observers, class Body>
void for_each_row(Warp& warp, const Operation& op, AccessKind kind, const Body& body) {
  const auto rows = static_cast<int>(flags_of<MatrixFlags>(op).matrices) * 8;
  const Mask pointing = (rows == warp_lanes ? all_lanes : (Mask{1} << rows) - 1) & warp.active;
  if (pointing == 0) return;
  alignas(64) std::uint64_t addresses[warp_lanes];
  load_addresses(warp, op, addresses);
  for_each_space(op.space, addresses, pointing, [&](Space space, Mask lanes) {
    const Request request{space, kind, 16, addresses, lanes};
    serve<Observers>(warp, op, op.site, request, [&](const Resolved& place) {
      for (Mask left = place.valid; left != 0; left &= left - 1) {
        const int i = std::countr_zero(left);
        body(i / 8, i % 8, place.base + place.at[i]);
      }
    });
  });
}

using Matrix = std::array<std::array<std::uint16_t, 8>, 8>;

/// Accesses each lane's four pairs of elements: once if the elements are adjacent in memory, else
/// twice. Calls body(pair, element or -1 for both, bytes of an element, lane, place).
template <class Observers, class Body>
void for_each_access(Warp& warp, const Operation& op, AccessKind kind, const Body& body) {
  const auto flags = flags_of<FragmentFlags>(op);
  const Fragment fragment = flags.fragment;
  const bool columns = flags.by_columns != 0;
  const int bytes = fragment == Fragment::float_sum ? 4 : 2;
  const std::int32_t* list = list_of(warp, op);
  const std::int32_t* stride = list[0] == Operation::none ? nullptr : &list[0];
  alignas(64) std::uint64_t base[warp_lanes];
  load_addresses(warp, op, base);
  for (int pair = 0; pair < 4; ++pair) {
    const bool neighbours = pair_of(fragment, 0, pair).right != columns;
    for (int e = 0; e < (neighbours ? 1 : 2); ++e) {
      alignas(64) std::uint64_t addresses[warp_lanes];
      for (int i = 0; i < warp_lanes; ++i) {
        const Pair at = pair_of(fragment, i, pair);
        const int row = at.first.row + (at.right ? 0 : e);
        const int column = at.first.column + (at.right ? e : 0);
        const std::uint64_t pitch =
            stride != nullptr ? source<std::uint32_t>(warp, *stride)[i] : 16;
        const std::uint64_t element = static_cast<std::uint64_t>(columns ? column : row) * pitch +
                                      static_cast<std::uint64_t>(columns ? row : column);
        addresses[i] = base[i] + element * static_cast<std::uint64_t>(bytes);
      }
      for_each_space(op.space, addresses, warp.active, [&](Space space, Mask lanes) {
        const Request request{space, kind, neighbours ? 2 * bytes : bytes, addresses, lanes};
        serve<Observers>(warp, op, op.site, request, [&](const Resolved& place) {
          for (Mask left = place.valid; left != 0; left &= left - 1) {
            const int i = std::countr_zero(left);
            body(pair, neighbours ? -1 : e, bytes, i, place.base + place.at[i]);
          }
        });
      });
    }
  }
}

template <class Observers>
void load_all_matrices(Warp& warp, const Operation& op) {
  std::array<Matrix, 4> matrices{};
  for_each_row<Observers>(
      warp, op, AccessKind::load, [&](int matrix, int row, const std::byte* from) {
        std::memcpy(
            matrices[static_cast<std::size_t>(matrix)][static_cast<std::size_t>(row)].data(), from,
            16);
      });
  Words words{};
  const auto count = static_cast<int>(flags_of<MatrixFlags>(op).matrices);
  for (std::size_t m = 0; m < static_cast<std::size_t>(count); ++m) {
    for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
      for (std::size_t e = 0; e < 2; ++e) {
        const std::size_t major = lane / 4;
        const std::size_t minor = lane % 4 * 2 + e;
        const std::uint32_t x = flags_of<MatrixFlags>(op).transposed != 0
                                    ? matrices[m][minor][major]
                                    : matrices[m][major][minor];
        words[m][lane] |= x << (16 * e);
      }
    }
  }
  write_registers(warp, list_of(warp, op), count, words);
}

template <class Observers>
void store_all_matrices(Warp& warp, const Operation& op) {
  const Registers from{warp, list_of(warp, op)};
  for_each_row<Observers>(warp, op, AccessKind::store, [&](int matrix, int row, std::byte* to) {
    std::array<std::uint16_t, 8> values{};
    for (int k = 0; k < 8; ++k) {
      const int major = flags_of<MatrixFlags>(op).transposed != 0 ? k : row;
      const int minor = flags_of<MatrixFlags>(op).transposed != 0 ? row : k;
      const std::uint32_t word = from.word(matrix, major * 4 + minor / 2);
      values[static_cast<std::size_t>(k)] = static_cast<std::uint16_t>(word >> (16 * (minor & 1)));
    }
    std::memcpy(to, values.data(), 16);
  });
}

/// Loads a fragment. Operands: the stride, then the registers. The last four registers of A or B
/// repeat the first four, because the instruction was made for hardware that needs each element
/// twice.
template <class Observers>
void load_whole_fragment(Warp& warp, const Operation& op) {
  Words words{};
  for_each_access<Observers>(
      warp, op, AccessKind::load, [&](int pair, int e, int bytes, int lane, const std::byte* from) {
        std::array<std::uint32_t, 2> values{};
        const auto at = static_cast<std::size_t>(lane);
        const std::size_t first = e < 0 ? 0 : static_cast<std::size_t>(e);
        const std::size_t last = e < 0 ? 1 : first;
        for (std::size_t k = first; k <= last; ++k) {
          std::memcpy(&values[k], from + (k - first) * static_cast<std::size_t>(bytes),
                      static_cast<std::size_t>(bytes));
          const auto p = static_cast<std::size_t>(pair);
          if (bytes == 4)
            words[2 * p + k][at] = values[k];
          else
            words[p][at] |= values[k] << (16 * k);
        }
      });
  const Fragment fragment = flags_of<FragmentFlags>(op).fragment;
  const std::int32_t* registers = list_of(warp, op) + 1;
  if (fragment == Fragment::a || fragment == Fragment::b)
    std::copy_n(words.begin(), 4, words.begin() + 4);
  write_registers(warp, registers, fragment == Fragment::half_sum ? 4 : 8, words);
}

template <class Observers>
void store_whole_fragment(Warp& warp, const Operation& op) {
  const Registers from{warp, list_of(warp, op) + 1};
  for_each_access<Observers>(
      warp, op, AccessKind::store, [&](int pair, int e, int bytes, int lane, std::byte* to) {
        const int first = e < 0 ? 0 : e;
        const int last = e < 0 ? 1 : e;
        for (int k = first; k <= last; ++k) {
          const std::uint32_t value =
              bytes == 4 ? from.word(2 * pair + k, lane) : from.word(pair, lane) >> (16 * k);
          std::memcpy(to + (k - first) * bytes, &value, static_cast<std::size_t>(bytes));
        }
      });
}

}  // namespace

/// Runs movmatrix, which transposes a matrix: each lane's pair of a row becomes a pair of a column.
void transpose_matrix(Warp& warp, const Operation& op) {
  const Registers from{warp, list_of(warp, op) + 1};
  Words words{};
  for (int lane = 0; lane < warp_lanes; ++lane) {
    for (int e = 0; e < 2; ++e) {
      const int row = lane % 4 * 2 + e;
      const int column = lane / 4;
      const std::uint32_t word = from.word(0, row * 4 + column / 2);
      words[0][static_cast<std::size_t>(lane)] |= (word >> (16 * (column & 1)) & 0xffff)
                                                  << (16 * e);
    }
  }
  write_registers(warp, list_of(warp, op), 1, words);
}

Handler load_matrices(ObserverSet observers) {
  return with_observers(observers, [](auto set) -> Handler {
    return load_all_matrices<typename decltype(set)::type>;
  });
}

Handler store_matrices(ObserverSet observers) {
  return with_observers(observers, [](auto set) -> Handler {
    return store_all_matrices<typename decltype(set)::type>;
  });
}

Handler load_fragment(ObserverSet observers) {
  return with_observers(observers, [](auto set) -> Handler {
    return load_whole_fragment<typename decltype(set)::type>;
  });
}

Handler store_fragment(ObserverSet observers) {
  return with_observers(observers, [](auto set) -> Handler {
    return store_whole_fragment<typename decltype(set)::type>;
  });
}

}  // namespace warpwise::emulator::tensor
