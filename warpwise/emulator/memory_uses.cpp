#include "warpwise/emulator/memory_uses.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "warpwise/emulator/device.hpp"

namespace warpwise::emulator {
namespace {

// Largest number of entries in `users_`, 4 GiB in all. An id shares 32 bits with a mask of 4 bytes
// (MemoryUses::Words). Usually a wait for all streams clears `users_` long before. At the limit,
// all remembered accesses are forgotten.
constexpr std::size_t most_users = std::size_t{1} << 28;

bool is_atomic(Use use) { return use == Use::atomic || use == Use::shared; }

}  // namespace

void MemoryUses::begin(WorkNumber work, bool everywhere) {
  work_ = work;
  everywhere_ = everywhere;
  first_id_ = static_cast<std::uint32_t>(users_.size());
  for (auto& each : ids_) each.clear();
  recent_.fill({});
  visible_pages_.clear();
  verdicts_.fill({});
}

bool MemoryUses::watches(Address address) const {
  return everywhere_ || may_be_host_visible(address);
}

void MemoryUses::from(const void* instruction, Use use, const std::function<std::string()>& line) {
  use_ = use;
  Recent& recent = recent_[reinterpret_cast<std::uintptr_t>(instruction) / 64 % recent_.size()];
  if (recent.id != 0 && recent.instruction == instruction && recent.use == use) {
    id_ = recent.id;
    return;
  }
  if (users_.size() == most_users) forget();  // this empties `ids_` too
  const auto [found, is_new] = ids_[static_cast<std::size_t>(use)].try_emplace(instruction, 0);
  if (is_new) {
    found->second = static_cast<std::uint32_t>(users_.size());
    users_.push_back({work_, use, &*lines_.insert(line()).first});
  }
  id_ = found->second;
  recent = {instruction, use, id_};
}

MemoryUses::Page& MemoryUses::page_of(Address address) {
  const Address number = address / page_bytes;
  if (number != last_page_) {
    last_page_ = number;
    last_settled_ = may_be_host_visible(address) ? ~Address{0} : number;
    const auto [found, is_new] = pages_.try_emplace(number);
    last_ = &found->second;
    if (const std::uint32_t id = is_new ? allocating(number * page_bytes) : 0; id != 0) {
      last_->writes = std::make_unique<Words>();
      last_->writes->fill(id << mask_bits | mask_of_all);
    }
  }
  return *last_;
}

std::uint32_t MemoryUses::allocating(Address page) const {
  const auto after = allocated_.lower_bound(page + page_bytes);
  if (after == allocated_.begin()) return 0;
  const Allocated& before = std::prev(after)->second;
  return before.end > page ? before.id : 0;
}

void MemoryUses::allocates(Address begin, std::uint64_t bytes) {
  from(nullptr, Use::allocation, [] { return std::string(); });
  allocated_[begin] = {begin + bytes, id_};
}

void MemoryUses::note_visible(Page& page, Address address) {
  if (use_ == Use::shared) return;
  std::vector<WorkNumber>& works = use_ == Use::read ? page.readers : page.writers;
  if (!works.empty() && works.back() == work_) return;
  if (std::erase_if(works, [&](WorkNumber each) { return order_.host_has_waited_for(each); }))
    page.is_waited_for = true;
  works.push_back(work_);
  visible_pages_.push_back(address / page_bytes * page_bytes);
}

bool MemoryUses::ask_order(std::uint32_t id) {
  const WorkNumber work = users_[id].work;
  const bool is_behind = work == work_ || order_.comes_behind(work);
  verdicts_[id % verdicts_.size()] = {id, is_behind};
  return is_behind;
}

bool MemoryUses::collides(std::uint32_t old, unsigned mask) {
  if ((old & mask) == 0) return false;
  const std::uint32_t id = old >> mask_bits;
  if (id == id_ || is_behind(id)) return false;
  return !is_atomic(use_) || !is_atomic(users_[id].use);
}

void MemoryUses::touch_word(Page& page, std::size_t word, unsigned mask, std::uint32_t& rival) {
  if (page.writes && collides((*page.writes)[word], mask)) rival = (*page.writes)[word];
  if (use_ != Use::read) {
    for (auto& reads : page.reads) {
      if (reads && collides((*reads)[word], mask)) rival = (*reads)[word];
    }
    return remember((*page.writes)[word], mask);
  }
  std::uint32_t& first = (*page.reads[0])[word];
  if (is_behind(first >> mask_bits)) return remember(first, mask);
  if (page.reads[1] == nullptr) page.reads[1] = std::make_unique<Words>();
  std::uint32_t& second = (*page.reads[1])[word];
  if (is_behind(second >> mask_bits)) return remember(second, mask);
  // Drops the oldest of the three reads.
  first = second;
  second = id_ << mask_bits | mask;
}

MemoryUses::Page& MemoryUses::page_to_touch(Address address) {
  Page& page = page_of(address);
  auto& own = use_ == Use::read ? page.reads[0] : page.writes;
  if (own == nullptr) own = std::make_unique<Words>();
  if (may_be_host_visible(address)) note_visible(page, address);
  return page;
}

bool MemoryUses::are_behind(const std::unique_ptr<Words>& uses, std::size_t first,
                            std::size_t count) {
  if (uses == nullptr) return true;
  const std::uint32_t* const all = uses->data() + first;
  for (std::size_t i = 0; i < count;) {
    const std::uint32_t use = all[i];
    if (!is_behind(use >> mask_bits)) return false;
    while (++i < count && all[i] == use) {
    }
  }
  return true;
}

bool MemoryUses::settle(Page& page, Address begin, Address end) {
  const std::size_t first = begin / 4 % words;
  const std::size_t count = (end + 3) / 4 - begin / 4;
  if (!are_behind(page.writes, first, count) || !are_behind(page.reads[0], first, count) ||
      (use_ != Use::read && !are_behind(page.reads[1], first, count)))
    return false;
  std::uint32_t* const own = (use_ == Use::read ? page.reads[0] : page.writes)->data() + first;
  const unsigned mask_of_first = mask_of_all << (begin & 3) & mask_of_all;
  const unsigned mask_of_last = mask_of_all >> (-end & 3);
  if (count == 1) {
    remember(own[0], mask_of_first & mask_of_last);
    return true;
  }
  remember(own[0], mask_of_first);
  remember(own[count - 1], mask_of_last);
  std::fill(own + 1, own + count - 1, id_ << mask_bits | mask_of_all);
  return true;
}

std::string MemoryUses::touch(Address begin, std::uint64_t bytes, Address* at) {
  std::uint32_t found = 0;
  const Address end = begin + bytes;
  for (Address address = begin; address < end;) {
    Page& page = page_to_touch(address);
    const Address stop = std::min(end, (address / page_bytes + 1) * page_bytes);
    if (settle(page, address, stop)) address = stop;
    while (address < stop) {
      const Address word = address & ~Address{3};
      const Address next = std::min(stop, word + 4);
      const unsigned mask = (mask_of_all >> (4 - (next - address))) << (address - word);
      std::uint32_t rival = 0;
      touch_word(page, word / 4 % words, mask, rival);
      if (rival != 0 && found == 0) {
        found = rival >> mask_bits;
        *at = word + static_cast<Address>(std::countr_zero(rival & mask));
      }
      address = next;
    }
  }
  if (found == 0) return {};
  return "on " + order_.stream_of(work_) + ", which " + user_text(found) +
         ", and no event or synchronisation orders the two";
}

std::string MemoryUses::user_text(std::uint32_t id) const {
  const User& user = users_[id];
  return order_.described(user.work) + " " + std::string(name_of(user.use)) +
         (user.line->empty() ? "" : " at " + *user.line);
}

std::string MemoryUses::host_conflict(Address byte, bool writes) const {
  const auto page = pages_.find(byte / page_bytes);
  if (page == pages_.end()) return {};
  const unsigned mask = 1U << (byte & 3);
  const auto conflict = [&](const std::unique_ptr<Words>& uses) -> std::uint32_t {
    if (uses == nullptr) return 0;
    const std::uint32_t use = (*uses)[byte / 4 % words];
    const std::uint32_t id = use >> mask_bits;
    const bool is_none = (use & mask) == 0 || users_[id].use == Use::shared ||
                         order_.host_has_waited_for(users_[id].work);
    return is_none ? 0 : id;
  };
  std::uint32_t id = conflict(page->second.writes);
  for (const auto& reads : page->second.reads) {
    if (id == 0 && writes) id = conflict(reads);
  }
  return id == 0 ? std::string() : user_text(id);
}

MemoryUses::Pending MemoryUses::pending(Address address) {
  const auto found = pages_.find(address / page_bytes);
  if (found == pages_.end()) return {};
  Page& page = found->second;
  for (auto* works : {&page.writers, &page.readers}) {
    if (std::erase_if(*works, [&](WorkNumber each) { return order_.host_has_waited_for(each); }))
      page.is_waited_for = true;
  }
  const bool is_any = !page.writers.empty() || !page.readers.empty();
  return {!page.writers.empty(), !page.readers.empty(),
          is_any && page.is_waited_for && has_waited_for_bytes(page)};
}

bool MemoryUses::has_waited_for_bytes(const Page& page) const {
  for (std::size_t word = 0; word < words; ++word) {
    unsigned waited = 0;
    unsigned pending = 0;
    for (const Words* uses : {page.writes.get(), page.reads[0].get(), page.reads[1].get()}) {
      const std::uint32_t use = uses == nullptr ? 0 : (*uses)[word];
      if (use == 0) continue;
      const bool is_done = order_.host_has_waited_for(users_[use >> mask_bits].work);
      (is_done ? waited : pending) |= use & mask_of_all;
    }
    if ((waited & ~pending) != 0) return true;
  }
  return false;
}

void MemoryUses::forget(Address begin, std::uint64_t bytes) {
  last_page_ = last_settled_ = ~Address{0};
  allocated_.erase(allocated_.lower_bound(begin), allocated_.lower_bound(begin + bytes));
  if (pages_.empty()) return;
  for (Address page = begin / page_bytes; page <= (begin + bytes - 1) / page_bytes; ++page)
    pages_.erase(page);
}

void MemoryUses::forget() {
  last_page_ = last_settled_ = ~Address{0};
  pages_.clear();
  allocated_.clear();
  for (auto& each : ids_) each.clear();
  recent_.fill({});
  lines_.clear();
  users_.resize(1);
  first_id_ = 1;
}

}  // namespace warpwise::emulator
