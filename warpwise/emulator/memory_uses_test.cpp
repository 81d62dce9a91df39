#include "warpwise/emulator/memory_uses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <utility>

namespace warpwise::emulator {
namespace memory_uses_tests {

constexpr Address device_memory = Address{16} << 40;
constexpr Address memory_of_both = Address{65} << 40;
constexpr Address memory_of_both_in_39_bits = Address{0x55} << 32;

/// An order of work that tests set: `behind` for the current work, `waited` for the host.
class Order : public WorkOrder {
 public:
  bool comes_behind(WorkNumber earlier) const override { return behind.contains(earlier); }
  bool host_has_waited_for(WorkNumber work) const override { return waited.contains(work); }
  std::string described(WorkNumber work) const override {
    return "work " + std::to_string(work) + " on " + stream_of(work);
  }
  std::string stream_of(WorkNumber work) const override { return "stream " + std::to_string(work); }
  std::set<WorkNumber> behind;
  std::set<WorkNumber> waited;
};

class MemoryUsesTest : public ::testing::Test {
 protected:
  void begin(WorkNumber work, std::set<WorkNumber> behind = {}) {
    order_.behind = std::move(behind);
    uses_.begin(work, true);
  }
  /// Returns the conflict of an access by the current work.
  std::string use(Use how, Address begin, std::uint64_t bytes) {
    uses_.from(nullptr, how, [] { return std::string("a.cu:7"); });
    at_ = 0;
    return uses_.touch(begin, bytes, &at_);
  }

  Order order_;
  MemoryUses uses_{order_};
  Address at_ = 0;
};

TEST_F(MemoryUsesTest, ReadsOfTwoWorksAreNoRace) {
  begin(1);
  EXPECT_EQ(use(Use::read, device_memory, 4096 * 3), "");
  begin(2);
  EXPECT_EQ(use(Use::read, device_memory, 4096 * 3), "");
}

TEST_F(MemoryUsesTest, AWriteRacesWithWhatNothingOrders) {
  for (const Use earlier : {Use::read, Use::write, Use::atomic}) {
    uses_.forget();
    begin(1);
    EXPECT_EQ(use(earlier, device_memory + 8, 4), "");
    begin(2, {1});
    EXPECT_EQ(use(Use::write, device_memory + 8, 4), "") << "what is ordered";
    uses_.forget();
    begin(1);
    use(earlier, device_memory + 8, 4);
    begin(3, {2});
    EXPECT_EQ(use(Use::write, device_memory, 64),
              "on stream 3, which work 1 on stream 1 " + std::string(name_of(earlier)) +
                  " at a.cu:7, and no event or synchronisation orders the two");
    EXPECT_EQ(at_, device_memory + 8);
  }
}

TEST_F(MemoryUsesTest, APageIsSharedWhereTheHostHasWaitedForBytesOfIt) {
  begin(1);
  use(Use::write, memory_of_both, 128);
  begin(2);
  use(Use::write, memory_of_both + 128, 128);
  EXPECT_TRUE(uses_.pending(memory_of_both).writes);
  EXPECT_FALSE(uses_.pending(memory_of_both).is_shared);
  order_.waited = {1};
  EXPECT_TRUE(uses_.pending(memory_of_both).is_shared);
  begin(3, {1, 2});
  use(Use::write, memory_of_both, 128);
  EXPECT_TRUE(uses_.pending(memory_of_both).writes);
  EXPECT_FALSE(uses_.pending(memory_of_both).is_shared) << "all are written again";
}

TEST_F(MemoryUsesTest, BytesOfOneWordAreToldApart) {
  begin(1);
  EXPECT_EQ(use(Use::write, device_memory + 1, 1), "");
  begin(2);
  EXPECT_EQ(use(Use::write, device_memory + 2, 2), "");
  begin(3, {2});
  EXPECT_EQ(use(Use::read, device_memory, 1), "");
  begin(4);
  EXPECT_NE(use(Use::read, device_memory + 3, 1), "");
  EXPECT_EQ(at_, device_memory + 3);
}

TEST_F(MemoryUsesTest, ALongAccessIsThatOfItsSingleWords) {
  std::mt19937 random(5);
  const auto below = [&](unsigned end) { return random() % end; };
  Order order;
  MemoryUses single(order);
  int conflicts = 0;
  int settled = 0;
  for (WorkNumber work = 1; work <= 200; ++work) {
    std::set<WorkNumber> behind;
    for (WorkNumber each = 1; each < work; ++each) {
      if (below(4) != 0) behind.insert(each);
    }
    order.behind = behind;
    single.begin(work, true);
    begin(work, behind);
    for (int i = 0; i < 8; ++i) {
      const Use how = std::array{Use::read, Use::write, Use::atomic}[below(3)];
      const Address first = device_memory + 4096 - 64 + below(128);  // may reach the next page
      const std::uint64_t bytes = 1 + below(80);
      const std::string conflict = use(how, first, bytes);
      std::string first_conflict;
      Address where = 0;
      single.from(nullptr, how, [] { return std::string("a.cu:7"); });
      for (Address at = first; at < first + bytes;) {
        const Address next = std::min(first + bytes, (at | 3) + 1);
        if (single.touch_settled_word(at, next - at)) {
          ++settled;
          at = next;
          continue;
        }
        Address of_word = 0;
        const std::string of_this = single.touch(at, next - at, &of_word);
        if (first_conflict.empty() && !of_this.empty()) {
          first_conflict = of_this;
          where = of_word;
        }
        at = next;
      }
      EXPECT_EQ(conflict, first_conflict) << "work " << work << ", access " << i;
      EXPECT_EQ(at_, where);
      conflicts += conflict.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(conflicts, 100);
  EXPECT_LT(conflicts, 1500);
  EXPECT_GT(settled, 1000);
}

TEST_F(MemoryUsesTest, OnlyThePageTouchedLastHasAFastPath) {
  begin(1);
  for (const Address page : {device_memory, device_memory + 4096}) {
    EXPECT_EQ(use(Use::read, page, 4), "");
    EXPECT_TRUE(uses_.touch_settled_word(page + 8, 4));
  }
  EXPECT_FALSE(uses_.touch_settled_word(device_memory, 4));
  uses_.forget(device_memory + 4096, 4096);
  EXPECT_FALSE(uses_.touch_settled_word(device_memory + 4096, 4)) << "the page is gone";
  EXPECT_EQ(use(Use::read, memory_of_both, 4), "");
  EXPECT_FALSE(uses_.touch_settled_word(memory_of_both, 4)) << "visible pages are listed";
}

TEST_F(MemoryUsesTest, TwoReadersOfAWordAreRemembered) {
  for (const WorkNumber other : {1, 2}) {
    uses_.forget();
    begin(1);
    use(Use::read, device_memory, 4);
    begin(2);
    use(Use::read, device_memory, 4);
    begin(3, {other});
    EXPECT_NE(use(Use::write, device_memory, 4), "") << other;
  }
  begin(4, {1, 2, 3});
  EXPECT_EQ(use(Use::write, device_memory, 4), "");
}

TEST_F(MemoryUsesTest, AtomicAccessesAreNoRaceButWithOthers) {
  begin(1);
  EXPECT_EQ(use(Use::atomic, device_memory, 4), "");
  begin(2);
  EXPECT_EQ(use(Use::atomic, device_memory, 4), "");
  EXPECT_EQ(use(Use::shared, device_memory, 4), "");
  begin(3);
  EXPECT_NE(use(Use::read, device_memory, 4), "");
}

TEST_F(MemoryUsesTest, TheHostMeetsWhatItHasNotWaitedFor) {
  begin(1);
  use(Use::write, memory_of_both + 4, 4);
  use(Use::read, memory_of_both + 12, 4);
  EXPECT_EQ(uses_.visible_pages(), std::vector<Address>(2, memory_of_both));
  EXPECT_EQ(uses_.host_conflict(memory_of_both + 7, false), "work 1 on stream 1 writes at a.cu:7");
  EXPECT_EQ(uses_.host_conflict(memory_of_both + 8, true), "");
  EXPECT_EQ(uses_.host_conflict(memory_of_both + 12, false), "");
  EXPECT_EQ(uses_.host_conflict(memory_of_both + 12, true), "work 1 on stream 1 reads at a.cu:7");
  EXPECT_TRUE(uses_.pending(memory_of_both).writes);
  EXPECT_TRUE(uses_.pending(memory_of_both).reads);
  order_.waited = {1};
  EXPECT_EQ(uses_.host_conflict(memory_of_both + 7, true), "");
  EXPECT_FALSE(uses_.pending(memory_of_both).writes);
  EXPECT_FALSE(uses_.pending(memory_of_both).reads);
}

TEST_F(MemoryUsesTest, WhatTheHostSharesOnPurposeIsNoConflict) {
  begin(1);
  use(Use::shared, memory_of_both, 4);
  EXPECT_TRUE(uses_.visible_pages().empty());
  EXPECT_EQ(uses_.host_conflict(memory_of_both, true), "");
}

TEST_F(MemoryUsesTest, OnlyWhatTheHostSeesIsWatchedWithOneStream) {
  uses_.begin(1, false);
  EXPECT_FALSE(uses_.watches(device_memory));
  EXPECT_TRUE(uses_.watches(memory_of_both));
  EXPECT_TRUE(uses_.watches(memory_of_both_in_39_bits));
  uses_.begin(2, true);
  EXPECT_TRUE(uses_.watches(device_memory));
}

// An allocation is work of its stream, so every access has to be ordered behind it.
TEST_F(MemoryUsesTest, AccessesComeBehindTheAllocation) {
  constexpr std::uint64_t bytes = std::uint64_t{1} << 40;  // no memory is taken for it
  begin(1);
  uses_.allocates(device_memory + 512, bytes);
  for (const std::uint64_t at : {std::uint64_t{512}, std::uint64_t{5000}, bytes + 508}) {
    begin(2, {1});
    EXPECT_EQ(use(Use::read, device_memory + at, 4), "") << "what is ordered";
    begin(3, {2});
    EXPECT_EQ(use(Use::read, device_memory + at, 4),
              "on stream 3, which work 1 on stream 1 allocates, and no event or synchronisation "
              "orders the two");
  }
  begin(4);
  EXPECT_EQ(use(Use::write, device_memory + bytes + 8192, 4), "") << "behind its end";
  uses_.forget(device_memory + 512, bytes / 1024);
  begin(5);
  EXPECT_EQ(use(Use::write, device_memory + 512, 4), "") << "freed since";
}

TEST_F(MemoryUsesTest, WhatIsForgottenRacesWithNothing) {
  begin(1);
  use(Use::write, device_memory, 4);
  use(Use::write, device_memory + 4096, 4);
  uses_.forget(device_memory, 4096);
  begin(2);
  EXPECT_EQ(use(Use::read, device_memory, 4), "");
  EXPECT_NE(use(Use::read, device_memory + 4096, 4), "");
}

}  // namespace memory_uses_tests
}  // namespace warpwise::emulator
