// The race check: kernels that race, and look-alikes that do not.

#include <gtest/gtest.h>

#include "emulator/emulated.hpp"
#include "support/peak_memory.hpp"

namespace warpwise {
namespace races_tests {

using emulator::Dim3;
using emulator::Fault;
using emulator::FaultKind;
using emulator::LaunchResult;
using test::Emulated;

/// Returns a kernel with 512 bytes of shared memory, whose body begins on line 10. %t is the
/// thread's number, %own the address of its word in shared memory, %other the address for the
/// thread in the same lane of the other warp.
std::string kernel_text(const std::string& body) {
  return ".version 8.4\n.target sm_90\n.address_size 64\n.file 1 \"race.cu\"\n"
         ".global .u32 counter;\n"
         ".visible .entry race()\n{\n.reg .pred %p, %q;\n.reg .b32 %t, %own, %other, %base, "
         "%r<9>;\n"
         ".shared .align 4 .b8 tile[512];\n"
         "mov.u32 %t, %tid.x;\nmov.u32 %base, tile;\nshl.b32 %own, %t, 2;\n"
         "xor.b32 %other, %own, 128;\nadd.u32 %own, %own, %base;\nadd.u32 %other, %other, %base;\n"
         ".loc 1 10 0\n" +
         body + "\nret;\n}\n";
}

LaunchResult launch(const std::string& body, std::uint32_t threads = 64,
                    emulator::Check check = emulator::Check::races) {
  Emulated emulated(kernel_text(body));
  emulated.options.checks = {check};
  return emulated.launch("race", {2}, {threads});
}

/// Expects that one of the reported races is on this line and has this message.
void expect_race(const std::string& body, int line, const std::string& message) {
  bool is_found = false;
  std::string all;
  for (const Fault& fault : launch(body).faults) {
    EXPECT_EQ(fault.kind, FaultKind::race);
    EXPECT_EQ(fault.file, "race.cu");
    all += std::to_string(fault.line) + ": " + fault.message + "\n";
    is_found |= fault.line == line && fault.message.find(message) != std::string::npos;
  }
  EXPECT_TRUE(is_found) << body << "\n" << all;
}

void expect_clean(const std::string& body) {
  for (const Fault& fault : launch(body).faults) ADD_FAILURE() << body << "\n" << fault.message;
}

// Lane 5 reads a byte. Adjacent lanes then read adjacent bytes, the last of them the same byte.
TEST(Races, AByteAtTheEndOfARunHasTwoReaders) {
  const auto body = [](const std::string& first, const std::string& run, int writer,
                       const std::string& byte) {
    return "setp.ne.u32 %p, %t, 5;\n@%p bra A;\nld.shared.u8 %r1, [%base+" + byte + "];\nA:\n" +
           first + "@%p bra B;\nadd.u32 %own, %base, %t;\nld.shared.u8 %r1, [%own+" + run +
           "];\nB:\nsetp.ne.u32 %p, %t, " + std::to_string(writer) +
           ";\n@%p bra C;\n.loc 1 11 0\nst.shared.u8 [%base+" + byte + "], %t;\nC:";
  };
  const std::string two = "setp.gt.u32 %p, %t, 1;\n";
  const std::string message = " of shared memory, which another thread of its warp reads";
  expect_race(body(two, "3", 1, "4"), 11, "write of byte 4" + message);
  expect_race(body(two + "@%p bra S;\nbar.warp.sync 3;\nS:\n", "3", 5, "4"), 11,
              "write of byte 4" + message);
  expect_race(body("setp.gt.u32 %p, %t, 31;\n", "1", 31, "32"), 11, "write of byte 32" + message);
}

TEST(Races, WriteThenReadAcrossWarps) {
  expect_race("st.shared.u32 [%own], %t;\n.loc 1 11 0\nld.shared.u32 %r1, [%other];", 11,
              "read of byte 0 of shared memory, which thread (0,0,0) writes at race.cu:10");
  expect_clean("st.shared.u32 [%own], %t;\nbar.sync 0;\nld.shared.u32 %r1, [%other];");
}

TEST(Races, ReadThenWriteAcrossWarps) {
  expect_race("ld.shared.u32 %r1, [%other];\n.loc 1 12 0\nst.shared.u32 [%own], %t;", 12,
              "write of byte 128 of shared memory, which thread (0,0,0) reads");
  expect_clean("ld.shared.u32 %r1, [%other];\nbar.sync 0;\nst.shared.u32 [%own], %t;");
}

TEST(Races, TwoWrites) {
  expect_race("st.shared.u32 [%base], %t;", 10, "write of byte 0");
  // A flag that all threads set to the same value.
  expect_clean("mov.u32 %r1, 1;\nst.shared.u32 [%base], %r1;");
}

TEST(Races, AnExitThatNoLaneTakesOrdersNothing) {
  expect_race(
      "st.shared.u32 [%own], %t;\nsetp.gt.u32 %p, %t, 4096;\n@%p exit;\n.loc 1 11 0\n"
      "xor.b32 %r1, %own, 4;\nld.shared.u32 %r2, [%r1];",
      11, "read of byte");
}

TEST(Races, OnlyBytesThatAreTouched) {
  expect_clean(
      "add.u32 %r1, %base, %t;\nst.shared.u8 [%r1], %t;\nbar.sync 0;\nxor.b32 %r2, %t, 32;\n"
      "add.u32 %r2, %r2, %base;\nld.shared.u8 %r3, [%r2];");
  expect_race(
      "add.u32 %r1, %base, %t;\nst.shared.u8 [%r1], %t;\n.loc 1 11 0\nand.b32 %r2, %t, 31;\n"
      "add.u32 %r2, %r2, %base;\nld.shared.u8 %r3, [%r2];",
      11, "read of byte 0");
}

TEST(Races, LanesOfAWarp) {
  const std::string neighbour = "xor.b32 %r2, %own, 4;\n";
  expect_race(neighbour + "st.shared.u32 [%own], %t;\n.loc 1 11 0\nld.shared.u32 %r1, [%r2];", 11,
              "read of byte");
  expect_clean(neighbour +
               "st.shared.u32 [%own], %t;\nbar.warp.sync -1;\nld.shared.u32 %r1, [%r2];\n"
               "bar.warp.sync -1;\nst.shared.u32 [%own], %r1;");
  // Several lanes read a word that one of them writes next.
  expect_race(
      "and.b32 %r2, %own, 384;\nadd.u32 %r2, %r2, %base;\nand.b32 %r3, %t, 31;\n"
      "setp.eq.u32 %p, %r3, 0;\nld.shared.u32 %r1, [%r2];\n.loc 1 12 0\n"
      "@%p st.shared.u32 [%r2], %t;",
      12, "which thread (31,0,0) reads");
  // A lane reads its word. In the warp's next step another lane reads the word. Then the first lane
  // writes it.
  const std::string beside = neighbour +
                             "ld.shared.u32 %r1, [%own];\nsetp.eq.u32 %p, %t, 31;\n@%p exit;\n"
                             "ld.shared.u32 %r1, [%r2];\n.loc 1 12 0\n";
  expect_race(beside + "st.shared.u32 [%own], %t;", 12, "another thread of its warp reads");
  expect_clean(beside + "bar.warp.sync 0x7fffffff;\nst.shared.u32 [%own], %t;");
}

/// The number of lanes that race, and the first one. Each lane of a warp has written a word, and
/// then all read.
struct Racers {
  std::uint64_t count = 0;
  std::uint32_t first = 0;
  friend bool operator==(const Racers&, const Racers&) = default;
};

Racers racers(const std::string& read) {
  const LaunchResult result = launch("st.shared.u32 [%own], %t;\n.loc 1 11 0\n" + read, 32);
  if (result.faults.empty()) return {};
  EXPECT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].line, 11);
  return {result.faults[0].count / 2, result.faults[0].thread.x};  // two blocks count
}

TEST(Races, LanesThatReadTheSame) {
  // In a tile of 16 columns, each half of the warp reads one word of the tile.
  const std::string word_of_half =
      "shr.u32 %r1, %t, 4;\nshl.b32 %r1, %r1, 2;\nadd.u32 %r1, %r1, %base;\n";
  EXPECT_EQ(racers(word_of_half + "ld.shared.u32 %r2, [%r1];"), (Racers{31, 1}));
  // Both halves read the same 16 words. The first half reads its own words.
  const std::string words_again =
      "and.b32 %r1, %t, 15;\nshl.b32 %r1, %r1, 2;\nadd.u32 %r1, %r1, %base;\n";
  EXPECT_EQ(racers(words_again + "ld.shared.u32 %r2, [%r1];"), (Racers{16, 16}));
  // Two 2-byte stores to a word give the same races as one 4-byte store.
  EXPECT_EQ(racers("st.shared.u16 [%own], %t;\nst.shared.u16 [%own+2], %t;\n" + words_again +
                   "ld.shared.u32 %r2, [%r1];"),
            (Racers{16, 16}));
  for (const std::string& addresses : {word_of_half, words_again}) {
    expect_clean("st.shared.u32 [%own], %t;\nbar.sync 0;\n" + addresses +
                 "ld.shared.u32 %r2, [%r1];\nbar.sync 0;\nst.shared.u32 [%own], %t;");
    expect_race(addresses + "ld.shared.u32 %r2, [%r1];\n.loc 1 11 0\nst.shared.u32 [%other], %t;",
                11, "reads at race.cu:10");
  }
}

TEST(Races, BarriersOfSomeWarps) {
  // The first warp fills the tile, and the second warp waits for it.
  const std::string roles =
      "setp.lt.u32 %p, %t, 32;\n@!%p bra CONSUMER;\nst.shared.u32 [%own], %t;\n";
  expect_clean(roles +
               "bar.arrive 1, 64;\nret;\nCONSUMER:\nbar.sync 1, 64;\nld.shared.u32 %r1, [%other];");
  expect_race(roles +
                  "bar.arrive 1, 64;\nret;\nCONSUMER:\n.loc 1 14 0\nld.shared.u32 %r1, "
                  "[%other];\nbar.sync 1, 64;",
              14, "read of byte 0");
}

TEST(Races, AtomicsAndLocks) {
  expect_clean("atom.shared.add.u32 %r1, [%base], 1;");
  expect_race("st.shared.u32 [%base+4], 0;\n.loc 1 11 0\natom.shared.add.u32 %r1, [%base+4], 1;",
              10, "which thread (31,0,0) accesses atomically at race.cu:11");
  // One thread of each warp takes a lock in turn.
  const std::string critical =
      "and.b32 %r5, %t, 31;\nsetp.ne.u32 %p, %r5, 0;\n@%p bra DONE;\n"
      "AGAIN:\natom.shared.cas.b32 %r1, [%base], 0, 1;\nsetp.ne.u32 %q, %r1, 0;\n@%q bra AGAIN;\n"
      "ld.shared.u32 %r2, [%base+8];\nadd.u32 %r2, %r2, 1;\nst.shared.u32 [%base+8], %r2;\n"
      "membar.cta;\natom.shared.exch.b32 %r3, [%base], 0;\nDONE:\n";
  expect_clean(critical);
  // A flag is written and polled by volatile accesses.
  expect_clean(
      "setp.ge.u32 %p, %t, 32;\n@%p bra READER;\nst.shared.u32 [%own], %t;\nbar.warp.sync -1;\n"
      "membar.cta;\nst.volatile.shared.u32 [%base+256], 1;\nret;\nREADER:\n"
      "ld.volatile.shared.u32 %r1, [%base+256];\nsetp.eq.u32 %q, %r1, 0;\n@%q bra READER;\n"
      "ld.shared.u32 %r2, [%other];");
}

// Warp 0 and then warp 3 take a lock without a fence. Two warps pass a barrier meanwhile.
TEST(Races, ABarrierSeparatesTheSectionsOfItsWarps) {
  const auto section = [](const std::string& warp) {
    return "setp.ne.u32 %p, %t, " + warp + "*32;\n@%p bra LEFT" + warp + ";\nTAKE" + warp +
           ":\natom.shared.cas.b32 %r1, [%base], 0, 1;\nsetp.ne.u32 %q, %r1, 0;\n@%q bra TAKE" +
           warp + ";\nst.shared.u32 [%base+8], %t;\nmembar.cta;\n" +
           "atom.shared.exch.b32 %r3, [%base], 0;\nLEFT" + warp + ":\n";
  };
  const auto faults = [&](const std::string& one, const std::string& other) {
    const std::string meet = "shr.u32 %r6, %t, 5;\nsetp.eq.u32 %p, %r6, " + one +
                             ";\nsetp.eq.u32 %q, %r6, " + other +
                             ";\nor.pred %p, %p, %q;\n@%p bar.sync 1, 64;\n";
    return launch(section("0") + meet + section("3"), 128, emulator::Check::strict).faults.size();
  };
  EXPECT_EQ(faults("0", "3"), 0U);
  EXPECT_EQ(faults("1", "2"), 1U) << "a barrier of other warps";
}

// All lanes access at once a word that one lane has written. Only that lane's access is ordered.
TEST(Races, AllLanesAtOnePlace) {
  const auto faults_of = [](const std::string& meet) {
    Emulated emulated(
        kernel_text("setp.eq.u32 %p, %t, 5;\n@%p st.shared.u32 [%base+4], 0;\n" + meet +
                    "atom.shared.add.u32 %r1, [%base+8], 1;\n.loc 1 11 0\natom.shared.add.u32 %r1, "
                    "[%base+4], 1;"));
    emulated.options.checks = {emulator::Check::races};
    return emulated.launch("race", {1}, {32}).faults;
  };
  const std::vector<Fault> faults = faults_of("");
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].line, 11);
  EXPECT_EQ(faults[0].count, 31U);
  EXPECT_NE(faults[0].message.find("which thread (5,0,0) writes at race.cu:10"), std::string::npos)
      << faults[0].message;
  EXPECT_TRUE(faults_of("bar.warp.sync -1;\n").empty());
}

// One lane arrives at an mbarrier for its warp. The arrival orders the other lanes' writes only if
// the lanes have met before.
TEST(Races, OneLanesArrival) {
  const auto produce = [](const std::string& meet) {
    return "setp.eq.u32 %p, %t, 0;\n@%p mbarrier.init.shared::cta.b64 [%base+256], 1;\n"
           "bar.sync 0;\nsetp.ge.u32 %q, %t, 32;\n@%q bra READER;\nst.shared.u32 [%own], %t;\n" +
           meet +
           "@%p mbarrier.arrive.shared::cta.b64 _, [%base+256];\nret;\nREADER:\n"
           "mbarrier.test_wait.parity.shared::cta.b64 %p, [%base+256], 0;\n@!%p bra READER;\n"
           ".loc 1 11 0\nld.shared.u32 %r1, [%other];";
  };
  expect_race(produce(""), 11,
              "which thread (1,0,0) writes at race.cu:10, and nothing orders the two: another lane "
              "of its warp did the release");
  expect_clean(produce("bar.warp.sync -1;\n"));
}

TEST(Races, StoredMatrices) {
  // The instruction stores 16 bytes for each of the first 8 lanes.
  const auto store = [](const std::string& meet) {
    return "and.b32 %r1, %t, 7;\nshl.b32 %r1, %r1, 4;\nand.b32 %r2, %t, 32;\nshl.b32 %r2, %r2, 2;\n"
           "add.u32 %r1, %r1, %r2;\nadd.u32 %r1, %r1, %base;\n"
           "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%t};\n" +
           meet + ".loc 1 11 0\nld.shared.u32 %r3, [%r1+4];";
  };
  expect_race(store(""), 11, "read of byte 4 of shared memory, which thread (0,0,0) writes");
  expect_clean(store("bar.warp.sync -1;\n"));
}

TEST(Races, ThreadsThatHaveExited) {
  expect_clean(
      "st.shared.u32 [%own], %t;\nsetp.lt.u32 %p, %t, 32;\n@%p exit;\nbar.sync 0;\n"
      "ld.shared.u32 %r1, [%other];");
}

/// Compiled kernels that use shared memory and shuffles correctly.
TEST(Races, CompiledKernelsDoNotRace) {
  const auto expect_none = [](const std::string& file, const std::string& kernel, Dim3 grid,
                              Dim3 block, auto... last) {
    const std::string ptx = test::kernels_ptx(file);
    if (ptx.empty()) GTEST_SKIP() << "no CUDA toolkit compiled tests/emulator/kernels";
    Emulated emulated(ptx);
    emulated.options.checks = {emulator::Check::races};
    const auto from = emulated.buffer(test::random_words(1 << 14, 1));
    const auto to = emulated.buffer(std::vector<std::uint32_t>(1 << 14));
    for (const Fault& fault : emulated.launch(kernel, grid, block, from, to, last...).faults)
      ADD_FAILURE() << kernel << " line " << fault.line << ": " << fault.message;
  };
  expect_none("reduction", "reduce_sum", {8}, {256}, 2048);
  expect_none("scan", "scan_shared", {1}, {256}, 256);
  expect_none("scan", "scan_warps", {1}, {256}, 256);
  expect_none("transpose", "transpose_tiled", {4, 4}, {32, 8}, 128, 128);
  expect_none("histogram", "histogram_shared", {4}, {256}, 4096);
}

TEST(Races, OffUnlessAskedFor) {
  Emulated emulated(kernel_text("st.shared.u32 [%own], %t;\nld.shared.u32 %r1, [%other];"));
  EXPECT_TRUE(emulated.launch("race", {2}, {64}).faults.empty());
  emulated.options.count = false;
  emulated.options.checks = {emulator::Check::races};
  EXPECT_FALSE(emulated.launch("race", {2}, {64}).faults.empty());
}

// Blocks that wait for each other are all resident. The history of their shared memory must not be
// larger than the part that they access.
TEST(Races, OfManyBlocksWithMuchSharedMemory) {
  constexpr std::uint32_t blocks = 200;
  Emulated emulated(kernel_text(
      "st.shared.u32 [%own], %t;\natom.global.add.u32 %r1, [counter], 1;\n"
      "wait:\nld.volatile.global.u32 %r1, [counter];\nsetp.lt.u32 %p, %r1, 200;\n@%p bra wait;\n"
      "ld.shared.u32 %r1, [%own];\nst.shared.u8 [%base + 150000], %r1;"));
  emulated.options.checks = {emulator::Check::races};
  emulated.options.threads = 1;
  emulated.dynamic_shared_bytes = 200 * 1024;
  test::forget_peak();
  const std::int64_t before = test::peak_bytes();
  const LaunchResult result = emulated.launch("race", {blocks}, {1});
  for (const Fault& fault : result.faults) ADD_FAILURE() << fault.message;
  // The shared memory itself takes 40 MB.
  EXPECT_LT(test::peak_bytes() - before, 400 << 20);
}

// The check remembers a byte that lies far from the others, too.
TEST(Races, FarApartInSharedMemory) {
  Emulated emulated(
      kernel_text("st.shared.u8 [%base + 150000], %t;\n.loc 1 11 0\n"
                  "st.shared.u16 [%base + 4094], %t;"));
  emulated.options.checks = {emulator::Check::races};
  emulated.dynamic_shared_bytes = 200 * 1024;
  for (int i = 0; i < 2; ++i) {
    std::string all;
    for (const Fault& fault : emulated.launch("race", {3}, {64}).faults)
      all += fault.message + "\n";
    EXPECT_NE(all.find("write of byte 150000 of shared memory"), std::string::npos) << all;
    EXPECT_NE(all.find("write of byte 4094 of shared memory"), std::string::npos) << all;
  }
}

}  // namespace races_tests
}  // namespace warpwise
