#pragma once

#include <map>

#include "warpwise/emulator/memory_uses.hpp"

namespace warpwise::emulator::runtime {

/// Keeps the program off pages that work which it has not waited for may still write or read: its
/// touch of one is a signal, which is reported as a fault of kind `unsynchronised` where the very
/// byte is such work's, and the program goes on. The signal's handler stands only while a page is
/// protected; a program's own gets what is not ours. Whoever calls holds StreamOrder's lock.
class PageGuard {
 public:
  /// What lies wholly in these bytes can be protected: nothing but the program's own data is there.
  void allow(Address begin, std::uint64_t bytes);
  /// Ends what allow() began at this address.
  void disallow(Address begin);

  /// Lets everybody at everything, before work is done.
  void lift();
  /// Work has touched a page.
  void add(Address page);
  /// Protects each page that has been added as long as it has to be.
  void renew(MemoryUses& uses);

  /// Whether a touch of an address was one of a protected page, which is none any more.
  bool meets(Address address, MemoryUses& uses, bool writes, const void* program_counter);

 private:
  bool is_allowed(Address page) const;
  void protect(Address page, int protection);

  std::map<Address, std::uint64_t> allowed_;
  std::map<Address, int> pages_;  ///< added ones, with their protection
};
PageGuard& page_guard();

}  // namespace warpwise::emulator::runtime
