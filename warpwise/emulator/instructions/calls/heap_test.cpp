// malloc and free of kernels.

#include <gtest/gtest.h>

#include <set>

#include "emulator/emulated.hpp"

namespace warpwise {
namespace heap_tests {

using emulator::Address;
using emulator::FaultKind;
using emulator::LaunchResult;
using test::Emulated;

/// Returns a kernel `hand`. Its parameter points to a 64-bit word for each thread; %l1 is the
/// address of the thread's word.
std::string kernel_text(const std::string& body) {
  return ".version 8.4\n.target sm_90\n.address_size 64\n.file 1 \"hand.cu\"\n"
         ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 "
         "p);\n"
         ".visible .entry hand(.param .u64 out)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n"
         ".reg .b64 %l<9>;\nmov.u32 %r1, %tid.x;\nld.param.u64 %l1, [out];\n"
         "mul.wide.u32 %l2, %r1, 8;\nadd.u64 %l1, %l1, %l2;\n.loc 1 7 0\n" +
         body + "\nret;\n}\n";
}

std::string allocate(const std::string& bytes) {
  return "{\n.param .b64 p;\n.param .b64 q;\nst.param.b64 [p], " + bytes +
         ";\ncall (q), malloc, (p);\nld.param.b64 %l3, [q];\n}\n";
}

std::string give_back(const std::string& address) {
  return "{\n.param .b64 p;\nst.param.b64 [p], " + address + ";\ncall free, (p);\n}\n";
}

struct Ran {
  std::vector<Address> addresses;
  LaunchResult result;
};

Ran run(Emulated& emulated) {
  const Address out = emulated.buffer(std::vector<Address>(64));
  Ran ran;
  emulated.options.threads = 1;
  ran.result = emulated.launch("hand", {1}, {64}, out);
  ran.addresses = emulated.read<Address>(out, 64);
  return ran;
}

// On a GPU, the address that a thread gets depends on the threads' order.
TEST(Heap, AnAddressIsNotExact) {
  Emulated emulated(kernel_text(allocate("40") + "st.global.u64 [%l1], %l3;"));
  emulated.options.fidelity = true;
  const Ran ran = run(emulated);
  ASSERT_EQ(ran.result.modelled.size(), 1U);
  EXPECT_EQ(ran.result.modelled[0].what, emulator::Modelled::order);
  EXPECT_TRUE(ran.result.modelled[0].may_reach_result);
}

TEST(Heap, EachThreadGetsItsOwn) {
  const std::string text = kernel_text(allocate("40") +
                                       "st.u32 [%l3+36], %r1;\n"
                                       "st.global.u64 [%l1], %l3;");
  Emulated emulated(text);
  const Ran ran = run(emulated);
  EXPECT_TRUE(ran.result.faults.empty());
  EXPECT_EQ(std::set<Address>(ran.addresses.begin(), ran.addresses.end()).size(), 64U);
  for (std::uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(emulated.read<std::uint32_t>(ran.addresses[i] + 36, 1).front(), i);
  Emulated again(text);
  EXPECT_EQ(run(again).addresses, ran.addresses);
}

TEST(Heap, IsAsLargeAsTheLimit) {
  Emulated emulated(kernel_text(allocate("1000") + "st.global.u64 [%l1], %l3;"));
  emulated.options.heap_bytes = 10'000;
  const auto addresses = run(emulated).addresses;
  EXPECT_EQ(std::count(addresses.begin(), addresses.end(), Address{0}), 54);
}

TEST(Heap, WhatIsFreedCanBeTakenAgain) {
  Emulated emulated(kernel_text("mov.u32 %r2, 0;\nAGAIN:\n" + allocate("1000") +
                                "st.u32 [%l3+996], %r2;\n" + give_back("%l3") + give_back("0") +
                                "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 50;\n"
                                "@%p1 bra AGAIN;\nst.global.u64 [%l1], %l3;"));
  emulated.options.heap_bytes = 64'000;
  const auto before = emulated.device.memory().first;
  const Ran ran = run(emulated);
  EXPECT_TRUE(ran.result.faults.empty());
  EXPECT_EQ(emulated.device.memory().first, before + 64 * sizeof(Address));
}

void expect_fault(const std::string& body, FaultKind kind, const std::string& part) {
  Emulated emulated(kernel_text(body));
  const Ran ran = run(emulated);
  ASSERT_FALSE(ran.result.faults.empty());
  const auto& fault = ran.result.faults.front();
  EXPECT_EQ(fault.kind, kind);
  EXPECT_EQ(fault.line, 7);
  EXPECT_NE(fault.message.find(part), std::string::npos) << fault.message;
}

TEST(Heap, Misuse) {
  expect_fault(allocate("40") + "st.u32 [%l3+40], 1;", FaultKind::out_of_bounds,
               "0 bytes past the end of memory of a malloc at hand.cu:7 of 40 bytes");
  expect_fault(allocate("40") + give_back("%l3") + give_back("%l3"), FaultKind::invalid_free,
               "free of memory that no malloc of a kernel returned");
  expect_fault(allocate("40") + "add.u64 %l3, %l3, 8;\n" + give_back("%l3"),
               FaultKind::invalid_free, "byte 8 of memory of a malloc at hand.cu:7 of 40 bytes");
  // A kernel cannot free an allocation of the host.
  expect_fault(give_back("%l1"), FaultKind::invalid_free, "free of memory that no malloc");
  expect_fault(allocate("40") + give_back("%l3") + "ld.u32 %r2, [%l3];", FaultKind::use_after_free,
               "which was freed by a kernel at hand.cu:7");
}

}  // namespace heap_tests
}  // namespace warpwise
