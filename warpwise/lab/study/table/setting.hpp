#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "warpwise/base/enum_names.hpp"

// Settings of a run on a GPU that change its times but not its results. The emulator has no times,
// and therefore no settings.
namespace warpwise::lab {

/// Ways to transfer operands from host memory to the GPU, and results back.
enum class TransferWay : std::uint8_t {
  pageable,    ///< ordinary memory; the driver copies it through its own page-locked memory
  pinned,      ///< page-locked memory
  mapped,      ///< page-locked memory that the kernels access themselves, so nothing is copied
  overlapped,  ///< page-locked memory in chunks; one chunk is computed while others are transferred
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
  int chunks = 1;  ///< 1, or up to most_chunks if `way` is overlapped
  friend bool operator==(const Transfer&, const Transfer&) = default;
};

struct Setting {
  int sm_percent = 100;              ///< share of the multiprocessors that may run the kernels
  int neighbour_percent = 0;         ///< read rate of a neighbour kernel, in % of the copy roof
  std::optional<Transfer> transfer;  ///< empty: operands stay on the GPU, and only kernels are
                                     ///< timed
  friend bool operator==(const Setting&, const Setting&) = default;
};

/// Parses "pageable" or "overlapped 4". Returns nothing for a text that is no transfer.
std::optional<Transfer> transfer_named(std::string_view text);
std::string text_of(const Transfer& transfer);

/// Returns "sm_percent 50, neighbour_percent 25", or an empty text for the default setting.
std::string text_of(const Setting& setting);

}  // namespace warpwise::lab
