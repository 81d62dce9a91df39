#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "warpwise/base/export.hpp"
#include "warpwise/emulator/emulator.hpp"

// What a program's launches, copies and fills touch of a device's memory: for races between those
// on different streams, and for what the host touches without having waited.
namespace warpwise::emulator {

/// A launch, a copy or a fill, numbered from 1 in the order in which the program asked for them.
using WorkNumber = std::uint32_t;

/// What a CUDA runtime knows of the work that it gives a device.
class WorkOrder {
 public:
  virtual ~WorkOrder() = default;
  /// Whether the work that is being done comes behind an earlier one on every GPU.
  virtual bool comes_behind(WorkNumber earlier) const = 0;
  /// Whether the host has waited for a work.
  virtual bool host_has_waited_for(WorkNumber work) const = 0;
  /// "kernel scale(int*) on stream 1".
  virtual std::string described(WorkNumber work) const = 0;
  /// The stream alone: "stream 1".
  virtual std::string stream_of(WorkNumber work) const = 0;
};

enum class Use : std::uint8_t {
  read,
  write,
  atomic,
  shared,  ///< volatile, or what PTX calls relaxed, acquiring or releasing: the host may look on
};
/// As messages call them.
constexpr auto enum_names(Use) {
  return std::to_array<EnumName<Use>>({{Use::read, "reads"},
                                       {Use::write, "writes"},
                                       {Use::atomic, "accesses atomically"},
                                       {Use::shared, "accesses for the host too"}});
}

/// Remembers of each word of 4 bytes the last write and two reads: 12 bytes, in pages of 4096 bytes
/// of what is touched. What it forgets by that: of more than two works that read a word, which
/// nothing orders, all but two; and of works that touch different bytes of one word all but the
/// last. So what it reports is a race, and what it does not report need not be none.
class WARPWISE_EXPORT MemoryUses {
 public:
  explicit MemoryUses(const WorkOrder& order) : order_(order) {}
  MemoryUses(const MemoryUses&) = delete;
  MemoryUses& operator=(const MemoryUses&) = delete;

  /// The work that is done from now on. \param everywhere  all that it touches is remembered; else
  /// only what the host sees too
  void begin(WorkNumber work, bool everywhere);
  /// Whether uses of this address are remembered.
  bool watches(Address address) const;

  /// From where the current work touches memory from now on: an instruction, or null for a copy or
  /// a fill. \param line  gives its source line, if this is the first time in this work
  void from(const void* instruction, Use use, const std::function<std::string()>& line);
  /// The current work touches bytes. Returns what is wrong with it, or nothing: "on stream 2, which
  /// kernel scale(int*) on stream 1 writes at a.cu:12, and no event or synchronisation orders the
  /// two". \param at  where it is told at which byte
  std::string touch(Address begin, std::uint64_t bytes, Address* at);
  /// What is wrong with the host touching a byte now; empty if nothing is.
  std::string host_conflict(Address byte, bool writes) const;

  /// What pages that the host sees the current work has touched, by their first addresses.
  const std::vector<Address>& visible_pages() const { return visible_pages_; }
  /// Whether work that the host has not waited for writes to a page, or reads it.
  struct Pending {
    bool writes = false;
    bool reads = false;
    bool is_shared = false;  ///< some of its bytes only by work that the host has waited for
  };
  Pending pending(Address page);

  /// Nothing that was done matters any more in these bytes, or anywhere.
  void forget(Address begin, std::uint64_t bytes);
  void forget();

  static constexpr std::uint64_t page_bytes = 4096;

 private:
  static constexpr std::size_t words = page_bytes / 4;
  using Words = std::array<std::uint32_t, words>;  ///< an id and a mask of bytes each; 0: nobody

  struct Page {
    // Each from its first use on.
    std::unique_ptr<Words> writes;
    std::array<std::unique_ptr<Words>, 2> reads;
    std::vector<WorkNumber> writers;  ///< of what the host sees too
    std::vector<WorkNumber> readers;
    bool is_waited_for = false;  ///< by the host, for work that is none of these any more
  };
  /// What an id stands for.
  struct User {
    WorkNumber work = 0;
    Use use = Use::read;
    const std::string* line = nullptr;  ///< empty for a copy or a fill
  };
  struct Verdict {
    std::uint32_t id = 0;
    bool is_behind = false;
  };

  Page& page_of(Address address);
  void note_visible(Page& page, Address address);
  bool has_waited_for_bytes(const Page& page) const;
  bool is_behind(std::uint32_t id);
  bool collides(std::uint32_t old, unsigned mask);
  void remember(std::uint32_t& old, unsigned mask);
  void touch_word(Page& page, std::size_t word, unsigned mask, std::uint32_t& rival);
  std::string user_text(std::uint32_t id) const;

  const WorkOrder& order_;
  WorkNumber work_ = 0;
  bool everywhere_ = false;
  Use use_ = Use::read;
  std::uint32_t id_ = 0;
  std::vector<User> users_ = {{}};  ///< id 0 is nobody
  /// Of the current work's instructions, by how they use memory.
  std::array<std::unordered_map<const void*, std::uint32_t>, 4> ids_;
  std::unordered_set<std::string> lines_;
  std::unordered_map<Address, Page> pages_;
  std::vector<Address> visible_pages_;
  std::array<Verdict, 8> verdicts_{};
  Address last_page_ = ~Address{0};
  Page* last_ = nullptr;
};

}  // namespace warpwise::emulator
