#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "warpwise/base/export.hpp"
#include "warpwise/emulator/emulator.hpp"

// Records which device memory a program's launches, copies and fills access. Finds races between
// streams, and host accesses without a wait.
namespace warpwise::emulator {

/// Number of a launch, a copy or a fill, from 1 in the order of the program's calls.
using WorkNumber = std::uint32_t;

/// The order of a program's launches, copies and fills, as far as its streams, events and waits
/// guarantee it.
class WorkOrder {
 public:
  virtual ~WorkOrder() = default;
  /// Returns true if, on every GPU, the current work starts after `earlier` has ended.
  virtual bool comes_behind(WorkNumber earlier) const = 0;
  /// Returns true if the host has waited for the work.
  virtual bool host_has_waited_for(WorkNumber work) const = 0;
  /// Describes a piece of work: "kernel scale(int*) on stream 1".
  virtual std::string described(WorkNumber work) const = 0;
  /// Names only the stream: "stream 1".
  virtual std::string stream_of(WorkNumber work) const = 0;
};

enum class Use : std::uint8_t {
  read,
  write,
  atomic,
  shared,  ///< volatile, relaxed, acquire or release in PTX; the host may access the bytes too
  allocation,
};
/// Returns the verbs for messages.
constexpr auto enum_names(Use) {
  return std::to_array<EnumName<Use>>({{Use::read, "reads"},
                                       {Use::write, "writes"},
                                       {Use::atomic, "accesses atomically"},
                                       {Use::shared, "accesses for the host too"},
                                       {Use::allocation, "allocates"}});
}

/// Remembers the last write and two reads of each 4-byte word. This takes up to 12 bytes a word, in
/// pages of 4096 bytes of accessed memory. Every report is a race. Some races are not reported,
/// because a word keeps only
///
/// - two reads, even if more unordered works read the word
/// - the last work, if several works access different bytes of the word
///
/// Other libraries call the exported members, some from inline code. The others can be inlined.
class MemoryUses {
 public:
  explicit MemoryUses(const WorkOrder& order) : order_(order) {}
  MemoryUses(const MemoryUses&) = delete;
  MemoryUses& operator=(const MemoryUses&) = delete;

  /// Begins the next work.
  /// \param everywhere  remember all that the work accesses, not only memory that the host sees
  WARPWISE_EXPORT void begin(WorkNumber work, bool everywhere);
  /// Returns true if accesses to this address are remembered.
  WARPWISE_EXPORT bool watches(Address address) const;
  /// Returns true if accesses to all addresses are remembered.
  bool watches_all() const { return everywhere_; }

  /// Sets the source of the accesses that follow.
  /// \param instruction  null for a copy or a fill
  /// \param line  gives the source line; called at the instruction's first use in this work
  WARPWISE_EXPORT void from(const void* instruction, Use use,
                            const std::function<std::string()>& line);
  /// Records that the current work accesses bytes. Returns the conflict, or an empty text: "on
  /// stream 2, which kernel scale(int*) on stream 1 writes at a.cu:12, and no event or
  /// synchronisation orders the two".
  /// \param at  receives the conflicting byte's address
  WARPWISE_EXPORT std::string touch(Address begin, std::uint64_t bytes, Address* at);
  /// Fast path of touch() for bytes of one word, in the page that was touched last. Returns false,
  /// and records nothing, if only touch() can handle the access.
  bool touch_settled_word(Address begin, std::uint64_t bytes) {
    if (begin / page_bytes != last_settled_) return false;
    const std::size_t word = begin / 4 % words;
    const auto behind = [&](const std::unique_ptr<Words>& uses) {
      return uses == nullptr || is_behind((*uses)[word] >> mask_bits);
    };
    const bool is_read = use_ == Use::read;
    const auto& own = is_read ? last_->reads[0] : last_->writes;
    if (own == nullptr || !behind(last_->writes) || !behind(last_->reads[0]) ||
        !(is_read || behind(last_->reads[1])))
      return false;
    remember((*own)[word], ((1U << bytes) - 1) << (begin & 3));
    return true;
  }
  /// Records that the current work allocates bytes: accesses must be ordered after the allocation.
  WARPWISE_EXPORT void allocates(Address begin, std::uint64_t bytes);
  /// Describes the conflict if the host accesses this byte now; empty if there is none.
  WARPWISE_EXPORT std::string host_conflict(Address byte, bool writes) const;

  /// Returns addresses of the host-visible pages that the current work accesses. Pages with only
  /// Use::shared accesses are left out.
  const std::vector<Address>& visible_pages() const { return visible_pages_; }
  /// Accesses to a page by pending work: the host has not waited for it.
  struct Pending {
    bool writes = false;
    bool reads = false;
    /// True if the host may access some bytes of the page: only finished work accessed them.
    bool is_shared = false;
  };
  WARPWISE_EXPORT Pending pending(Address page);

  /// Forgets all accesses to these bytes, or to all memory.
  WARPWISE_EXPORT void forget(Address begin, std::uint64_t bytes);
  WARPWISE_EXPORT void forget();

  static constexpr std::uint64_t page_bytes = 4096;

 private:
  static constexpr std::size_t words = page_bytes / 4;
  static constexpr int mask_bits = 4;
  static constexpr std::uint32_t mask_of_all = 15;
  using Words = std::array<std::uint32_t, words>;  ///< id and byte mask of each word; 0: no access

  struct Page {
    // Allocated at first use.
    std::unique_ptr<Words> writes;
    std::array<std::unique_ptr<Words>, 2> reads;
    std::vector<WorkNumber> writers;  ///< writers of host-visible memory
    std::vector<WorkNumber> readers;
    bool is_waited_for = false;  ///< works were removed above after the host waited for them
  };
  /// One instruction's accesses in one work, or a copy, fill or allocation. Its id is its index in
  /// `users_`.
  struct User {
    WorkNumber work = 0;
    Use use = Use::read;
    const std::string* line = nullptr;  ///< empty for a copy, fill or allocation
  };
  struct Verdict {
    std::uint32_t id = 0;
    bool is_behind = false;
  };

  Page& page_of(Address address);
  /// Returns the id in `users_` of the work that allocated a page's bytes; 0 if it is not known.
  std::uint32_t allocating(Address page) const;
  void note_visible(Page& page, Address address);
  bool has_waited_for_bytes(const Page& page) const;
  /// Returns true if an id stands for no access, or for one of the current work.
  bool is_own(std::uint32_t id) const { return id == 0 || id >= first_id_; }
  /// Returns true if the order lets the current work access what `id` has accessed.
  bool is_behind(std::uint32_t id) {
    if (is_own(id)) return true;
    const Verdict& verdict = verdicts_[id % verdicts_.size()];
    return verdict.id == id ? verdict.is_behind : ask_order(id);
  }
  /// Returns is_behind() of an id that is not the current work's, and keeps the answer.
  WARPWISE_EXPORT bool ask_order(std::uint32_t id);
  bool are_behind(const std::unique_ptr<Words>& uses, std::size_t first, std::size_t count);
  bool collides(std::uint32_t old, unsigned mask);
  void remember(std::uint32_t& old, unsigned mask) const {
    // If the same work has accessed other bytes of this word before, they stay remembered.
    if (is_own(old >> mask_bits)) mask |= old & mask_of_all;
    old = id_ << mask_bits | mask;
  }
  /// Returns a page in which the current work can record its use.
  Page& page_to_touch(Address address);
  /// Records an access to bytes of one page, if every earlier access precedes it. Otherwise returns
  /// false and records nothing.
  bool settle(Page& page, Address begin, Address end);
  void touch_word(Page& page, std::size_t word, unsigned mask, std::uint32_t& rival);
  std::string user_text(std::uint32_t id) const;

  const WorkOrder& order_;
  WorkNumber work_ = 0;
  bool everywhere_ = false;
  Use use_ = Use::read;
  std::uint32_t id_ = 0;
  std::uint32_t first_id_ = 1;      ///< first id of the current work; all later ids are its own
  std::vector<User> users_ = {{}};  ///< indexed by id; id 0 stands for no access
  /// Ids of the current work's instructions, one map for each Use.
  std::array<std::unordered_map<const void*, std::uint32_t>, 5> ids_;
  struct Recent {
    const void* instruction = nullptr;
    Use use = Use::read;
    std::uint32_t id = 0;
  };
  std::array<Recent, 64> recent_{};  ///< a cache of `ids_`, by the instruction's address
  std::unordered_set<std::string> lines_;
  std::unordered_map<Address, Page> pages_;
  struct Allocated {
    Address end = 0;
    std::uint32_t id = 0;
  };
  /// Allocations of cudaMallocAsync(), by their first address. No two of them share a page.
  std::map<Address, Allocated> allocated_;
  std::vector<Address> visible_pages_;
  std::array<Verdict, 8> verdicts_{};
  Address last_page_ = ~Address{0};
  Page* last_ = nullptr;
  Address last_settled_ = ~Address{0};  ///< `last_page_`, if the host does not see that page
};

}  // namespace warpwise::emulator
