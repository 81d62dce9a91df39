#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "warpwise/base/enum_names.hpp"

// How a point is run on a GPU, beside what it computes. The emulator has no times, which is what
// these change.
namespace warpwise::lab {

/// How operands come from the host's memory and results go back to it.
enum class TransferWay : std::uint8_t {
  pageable,    ///< memory as any program has it, which the driver copies through its own
  pinned,      ///< page-locked memory
  mapped,      ///< page-locked memory that the kernels read and write themselves: nothing is copied
  overlapped,  ///< page-locked memory in chunks: one is computed while others are on their way
};
constexpr auto enum_names(TransferWay) {
  return std::to_array<EnumName<TransferWay>>({{TransferWay::pageable, "pageable"},
                                               {TransferWay::pinned, "pinned"},
                                               {TransferWay::mapped, "mapped"},
                                               {TransferWay::overlapped, "overlapped"}});
}

struct Transfer {
  static constexpr int most_chunks = 64;

  TransferWay way = TransferWay::pinned;
  int chunks = 1;  ///< 1 to most_chunks where it is overlapped
  friend bool operator==(const Transfer&, const Transfer&) = default;
};

struct Setting {
  int sm_percent = 100;              ///< of the multiprocessors that may run the kernels
  int neighbour_percent = 0;         ///< of the copy roof that a neighbour kernel is to read
  std::optional<Transfer> transfer;  ///< none: kernels alone are timed, their operands in place
  friend bool operator==(const Setting&, const Setting&) = default;
};

/// "pageable", "overlapped 4"; nothing for other texts.
std::optional<Transfer> transfer_named(std::string_view text);
std::string text_of(const Transfer& transfer);

/// "sm_percent 50, neighbour_percent 25"; empty for the usual setting.
std::string text_of(const Setting& setting);

}  // namespace warpwise::lab
