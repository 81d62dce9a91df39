#include "warpwise/emulator/runtime/checks/copy_check.hpp"

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/runtime/checks/allocations.hpp"
#include "warpwise/emulator/runtime/code/registry.hpp"
#include "warpwise/emulator/runtime/reports/reports.hpp"

namespace warpwise::emulator::runtime {
namespace {

enum class Side { device, shared, host };

bool is_checked() {
  return checks_asked_for().has(Check::runtime) && emulated().sticky == cudaSuccess;
}

Side side_of(const void* pointer) {
  if (is_device_address(address_of(pointer))) return Side::device;
  return emulated().device.holds(address_of(pointer)) ? Side::shared : Side::host;
}

std::size_t extent_of(const Rows& rows) { return rows.pitch * (rows.height - 1) + rows.width; }

const char* text_of(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost: return "cudaMemcpyHostToHost";
    case cudaMemcpyHostToDevice: return "cudaMemcpyHostToDevice";
    case cudaMemcpyDeviceToHost: return "cudaMemcpyDeviceToHost";
    case cudaMemcpyDeviceToDevice: return "cudaMemcpyDeviceToDevice";
    case cudaMemcpyDefault: break;
  }
  return "cudaMemcpyDefault";
}

/// Describes the error in one end of a copy; empty if there is none.
std::string mistake(const Rows& rows) {
  if (rows.first == nullptr) return "a null pointer";
  if (side_of(rows.first) == Side::host) return {};  // the size of host memory is unknown
  try {
    emulated().device.bytes_at(address_of(rows.first), extent_of(rows));
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

/// Describes how one end contradicts the copy's kind; empty if it does not.
std::string contradiction(const Rows& rows, const char* end, bool says_device,
                          cudaMemcpyKind kind) {
  const Side side = side_of(rows.first);
  if (side == Side::shared || (side == Side::device) == says_device) return {};
  return std::string(text_of(kind)) + " " + end + " memory of the " +
         (says_device ? "host, which the device cannot access"
                      : "device, which the host cannot access");
}

}  // namespace

void report_bad_copy(const std::string& wrong) {
  if (is_checked())
    note_host_fault(FaultKind::copy, CallSite::here_in_python(), with_origins(wrong));
}

void check_copy(const Rows& to, const Rows& from, cudaMemcpyKind kind) {
  if (!is_checked()) return;
  if ((to.height > 1 || from.height > 1) && (to.width > to.pitch || from.width > from.pitch)) {
    const Rows& narrow = to.width > to.pitch ? to : from;
    return report_bad_copy("rows of " + std::to_string(narrow.width) +
                           " bytes do not fit in the pitch of " + std::to_string(narrow.pitch));
  }
  for (const Rows* each : {&to, &from}) {
    const std::string wrong = mistake(*each);
    if (!wrong.empty()) return report_bad_copy((each == &to ? "to: " : "from: ") + wrong);
  }
  if (kind == cudaMemcpyDefault) return;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  std::string wrong = contradiction(to, "to", to_device, kind);
  if (wrong.empty()) wrong = contradiction(from, "from", from_device, kind);
  if (!wrong.empty()) report_bad_copy(wrong);
}

void check_written(const void* to, const Rows& from) {
  if (!checks_asked_for().has(Check::init) || side_of(to) == Side::device) return;
  const Device& device = emulated().device;
  const Address first = address_of(from.first);
  for (std::size_t y = 0; y < from.height; ++y) {
    if (!device.is_unwritten(first + y * from.pitch, from.width)) return;
  }
  note_host_fault(FaultKind::uninitialised, CallSite::here_in_python(),
                  with_origins(std::to_string(from.width * from.height) +
                               " bytes are copied to the host, from " + device.describe(first) +
                               " on, and all of them are uninitialised"));
}

void check_fill(const Rows& to) {
  if (!is_checked()) return;
  if (to.height > 1 && to.width > to.pitch) {
    return report_bad_copy("rows of " + std::to_string(to.width) +
                           " bytes do not fit in the pitch of " + std::to_string(to.pitch));
  }
  std::string wrong = mistake(to);
  if (wrong.empty() && side_of(to.first) == Side::host)
    wrong = "host memory, which the device cannot access";
  if (!wrong.empty()) report_bad_copy(wrong);
}

}  // namespace warpwise::emulator::runtime
