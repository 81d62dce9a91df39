#include "warpwise/lab/study/table/setting.hpp"

#include <fmt/format.h>

#include <charconv>

namespace warpwise::lab {

std::optional<Transfer> transfer_named(std::string_view text) {
  const std::size_t space = text.find(' ');
  const std::optional<TransferWay> way = value_named<TransferWay>(text.substr(0, space));
  if (!way) return std::nullopt;
  if (*way != TransferWay::overlapped) {
    return space == std::string_view::npos ? std::optional(Transfer{*way, 1}) : std::nullopt;
  }
  if (space == std::string_view::npos) return std::nullopt;
  const char* const end = text.data() + text.size();
  Transfer transfer{*way, 0};
  const auto [stopped, error] = std::from_chars(text.data() + space + 1, end, transfer.chunks);
  const bool is_right = error == std::errc() && stopped == end && transfer.chunks >= 1 &&
                        transfer.chunks <= Transfer::most_chunks;
  return is_right ? std::optional(transfer) : std::nullopt;
}

std::string text_of(const Transfer& transfer) {
  std::string text(name_of(transfer.way));
  if (transfer.way == TransferWay::overlapped) text += fmt::format(" {}", transfer.chunks);
  return text;
}

std::string text_of(const Setting& setting) {
  if (setting.transfer) return text_of(*setting.transfer);
  std::string text;
  if (setting.sm_percent != 100) text = fmt::format("sm_percent {}", setting.sm_percent);
  if (setting.neighbour_percent != 0) {
    text +=
        fmt::format("{}neighbour_percent {}", text.empty() ? "" : ", ", setting.neighbour_percent);
  }
  return text;
}

}  // namespace warpwise::lab
