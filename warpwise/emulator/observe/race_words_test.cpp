// The race check's runs of words: loops over touches, and single conflicts in an access of a warp.

#include "warpwise/emulator/observe/race_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "emulator/emulated.hpp"

namespace warpwise {
namespace race_words_tests {

using emulator::Fault;
using emulator::Touch;
using emulator::TouchRun;

using emulator::TouchRange;
using emulator::WordSet;

constexpr std::size_t spare = emulator::ShadowPage::spare;
constexpr emulator::Epoch most_epochs = emulator::Epoch{1} << 25;  // the limit of the race check

/// Returns a touch of one of three epochs, with any other bits. Half of the touches have few lanes
/// and all bytes, so that some are equal.
std::uint64_t touch_of(std::mt19937_64& random) {
  constexpr emulator::Epoch epochs[] = {1, 7, most_epochs - 1};
  std::uint64_t bits = random() & ~Touch::epoch_bits;
  if (random() % 2 == 0)
    bits = Touch::mask_bits | Touch::lane_part(static_cast<int>(bits % 3)) | (bits >> 8 & 15);
  return bits | Touch::epoch_part(epochs[random() % 3]);
}

TEST(RaceWords, FilledTouchesAreThoseOfTheRun) {
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 300; ++repeat) {
    TouchRun run;
    run.left = repeat % 3;
    run.right = run.left == 0 ? static_cast<int>(random() % 3) : 0;
    run.place = random() % 100;
    run.base = random();
    const std::size_t count = 1 + random() % 64;
    std::vector<std::uint64_t> now(count + spare);
    emulator::touch_loops.fill(now.data(), run, count);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(now[i], run.at(i));
  }
}

/// Does a Function's work for one word. Returns true if the Function would return this word.
using OneWord = bool (*)(std::uint64_t& old, std::uint64_t now);
using Function = WordSet (*)(std::uint64_t* old, const std::uint64_t* now, WordSet words,
                             const TouchRange& range);
struct Case {
  Function function;
  OneWord one;
};

TEST(RaceWords, LoopsOverTouchesDoWhatIsDoneForEachWord) {
  const Case cases[] = {
      {[](std::uint64_t* old, const std::uint64_t*, WordSet words, const TouchRange& range) {
         return emulator::touch_loops.in_range(old, words, range);
       },
       [](std::uint64_t&, std::uint64_t) { return true; }},
      {[](std::uint64_t* old, const std::uint64_t* now, WordSet words, const TouchRange& range) {
         return emulator::touch_loops.repeated(old, now, words, range);
       },
       [](std::uint64_t& old, std::uint64_t now) {
         const Touch a{old};
         const Touch b{now};
         return a.mask() == b.mask() && a.layout() == b.layout() &&
                ((old ^ now) & Touch::lane_bits) == 0 && !b.is(Touch::several) &&
                !a.is(Touch::several | Touch::others);
       }},
      {emulator::touch_loops.replace,
       [](std::uint64_t& old, std::uint64_t now) {
         old = now;
         return true;
       }},
      {emulator::touch_loops.merge,
       [](std::uint64_t& old, std::uint64_t now) {
         old = emulator::merged({old}, {now}).bits;
         return true;
       }},
      {[](std::uint64_t* old, const std::uint64_t*, WordSet words, const TouchRange& range) {
         return emulator::touch_loops.add_others(old, words, range);
       },
       [](std::uint64_t& old, std::uint64_t) {
         if ((old & Touch::strong) != 0) return false;
         old |= Touch::others;
         return true;
       }}};
  std::mt19937_64 random(1);
  const TouchRange ranges[] = {TouchRange::of_epoch(7),
                               TouchRange::of_epoch(most_epochs - 1),
                               {0, Touch::epoch_part(7)},
                               {0, ~std::uint64_t{0} >> 1}};
  for (int repeat = 0; repeat < 4000; ++repeat) {
    const Case& tried = cases[static_cast<std::size_t>(repeat) % std::size(cases)];
    const TouchRange range = ranges[random() % std::size(ranges)];
    const std::size_t count = 1 + random() % 64;
    const WordSet words = (random() | random()) & (~WordSet{0} >> (64 - count));
    std::vector<std::uint64_t> old(count + spare);
    std::vector<std::uint64_t> now(count + spare);
    for (std::uint64_t& each : old) each = touch_of(random);
    for (std::uint64_t& each : now) each = touch_of(random);
    std::vector<std::uint64_t> expected = old;
    WordSet chosen = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if ((words >> i & 1) == 0 || old[i] < range.first || old[i] >= range.end) continue;
      if (tried.one(expected[i], now[i])) chosen |= WordSet{1} << i;
    }
    EXPECT_EQ(tried.function(old.data(), now.data(), words, range), chosen);
    EXPECT_EQ(old, expected);
  }
}

/// Accesses of one warp whose lanes touch adjacent bytes in order. %base is the first address.
struct Form {
  int bytes;
  const char* load;
  const char* store;
};

constexpr Form forms[] = {{1, "ld.shared.u8 %r1", "st.shared.u8"},
                          {2, "ld.shared.u16 %r1", "st.shared.u16"},
                          {4, "ld.shared.u32 %r1", "st.shared.u32"},
                          {8, "ld.shared.v2.u32 {%r1, %r2}", "st.shared.v2.u32"},
                          {16, "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}", "st.shared.v4.u32"}};

std::string stored(const Form& form) {
  return form.bytes == 16 ? "{%t, %t, %t, %t}" : form.bytes == 8 ? "{%t, %t}" : "%t";
}

// Each of these threads writes one byte before warp 2 accesses its bytes.
constexpr int first_writer = 3;
constexpr int second_writer = 40;

/// Returns the faults if warp 2's lanes below `lanes` access the bytes from `begin` on.
std::vector<Fault> faults_of(const Form& form, int begin, const int (&bytes)[2], bool writes,
                             int lanes, emulator::Engine engine) {
  const std::string access = writes ? form.store + std::string(" [%at], ") + stored(form)
                                    : form.load + std::string(", [%at]");
  const auto write = [&](int thread, int byte) {
    return "setp.ne.u32 %p, %t, " + std::to_string(thread) + ";\n@%p bra NEXT" +
           std::to_string(thread) + ";\nst.shared.u8 [%base+" + std::to_string(byte) +
           "], %t;\nNEXT" + std::to_string(thread) + ":\n";
  };
  test::Emulated emulated(
      ".version 8.4\n.target sm_90\n.address_size 64\n.file 1 \"race.cu\"\n"
      ".visible .entry race()\n{\n.reg .pred %p;\n"
      ".reg .b32 %t, %lane, %at, %base, %r1, %r2, %r3, %r4;\n.shared .align 16 .b8 tile[8192];\n"
      "mov.u32 %t, %tid.x;\nmov.u32 %base, tile;\nsub.u32 %lane, %t, 64;\n.loc 1 10 0\n" +
      write(first_writer, bytes[0]) + write(second_writer, bytes[1]) +
      "setp.lt.u32 %p, %t, 64;\n@%p bra END;\nmad.lo.u32 %at, %lane, " +
      std::to_string(form.bytes) + ", %base;\nadd.u32 %at, %at, " + std::to_string(begin) +
      ";\nsetp.ge.u32 %p, %lane, " + std::to_string(lanes) + ";\n@%p bra END;\n.loc 1 11 0\n" +
      access + ";\nEND:\nret;\n}\n");
  emulated.options.checks = {emulator::Check::races};
  emulated.options.engine = engine;
  return emulated.launch("race", {1}, {96}).faults;
}

TEST(RaceWords, ConflictsInAnyPartOfARunAreFound) {
  std::mt19937 random(1);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int repeat = 0; repeat < 400; ++repeat) {
    const Form& form = forms[repeat % std::size(forms)];
    // Some accesses begin inside a 4-byte word, and some cross a page boundary at byte 4096.
    const int begin = form.bytes * (below(2) == 0 ? below(40) : 4096 / form.bytes - below(32));
    const int lanes = below(2) == 0 ? 32 : 1 + below(32);
    const int all = 32 * form.bytes;
    const int bytes[2] = {begin + below(all + 8), begin + below(all + 8)};
    const bool writes = below(2) == 0;
    std::vector<int> found;  // lanes whose bytes another thread has written
    // The check remembers one writer of each word.
    const bool one_word = bytes[0] / 4 == bytes[1] / 4;
    for (const int byte : bytes) {
      const int lane = (byte - begin) / form.bytes;
      if (one_word && byte != bytes[1]) continue;
      if (lane < lanes && (found.empty() || found[0] != lane)) found.push_back(lane);
    }
    for (const auto engine : {emulator::Engine::interpreter, emulator::Engine::machine_code}) {
      const std::vector<Fault> faults = faults_of(form, begin, bytes, writes, lanes, engine);
      const std::string text = std::to_string(form.bytes) + " bytes at " + std::to_string(begin) +
                               ", written " + std::to_string(bytes[0]) + " and " +
                               std::to_string(bytes[1]) + ", lanes " + std::to_string(lanes);
      std::uint64_t count = 0;
      for (const Fault& fault : faults) {
        if (fault.line != 11) continue;  // the writers may race with each other
        count += fault.count;
        const int lane = static_cast<int>(fault.thread.x) - 64;
        EXPECT_EQ(lane, *std::ranges::min_element(found)) << text;
        if (!one_word && found.size() == 1) continue;  // either of the two may be named
        const bool of_first = !one_word && (bytes[0] - begin) / form.bytes == lane;
        EXPECT_NE(fault.message.find("byte " + std::to_string(bytes[of_first ? 0 : 1]) + " of"),
                  std::string::npos)
            << text << ": " << fault.message;
        EXPECT_NE(fault.message.find("thread (" +
                                     std::to_string(of_first ? first_writer : second_writer) +
                                     ",0,0) writes"),
                  std::string::npos)
            << text << ": " << fault.message;
      }
      EXPECT_EQ(count, found.size()) << text;
    }
  }
}

}  // namespace race_words_tests
}  // namespace warpwise
