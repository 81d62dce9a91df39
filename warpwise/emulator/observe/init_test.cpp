// Unwritten values: kernels that depend on them, and similar kernels that do not.

#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <map>

#include "emulator/emulated.hpp"

namespace warpwise {
namespace init_tests {

using emulator::Address;
using emulator::Fault;
using emulator::FaultKind;
using emulator::LaunchResult;
using test::Emulated;

/// Returns a kernel with two buffers of 512 bytes, whose body begins on line 10. Registers:
///
/// - %r1: the thread's number
/// - %r3: the thread's word in 256 bytes of shared memory
/// - %l1, %l2: the buffers
/// - %l3, %l4: the thread's word in each of them
std::string kernel_text(const std::string& body, const std::string& functions = {}) {
  return ".version 8.4\n.target sm_90\n.address_size 64\n.file 1 \"init.cu\"\n" + functions +
         "\n.visible .entry init(.param .u64 from, .param .u64 to)\n{\n.reg .pred %p<5>, %q<5>;\n"
         ".reg .b16 %h<9>;\n.reg .b32 %r<29>, %u<5>;\n.reg .b64 %l<19>;\n"
         ".shared .align 16 .b8 tile[256];\n.local .align 16 .b8 own[64];\n"
         "ld.param.u64 %l1, [from];\nld.param.u64 %l2, [to];\nmov.u32 %r1, %tid.x;\n"
         "mul.wide.u32 %l5, %r1, 4;\nadd.u64 %l3, %l1, %l5;\nadd.u64 %l4, %l2, %l5;\n"
         "mov.u32 %r2, tile;\nshl.b32 %r3, %r1, 2;\nadd.u32 %r3, %r3, %r2;\n"
         ".loc 1 10 0\n" +
         body + "\nret;\n}\n";
}

/// A device with the first `written` bytes of buffer `from` written, and none of buffer `to`.
struct Unwritten {
  Emulated emulated;
  Address from = 0;
  Address to = 0;

  Unwritten(const std::string& ptx, std::size_t written) : emulated(ptx) {
    emulated.device.track_definedness();
    from = emulated.device.allocate(512, "'from'");
    to = emulated.device.allocate(512, "'to'");
    emulated.device.write(from, std::vector<std::byte>(written));
    emulated.options.checks = {emulator::Check::init};
    emulated.options.count = false;
  }
  LaunchResult launch(std::uint32_t threads = 32) {
    return emulated.launch("init", {1}, {threads}, from, to);
  }
};

LaunchResult launch(const std::string& body, std::size_t written = 0, std::uint32_t threads = 32,
                    const std::string& functions = {}) {
  return Unwritten(kernel_text(body, functions), written).launch(threads);
}

/// Expects one fault, on this line and with this message.
void expect_found(const LaunchResult& result, int line, const std::string& message,
                  std::uint32_t thread, const std::string& body) {
  ASSERT_EQ(result.faults.size(), 1U) << body;
  const Fault& fault = result.faults.front();
  EXPECT_EQ(fault.kind, FaultKind::uninitialised) << body;
  EXPECT_EQ(fault.file, "init.cu");
  EXPECT_EQ(fault.line, line) << body << fault.message;
  EXPECT_EQ(fault.thread.x, thread) << body << fault.message;
  EXPECT_NE(fault.message.find(message), std::string::npos) << body << "\n" << fault.message;
}

void expect_found(const std::string& body, int line, const std::string& message,
                  std::size_t written = 0, std::uint32_t thread = 0) {
  expect_found(launch(body, written), line, message, thread, body);
}

void expect_clean(const LaunchResult& result, const std::string& body) {
  for (const Fault& fault : result.faults)
    ADD_FAILURE() << body << "\nline " << fault.line << ": " << fault.message;
}

void expect_clean(const std::string& body, std::size_t written = 0) {
  expect_clean(launch(body, written), body);
}

const std::string load = "ld.global.u32 %r4, [%l3];\n.loc 1 11 0\n";

TEST(Init, AResultInGlobalMemory) {
  const std::string sum = load + "add.u32 %r5, %r4, 1;\n.loc 1 12 0\nst.global.u32 [%l4], %r5;";
  expect_found(sum, 12,
               "a value written to global memory depends on byte 124 of 'from' of 512 bytes, which "
               "is uninitialised",
               124, 31);
  expect_found(sum, 12, "byte 0 of 'from'");
  expect_clean(sum, 128);
  // The sum is not used.
  expect_clean(load + "add.u32 %r5, %r4, 1;");
}

TEST(Init, WhatHostMemoryIsGiven) {
  Unwritten own(kernel_text(load + "add.u32 %r5, %r4, 1;\nst.global.u32 [%l4], %r5;"), 0);
  own.to = reinterpret_cast<Address>(own.emulated.device.allocate_visible(512, "'to'"));
  expect_found(own.launch(), 11, "byte 0 of 'from'", 0, "");
}

TEST(Init, Branches) {
  for (const char* compare : {"setp.eq.u32", "setp.ne.u32"}) {
    expect_found(
        load + compare + " %p1, %r4, 77;\n.loc 1 12 0\n@%p1 bra END;\nmov.u32 %r5, 1;\nEND:", 12,
        "the direction of a branch depends on byte 0 of 'from'");
  }
  expect_found(load + "setp.eq.u32 %p1, %r4, 77;\n@%p1 st.global.u32 [%l4], %r1;", 11,
               "the execution of an instruction depends on");
  expect_found(load + "ts: .branchtargets A, B;\nbrx.idx %r4, ts;\nA:\nB:", 11,
               "the direction of a branch");
  expect_clean(load + "setp.eq.u32 %p1, %r4, 77;\n@%p1 add.u32 %r5, %r1, 1;");
}

TEST(Init, AddressesAndMasks) {
  const std::string indexed =
      load + "and.b32 %r5, %r4, 31;\nmul.wide.u32 %l6, %r5, 4;\nadd.u64 %l7, %l1, %l6;\n";
  expect_found(indexed + "ld.global.u32 %r6, [%l7];", 11, "an address depends on byte 0 of 'from'");
  expect_found(indexed + "st.global.u32 [%l7], %r1;", 11, "an address depends on");
  expect_found(load + "bar.warp.sync %r4;", 11, "the member mask of an instruction depends on");
  expect_found(load +
                   "and.b32 %r4, %r4, 0;\nadd.u32 %r4, %r4, 1;\nld.global.u32 %r5, [%l3];\n"
                   "add.u32 %r5, %r5, %r4;\nbar.sync 0, %r5;",
               11, "an operand of a barrier depends on");
}

TEST(Init, CopiesAreFollowed) {
  const std::string copy =
      "ld.global.v2.u32 {%r4, %r5}, [%l1];\nst.global.v2.u32 [%l2], {%r4, %r5};";
  Unwritten own(kernel_text(copy), 4);
  expect_clean(own.launch(1), copy);
  const std::string use =
      "ld.global.u32 %r4, [%l2+4];\nadd.u32 %r4, %r4, 1;\n"
      "st.global.u32 [%l2+16], %r4;\nld.global.u32 %r4, [%l2];\n"
      "add.u32 %r4, %r4, 1;\nst.global.u32 [%l2+32], %r4;";
  emulator::Program reader(kernel_text(use));
  own.emulated.program = std::move(reader);
  expect_found(own.launch(1), 10, "byte 4 of 'to' of 512 bytes, a copy of uninitialised values", 0,
               use);
}

// A byte and the unwritten padding after it pass through one register.
TEST(Init, PaddingOfCopies) {
  const std::string write = "st.shared.u8 [%r3], %r1;\n";
  const std::string parts =
      "ld.shared.u32 %r4, [%r3];\nst.shared.u32 [%r3+128], %r4;\n"
      "mov.b32 {%h1, %h2}, %r4;\nmov.b32 %r5, {%h1, %h2};\n"
      "shl.b32 %r6, %r5, 8;\nshr.u32 %r6, %r6, 8;\n"
      "prmt.b32 %r7, %r6, %r5, 30224;\nst.global.u32 [%l4], %r7;\n"
      "ld.shared.u8 %r8, [%r3+128];\nst.global.u32 [%l4], %r8;\n"
      "and.b32 %r9, %r7, 255;\nadd.u32 %r9, %r9, 1;\n"
      "st.global.u32 [%l4], %r9;\nbfe.u32 %r9, %r7, 0, 8;\n"
      "add.u32 %r9, %r9, 1;\nst.global.u32 [%l4], %r9;\n"
      "cvt.u32.u8 %r9, %r7;\nadd.u32 %r9, %r9, 1;\n"
      "st.global.u32 [%l4], %r9;\n";
  expect_clean(write + parts);
  expect_found(write + parts +
                   ".loc 1 13 0\nbfe.u32 %r9, %r7, 8, 8;\nadd.u32 %r9, %r9, 1;\n"
                   "st.global.u32 [%l4], %r9;",
               13, "byte 1 of the block's 256 bytes of shared memory, which is uninitialised");
  // A shift by one moves bits within their bytes, so its result is no copy.
  expect_found(load + "shl.b32 %r5, %r4, 1;\nst.global.u32 [%l4], %r5;", 11, "byte 0 of 'from'");
}

/// Returns code that writes `value`, a register, to the bit-field of `width` bits from bit `begin`.
std::string field(const std::string& space, const std::string& at, int width, int begin,
                  const std::string& value) {
  const std::string bits = std::to_string(((1 << width) - 1) << begin);
  return "ld." + space + ".u8 %r20, [" + at + "];\nand.b32 %r20, %r20, " +
         std::to_string(255 & ~(((1 << width) - 1) << begin)) + ";\nshl.b32 %r21, " + value + ", " +
         std::to_string(begin) + ";\nand.b32 %r21, %r21, " + bits +
         ";\nor.b32 %r20, %r20, %r21;\nst." + space + ".u8 [" + at + "], %r20;\n";
}

// struct { unsigned char a : 3, b : 5; }, of which one field has been written.
TEST(Init, BitFields) {
  for (const auto& [space, at] :
       std::map<std::string, std::string>{{"shared", "%r3"}, {"local", "own"}, {"global", "%l3"}}) {
    const std::string use =
        ".loc 1 13 0\nsetp.eq.u32 %p1, %r22, 3;\n@%p1 bra END;\nmov.u32 %r5, 1;\nEND:";
    const std::string of_a = "ld." + space + ".u8 %r22, [" + at + "];\nand.b32 %r22, %r22, 7;\n";
    const std::string of_b = "ld." + space + ".u8 %r22, [" + at + "];\nshr.u32 %r22, %r22, 3;\n";
    const std::string a = field(space, at, 3, 0, "%r1");
    expect_clean(a + of_a + use);
    expect_found(a + of_b + use, 13, "the direction of a branch");
    expect_clean(a + field(space, at, 5, 3, "%r1") + of_b + use);
    // a += 1: the sum carries into b.
    const std::string counted = of_a.substr(0, of_a.find('\n')) + "\nadd.u32 %r23, %r22, 1;\n" +
                                field(space, at, 3, 0, "%r23");
    expect_clean(a + counted + of_a + use);
    expect_found(a + counted + of_b + use, 13, "the direction of a branch");
    // A flag of one bit between two others.
    const std::string flag = "ld." + space + ".s8 %r22, [" + at + "];\nshr.s32 %r22, %r22, ";
    const std::string first = field(space, at, 1, 6, "%r1");
    expect_clean(first + flag + "6;\nand.b32 %r22, %r22, 1;\n" + use);
    expect_found(first + flag + "6;\n" + use, 13, "the direction of a branch");
    expect_clean(first + field(space, at, 1, 7, "%r1") + flag + "6;\n" + use);
  }
}

TEST(Init, BitFieldsOfWords) {
  // struct { unsigned a : 12, b : 20; }
  const std::string write =
      "ld.global.u32 %r4, [%l3];\nbfi.b32 %r4, %r1, %r4, 0, 12;\nst.global.u32 [%l3], %r4;\n"
      "ld.global.u32 %r4, [%l3];\n.loc 1 13 0\n";
  const std::string use = "add.u32 %r5, %r5, 1;\nst.global.u32 [%l4], %r5;";
  expect_clean(write + "bfe.u32 %r5, %r4, 0, 12;\n" + use);
  expect_found(write + "bfe.u32 %r5, %r4, 11, 2;\n" + use, 13, "of 'from'");
  // A partly undefined value that is stored at another address counts as a result.
  expect_found(
      "ld.global.u32 %r4, [%l3];\nbfi.b32 %r4, %r1, %r4, 0, 12;\nst.global.u32 [%l4], %r4;", 10,
      "of 'from'");
  // Bits computed from undefined ones count as a result too, even if they are stored back.
  expect_found(load + "not.b32 %r4, %r4;\nst.global.u32 [%l3], %r4;", 11, "byte 0 of 'from'");
}

TEST(Init, SharedMemory) {
  const std::string half =
      "setp.lt.u32 %p1, %r1, 16;\n@%p1 st.shared.u32 [%r3], %r1;\nbar.sync 0;\n"
      ".loc 1 12 0\nld.shared.u32 %r4, [%r3";
  const std::string store = "];\nadd.u32 %r4, %r4, 1;\nst.global.u32 [%l4], %r4;";
  expect_found(half + store, 12, "byte 64 of the block's 256 bytes of shared memory", 0, 16);
  expect_clean("st.shared.u32 [%r3], %r1;\nbar.sync 0;\nld.shared.u32 %r4, [%r3" + store);
  // A computed value stays undefined after a copy in shared memory.
  expect_found(load +
                   "add.u32 %r4, %r4, 1;\nst.shared.u32 [%r3], %r4;\n"
                   "ld.shared.u32 %r5, [%r3];\nst.global.u32 [%l4], %r5;",
               11, "byte 0 of the block's 256 bytes of shared memory, computed from");
}

// A word that is read too early is not written yet. The check reports only the race.
TEST(Init, ARaceIsToldAlone) {
  const std::string early =
      "add.u32 %r4, %r3, 128;\nand.b32 %r4, %r4, 255;\nadd.u32 %r4, %r4, %r2;\n"
      "st.shared.u32 [%r3], %r1;\nld.shared.u32 %r5, [%r4];\n"
      "add.u32 %r5, %r5, 1;\nst.global.u32 [%l4], %r5;";
  Unwritten own(kernel_text(early), 0);
  expect_found(own.launch(64), 10, "of shared memory", 0, early);
  own.emulated.options.checks = emulator::Checks::all();
  const LaunchResult result = own.launch(64);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].kind, FaultKind::race);
}

TEST(Init, LocalMemory) {
  const std::string store = "st.local.u32 [own], %r1;\nld.local.u32 %r4, [own";
  const std::string result = "];\nadd.u32 %r4, %r4, 1;\nst.global.u32 [%l4], %r4;";
  expect_clean(store + result);
  expect_found(store + "+8" + result, 10, "byte 8 of the thread's 64 bytes of local memory");
  expect_found("cvta.local.u64 %l6, 4;\nld.u32 %r4, [%l6" + result, 10, "byte 4 of the thread's");
}

TEST(Init, Registers) {
  const std::string result = "add.u32 %r9, %r9, 1;\n.loc 1 12 0\nst.global.u32 [%l4], %r9;";
  expect_found(result, 12, "depends on an uninitialised register");
  expect_clean("mov.u32 %r9, 1;\n" + result);
  // Writes count for each lane separately.
  const std::string by_half = "setp.lt.u32 %p1, %r1, 16;\n@%p1 mov.u32 %r9, 1;\n";
  expect_found(by_half + result, 12, "an uninitialised register", 0, 16);
  expect_clean(by_half + "@!%p1 mov.u32 %r9, 2;\n" + result);
  expect_clean(by_half + "@%p1 add.u32 %r9, %r9, 1;\n@%p1 st.global.u32 [%l4], %r9;");
  expect_found("@%p3 bra END;\nmov.u32 %r5, 1;\nEND:", 10, "an uninitialised register");
  expect_clean("st.global.u32 [%l4], %r9;");  // a copy, as of a structure's padding
}

// A register of 16 bits may take the place of a wider one that was undefined.
TEST(Init, PlacesThatRegistersShare) {
  const std::string wide = "mov.b32 %r9, %r10;\nmov.b32 %r11, %r9;\nmov.b32 %r12, %r11;\n";
  const std::string use = "setp.eq.u16 %p2, %h2, 77;\n@%p2 bra END;\nmov.u32 %r5, 1;\nEND:";
  expect_clean(wide + "ld.global.u8 %h2, [%l3];\n" + use, 512);
  expect_clean("setp.lt.u32 %p1, %r1, 16;\n@%p1 mov.u16 %h1, 1;\n" + wide +
               "add.u16 %h2, %h1, 1;\n@!%p1 bra END;\n" + use);
}

TEST(Init, Divergence) {
  const std::string some =
      "mov.u32 %r4, 0;\nsetp.ge.u32 %p1, %r1, 16;\n@%p1 bra NEXT;\n" + load + "NEXT:\n";
  const std::string use = "add.u32 %r5, %r4, 1;\n.loc 1 12 0\nst.global.u32 [%l4], %r5;";
  expect_found(some + use, 12, "byte 60 of 'from'", 60, 15);
  expect_clean(some + "@!%p1 bra END;\n" + use + "\nEND:");
}

TEST(Init, WhatOneLaneDefinesIsItsOwn) {
  expect_found(load +
                   "setp.eq.u32 %p1, %r1, 0;\nmov.u32 %r7, 0;\n@%p1 and.b32 %r4, %r4, %r7;\n"
                   "and.b32 %r5, %r4, 255;\nsetp.eq.u32 %p2, %r5, 77;\n.loc 1 12 0\n"
                   "@%p2 bra END;\nmov.u32 %r5, 1;\nEND:",
               12, "the direction of a branch depends on byte 4 of 'from'", 0, 1);
}

TEST(Init, LogicDecides) {
  expect_clean(load +
               "and.b32 %r5, %r4, 0;\nor.b32 %r6, %r4, -1;\nxor.b32 %r7, %r4, %r4;\n"
               "add.u32 %r5, %r5, %r6;\nadd.u32 %r5, %r5, %r7;\nst.global.u32 [%l4], %r5;");
  expect_found(load +
                   "ld.global.u32 %r5, [%l3+4];\nxor.b32 %r5, %r5, %r4;\n"
                   "st.global.u32 [%l4], %r5;",
               11, "'from'");
  const std::string in_range = load +
                               "setp.lt.u32 %p1, %r1, 4;\nsetp.gt.s32 %p2, %r4, 3;\n"
                               "and.pred %p2, %p1, %p2;\n@%p2 bra END;\nmov.u32 %r5, 1;\nEND:";
  expect_clean(in_range, 16);
  expect_found(in_range, 11, "byte 12 of 'from'", 12, 3);
  expect_clean(load +
                   "setp.lt.u32 %p1, %r1, 4;\nsetp.gt.and.s32 %p2, %r4, 3, %p1;\n"
                   "@%p2 bra END;\nmov.u32 %r5, 1;\nEND:",
               16);
  const std::string chosen = load +
                             "setp.lt.u32 %p1, %r1, 4;\nselp.b32 %r4, %r4, 0, %p1;\n"
                             "add.u32 %r4, %r4, 1;\nst.global.u32 [%l4], %r4;";
  expect_clean(chosen, 16);
  expect_found(chosen, 11, "byte 8 of 'from'", 8, 2);
  expect_found(load +
                   "setp.lt.u32 %p1, %r4, 4;\nselp.b32 %r4, 1, 0, %p1;\n"
                   "st.global.u32 [%l4], %r4;",
               11, "byte 0 of 'from'");
}

TEST(Init, ShufflesAndVotes) {
  const std::string shuffle = load +
                              "shfl.sync.idx.b32 %r5, %r4, 3, 31, -1;\nadd.u32 %r5, %r5, 1;\n"
                              "st.global.u32 [%l4], %r5;";
  expect_clean(shuffle, 16);
  expect_found(shuffle, 11, "byte 12 of 'from'", 12);
  const std::string vote = load + "setp.gt.u32 %p1, %r4, 3;\nsetp.lt.u32 %p2, %r1, 4;\n";
  const std::string use = "@%p3 bra END;\nmov.u32 %r5, 1;\nEND:";
  expect_found(vote + "vote.sync.any.pred %p3, %p1, -1;\n" + use, 11, "the direction of a branch",
               16);
  expect_clean(vote + "and.pred %p1, %p1, %p2;\nvote.sync.any.pred %p3, %p1, -1;\n" + use, 16);
  const std::string ballot = vote +
                             "vote.sync.ballot.b32 %r5, %p1, -1;\nand.b32 %r5, %r5, 255;\n"
                             "add.u32 %r5, %r5, 1;\nst.global.u32 [%l4], %r5;";
  expect_clean(ballot, 32);
  expect_found(ballot, 11, "'from'", 28, 0);
  const std::string sum = load + "redux.sync.add.u32 %r5, %r4, -1;\nst.global.u32 [%l4], %r5;";
  expect_clean(sum, 128);
  expect_found(sum, 11, "byte 124 of 'from'", 124);
}

TEST(Init, Atomics) {
  const std::string count = "atom.global.add.u32 %r4, [%l1], 1;";
  expect_clean(count, 4);
  expect_found(count, 10, "the result of an atomic access depends on byte 0 of 'from'");
  expect_found(load + "atom.global.add.u32 %r5, [%l4], %r4;", 11, "the result of an atomic access");
  // An exchange leaves its operand in memory, so the old value may be undefined.
  const std::string exchange = "atom.global.exch.b32 %r4, [%l4], %r1;\n.loc 1 13 0\n";
  expect_clean(exchange +
               "ld.global.u32 %r5, [%l4];\nadd.u32 %r5, %r5, 1;\nst.global.u32 [%l3], %r5;");
  expect_found(exchange + "add.u32 %r5, %r4, 1;\nst.global.u32 [%l3], %r5;", 13, "byte 0 of 'to'");
  expect_found(load + "atom.global.exch.b32 %r5, [%l4], %r4;", 11,
               "the result of an atomic access");
  const std::string shared = "atom.shared.add.u32 %r4, [%r2], 1;\n.loc 1 13 0\n";
  expect_clean(shared);
  expect_found(shared + "st.global.u32 [%l4], %r4;", 13, "byte 0 of the block's");
  expect_found(
      "red.shared.add.u32 [%r2], 1;\nld.shared.u32 %r4, [%r2];\n"
      ".loc 1 13 0\nst.global.u32 [%l4], %r4;",
      13, "computed from");
  expect_clean("mov.u32 %r5, 0;\nst.shared.u32 [%r2], %r5;\nbar.sync 0;\n" + shared +
               "st.global.u32 [%l4], %r4;");
}

TEST(Init, Carries) {
  const std::string sum =
      "ld.global.u32 %r4, [%l3];\nmov.u32 %r5, 1;\nadd.cc.u32 %r6, %r4, 1;\n"
      "addc.u32 %r7, %r5, 0;\nst.global.u32 [%l4], %r7;";
  expect_clean(sum, 128);
  expect_found(sum, 10, "is", 0);
}

// Returns the PTX of a function f(n). Calls of f are inlined, unless it calls itself.
std::string function(const std::string& body) {
  return ".func (.param .b32 result) f(.param .b32 n)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n"
         ".local .align 4 .b8 own[16];\n.reg .b64 %l<9>;\nld.param.u32 %r1, [n];\n"
         "setp.eq.u32 %p1, %r1, 12345;\n" +
         body + "\nst.param.b32 [result], %r5;\nret;\n}\n";
}

const std::string recursion =
    "setp.lt.u32 %p2, %r1, 1;\nmov.u32 %r5, 0;\n@%p2 bra DONE;\nsub.u32 %r2, %r1, 1;\n"
    "{\n.param .b32 p0;\n.param .b32 q0;\nst.param.b32 [p0], %r2;\ncall (q0), f, (p0);\n"
    "ld.param.b32 %r5, [q0];\n}\nDONE:\n";

std::string call_of(const std::string& argument) {
  return "{\n.param .b32 p0;\n.param .b32 q0;\nst.param.b32 [p0], " + argument +
         ";\n.loc 1 20 0\ncall (q0), f, (p0);\n.loc 1 21 0\nld.param.b32 %r5, [q0];\n}\n"
         "add.u32 %r5, %r5, 1;\nst.global.u32 [%l4], %r5;";
}

TEST(Init, CallsAtRunTime) {
  const auto run = [](const std::string& body, const std::string& of, std::size_t written) {
    return launch(body, written, 32, function(of));
  };
  expect_clean(run("and.b32 %r6, %r1, 3;\n" + call_of("%r6"), recursion, 0), "recursion");
  // The caller's values are still undefined after the call.
  const std::string keeps = load + "and.b32 %r6, %r1, 3;\n" + call_of("%r6") +
                            "\nadd.u32 %r5, %r5, %r4;\n.loc 1 22 0\nst.global.u32 [%l4], %r5;";
  expect_clean(run(keeps, recursion, 128), keeps);
  expect_found(run(keeps, recursion, 64), 22, "byte 64 of 'from'", 16, keeps);
  // A function's local memory does not keep values of an earlier call.
  const std::string reads = recursion +
                            "ld.local.u32 %r6, [own];\nst.local.u32 [own], %r1;\n"
                            "add.u32 %r5, %r5, %r6;\n";
  expect_found(run("and.b32 %r6, %r1, 3;\n" + call_of("%r6"), reads, 0), 21, "local memory", 0,
               reads);
  const std::string writes = recursion +
                             "st.local.u32 [own], %r1;\nld.local.u32 %r6, [own];\n"
                             "add.u32 %r5, %r5, %r6;\n";
  expect_clean(run("and.b32 %r6, %r1, 3;\n" + call_of("%r6"), writes, 0), writes);
  // A register that the function has not written is undefined, whatever its caller stored there.
  const std::string unset = recursion + "add.u32 %r5, %r5, %r7;\n";
  expect_found(run("and.b32 %r6, %r1, 3;\n" + call_of("%r6"), unset, 0), 21, "depends on", 0,
               unset);
}

TEST(Init, AsynchronousCopies) {
  const std::string copy =
      "mul.wide.u32 %l6, %r1, 16;\nadd.u64 %l7, %l1, %l6;\nmul.lo.u32 %r6, %r1, 16;\n"
      "add.u32 %r6, %r6, %r2;\nsetp.lt.u32 %p1, %r1, 16;\n@!%p1 bra END;\n"
      "cp.async.ca.shared.global [%r6], [%l7], 16";
  const std::string use =
      ";\ncp.async.wait_all;\n.loc 1 13 0\nld.shared.u32 %r4, [%r6+8];\n"
      "add.u32 %r4, %r4, 1;\nst.global.u32 [%l4], %r4;\nEND:";
  expect_clean(copy + use, 256);
  expect_clean(copy + ", 4" + use);  // the other bytes are zero
  const auto found = launch(copy + use, 128);
  ASSERT_EQ(found.faults.size(), 1U);
  EXPECT_EQ(found.faults[0].line, 13);
  EXPECT_EQ(found.faults[0].thread.x, 8U);
}

// D = A * B + C of 16 x 8: an unwritten row of A makes the same row of D undefined.
TEST(Init, MatrixProducts) {
  const std::string product =
      "shl.b32 %r4, %r1, 4;\nadd.u32 %r4, %r4, %r2;\nsetp.lt.u32 %p1, %r1, 8;\n"
      "@%p1 st.shared.v4.u32 [%r4], {%r1, %r1, %r1, %r1};\n"
      "and.b32 %r5, %r1, 15;\nshl.b32 %r5, %r5, 4;\nadd.u32 %r5, %r5, %r2;\n"
      "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r6, %r7}, [%r5];\nmov.u32 %r8, 0;\n"
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r9, %r10, %r11, %r12}, {%r6, %r7}, "
      "{%r8}, {%r8, %r8, %r8, %r8};\n";
  expect_clean(product + "st.global.u32 [%l4], %r9;");
  expect_found(product + ".loc 1 12 0\nst.global.u32 [%l4], %r11;", 12, "shared memory");
}

// An unwritten row of fragment A makes the same row of D undefined. A fragment's second register
// holds elements eight rows below the first register's.
TEST(Init, Fragments) {
  const std::string product =
      "mov.u32 %r4, 16;\nmov.u32 %r5, 0;\n"
      "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r6, %r7, %r8, %r9, %r10, %r11, %r12, "
      "%r13}, [%l1], %r4;\n"
      "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {%r14, %r15, %r16, %r17}, {%r6, %r7, %r8, "
      "%r9, %r10, %r11, %r12, %r13}, {%r5, %r5, %r5, %r5, %r5, %r5, %r5, %r5}, {%r5, %r5, %r5, "
      "%r5};\n";
  expect_clean(product + "st.global.u32 [%l4], %r14;", 256);
  const std::string second = product + ".loc 1 12 0\nst.global.u32 [%l4], %r15;";
  expect_found(second, 12, "'from' of 512 bytes", 256);
  expect_clean(second, 512);
  const std::string store =
      product +
      ".loc 1 12 0\nwmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%l2], "
      "{%r14, %r15, %r16, %r17}, %r4;";
  expect_clean(store, 512);
  expect_found(store, 12, "'from' of 512 bytes", 256);
}

TEST(Init, WhatSystemFunctionsTake) {
  const std::string heap = ".extern .func (.param .b64 r) malloc(.param .b64 n);\n";
  const std::string text =
      "{\n.param .b64 p0;\n.param .b64 q0;\nst.param.b64 [p0], %l6;\n"
      "call.uni (q0), malloc, (p0);\nld.param.b64 %l7, [q0];\n}\n";
  const auto run = [&](const std::string& body, std::size_t written) {
    return launch(body, written, 1, heap);
  };
  const std::string of_size = "ld.global.u64 %l6, [%l1];\n" + text;
  expect_found(run(of_size, 4), 10, "an argument of a system function depends on", 0, of_size);
  expect_clean(run(of_size, 8), of_size);
  const std::string content =
      "mov.u64 %l6, 16;\n" + text + "st.u32 [%l7+4], %r1;\n.loc 1 12 0\nld.u32 %r4, [%l7";
  const std::string use = "];\nadd.u32 %r4, %r4, 1;\nst.global.u32 [%l4], %r4;";
  expect_clean(run(content + "+4" + use, 0), content);
  expect_found(run(content + use, 0), 12, "byte 0 of memory of a malloc at init.cu:10", 0, content);
}

TEST(Init, Textures) {
  const std::string read =
      ".visible .entry init(.param .u64 tex, .param .u64 to)\n{\n.reg .b32 %r<9>;"
      "\n.reg .b64 %l<9>;\nld.param.u64 %l1, [tex];\nld.param.u64 %l2, [to];\n"
      "mov.u32 %r5, 5;\n.loc 1 10 0\n"
      "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%l1, {%r5}];\n"
      "add.u32 %r1, %r1, 1;\nst.global.u32 [%l2], %r1;\nret;\n}\n";
  for (const std::size_t written : {20U, 24U}) {
    Unwritten own(".version 8.4\n.target sm_90\n.address_size 64\n.file 1 \"init.cu\"\n" + read,
                  written);
    emulator::Texture texture;
    texture.data = own.from;
    texture.width = 32;
    texture.channel_bytes = 4;
    const std::uint64_t handle = own.emulated.device.create_texture(texture);
    const LaunchResult result = own.emulated.launch("init", {1}, {1}, handle, own.to);
    if (written == 24)
      expect_clean(result, read);
    else
      expect_found(result, 10, "'from'", 0, read);
  }
}

TEST(Init, CopiesOnTheHost) {
  Unwritten own(kernel_text(load + "add.u32 %r5, %r4, 1;\nst.global.u32 [%l4], %r5;"), 128);
  emulator::Device& device = own.emulated.device;
  const Address other = device.allocate(512, "'other'");
  EXPECT_TRUE(device.is_unwritten(other, 512));
  EXPECT_FALSE(device.is_unwritten(own.from, 512));
  device.copied(other, own.from, 512);
  EXPECT_FALSE(device.is_unwritten(other, 512));
  EXPECT_TRUE(device.is_unwritten(other + 128, 384));
  own.from = other;
  expect_clean(own.launch(), "");
  own.from = other + 64;
  expect_found(own.launch(), 11, "byte 128 of 'other' of 512 bytes, a copy of uninitialised values",
               16, "");
  const std::vector<std::byte> host(512);
  device.copied(other, reinterpret_cast<Address>(host.data()), 512);
  expect_clean(own.launch(), "");
}

// A launch without the check records no writes. Memory that it may have written counts as defined.
TEST(Init, ALaunchWithoutTheCheckDefinesMemory) {
  Unwritten own(kernel_text(load + "add.u32 %r5, %r4, 1;\nst.global.u32 [%l4], %r5;"), 0);
  own.emulated.options.checks = {};
  expect_clean(own.launch(), "");
  own.emulated.options.checks = {emulator::Check::init};
  expect_clean(own.launch(), "");
}

/// Returns the bytes of memory that this process holds.
std::uint64_t held_bytes() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
}

TEST(Init, LargeMemoryIsHeldOnceItIsUsed) {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30;
  constexpr std::uint64_t mib = std::uint64_t{1} << 20;
  emulator::Device device(8 * gib);
  device.track_definedness();
  const std::uint64_t before = held_bytes();
  const Address first = device.allocate(2 * gib + 5);
  const Address second = device.allocate(gib);
  EXPECT_LT(held_bytes() - before, 64 * mib);
  const std::vector<std::byte> some(3);
  device.write(first + gib, some);
  EXPECT_TRUE(device.is_unwritten(first + gib - 2, 2));
  EXPECT_FALSE(device.is_unwritten(first + gib + 2, 2));
  EXPECT_TRUE(device.is_unwritten(first + gib + 3, 2));
  EXPECT_TRUE(device.is_unwritten(first + 2 * gib, 5)) << "its last bytes";
  EXPECT_TRUE(device.is_unwritten(second, 4096)) << "the memory of another one";
  device.free(first);
  device.free(second);
}

TEST(Init, CountsEachThreadOnce) {
  const LaunchResult result = launch(
      load + "add.u32 %r5, %r4, 1;\nst.global.u32 [%l4], %r5;\nst.global.u32 [%l4], %r5;", 64);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].count, 16U);
}

}  // namespace init_tests
}  // namespace warpwise
