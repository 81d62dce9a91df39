// LaunchOptions::fidelity: inexact instructions, and if their values reach branches or results.

#include <gtest/gtest.h>

#include "emulator/emulated.hpp"
#include "emulator/hand_kernel.hpp"

namespace warpwise {
namespace modelled_uses_tests {

using emulator::Address;
using emulator::Modelled;
using emulator::ModelledUse;
using emulator::SourcePlace;
using test::Emulated;
using test::kernel_text;

std::vector<ModelledUse> uses(const std::string& body) {
  Emulated emulated(kernel_text(body));
  emulated.options.fidelity = true;
  const Address first = emulated.buffer(std::vector<std::uint32_t>(1024));
  const auto result = emulated.launch("hand", {2}, {64}, first, first);
  EXPECT_TRUE(result.faults.empty()) << body;
  return result.modelled;
}

enum class Reach { nothing, result, branch };

void expect_one(Modelled what, Reach reach, const std::string& body) {
  const std::vector<ModelledUse> found = uses(body);
  ASSERT_EQ(found.size(), 1U) << body;
  EXPECT_EQ(name_of(found[0].what), name_of(what)) << body;
  EXPECT_EQ(found[0].may_reach_branch, reach == Reach::branch) << body;
  EXPECT_EQ(found[0].may_reach_result, reach != Reach::nothing) << body;
}

void expect_exact(const std::string& body) {
  for (const ModelledUse& use : uses(body)) ADD_FAILURE() << body << "\n" << name_of(use.what);
}

const std::string sine = "cvt.rn.f32.u32 %f0, %r1;\n.loc 1 8 0\nsin.approx.f32 %f1, %f0;\n";

TEST(Fidelity, IntegersAndRoundedFloatsAreExact) {
  expect_exact("add.u32 %r5, %r1, 3;\nst.global.u32 [%l1], %r5;");
  expect_exact(
      "cvt.rn.f32.u32 %f0, %r1;\nmul.rn.f32 %f1, %f0, %f0;\nadd.rn.f32 %f1, %f1, %f0;\n"
      "div.rn.f32 %f2, %f1, %f0;\nsqrt.rn.f32 %f2, %f2;\nfma.rn.f32 %f2, %f2, %f1, %f0;\n"
      "st.global.f32 [%l1], %f2;");
  expect_exact("bar.sync 0;\nvote.sync.ballot.b32 %r5, 1, -1;\nst.global.u32 [%l1], %r5;");
}

TEST(Fidelity, ApproximationsAndWhatTheyReach) {
  expect_one(Modelled::approximation, Reach::nothing, sine);
  expect_one(Modelled::approximation, Reach::result, sine + "st.global.f32 [%l1], %f1;");
  expect_one(Modelled::approximation, Reach::branch,
             sine + "setp.gt.f32 %p, %f1, 0f00000000;\n@%p bra END;\nadd.u32 %r5, %r1, 1;\nEND:");
  expect_one(Modelled::approximation, Reach::nothing,
             sine + "st.shared.f32 [tile], %f1;\nmov.u32 %r5, 1;\nst.global.u32 [%l1], %r5;");
  expect_one(Modelled::approximation, Reach::result,
             sine +
                 "st.shared.f32 [tile], %f1;\nbar.sync 0;\nld.shared.u32 %r5, [tile];\n"
                 "add.u32 %r5, %r5, 1;\nst.global.u32 [%l1], %r5;");
  const auto found = uses(sine);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].lines, (std::vector<SourcePlace>{{"hand.cu", 8}}));
}

TEST(Fidelity, WhatIsNotExecutedIsNotTold) {
  expect_exact("setp.gt.u32 %p, %r1, 1000;\n@%p bra THERE;\nret;\nTHERE:\n" + sine +
               "st.global.f32 [%l1], %f1;");
}

TEST(Fidelity, SumsThatMayBeContracted) {
  const std::string product = "cvt.rn.f32.u32 %f0, %r1;\nmul.f32 %f1, %f0, %f0;\n";
  expect_one(Modelled::contraction, Reach::result,
             product + "add.f32 %f2, %f1, %f0;\nst.global.f32 [%l1], %f2;");
  for (const char* way : {"mov.f32 %f1, %f1;", "neg.f32 %f1, %f1;", "abs.f32 %f1, %f1;",
                          "mov.b32 %r5, %f1;\nmov.b32 %f1, %r5;",
                          "setp.gt.u32 %p, %r1, 3;\nselp.f32 %f1, %f1, %f0, %p;"}) {
    expect_one(Modelled::contraction, Reach::result,
               product + way + "\nadd.f32 %f2, %f1, %f0;\nst.global.f32 [%l1], %f2;");
  }
  expect_exact(
      "cvt.rn.f32.u32 %f0, %r1;\nmul.rn.f32 %f1, %f0, %f0;\nmov.f32 %f2, %f1;\n"
      "add.f32 %f2, %f2, %f0;\nst.global.f32 [%l1], %f2;");
  expect_exact(product + "st.global.f32 [%l1], %f1;");
  expect_exact(product + "add.f32 %f2, %f0, %f0;\nst.global.f32 [%l1], %f2;");
}

TEST(Fidelity, OrderOfAtomics) {
  expect_exact("red.global.add.u32 [%l1], 1;");
  expect_exact("atom.global.max.u32 %r5, [%l1], %r1;");  // the old value is not used
  expect_one(Modelled::order, Reach::result,
             "atom.global.add.u32 %r5, [%l1], 1;\nst.global.u32 [%l2], %r5;");
  expect_one(Modelled::order, Reach::result, "red.global.add.f32 [%l1], 0f3F800000;");
  expect_one(Modelled::order, Reach::result, "atom.global.exch.b32 %r5, [%l1], %r1;");
  expect_one(Modelled::order, Reach::branch,
             "atom.global.add.u32 %r5, [%l1], 1;\nsetp.eq.u32 %p, %r5, 7;\n@%p bra END;\n"
             "add.u32 %r5, %r1, 1;\nEND:");
  expect_one(Modelled::order, Reach::nothing, "ld.volatile.global.u32 %r5, [%l1];");
  // An AND and an OR of one word give other results in another order.
  expect_one(Modelled::order, Reach::result,
             "red.global.and.b32 [%l1], %r1;\nred.global.or.b32 [%l1], 4;");
  expect_one(Modelled::order, Reach::result, "red.global.inc.u32 [%l1], %r1;");
  expect_exact("red.global.add.u32 [%l1], 1;\nred.global.add.u32 [%l1], %r1;");
}

TEST(Fidelity, ClocksAndPlaces) {
  expect_one(Modelled::clock, Reach::result, "mov.u32 %r5, %clock;\nst.global.u32 [%l1], %r5;");
  expect_one(Modelled::clock, Reach::nothing, "mov.u64 %l5, %globaltimer;");
  expect_one(Modelled::placement, Reach::result, "mov.u32 %r5, %smid;\nst.global.u32 [%l1], %r5;");
  expect_exact("mov.u32 %r5, %laneid;\nst.global.u32 [%l1], %r5;");
}

TEST(Fidelity, AsynchronousCopiesBringWhatIsExact) {
  expect_one(Modelled::asynchrony, Reach::nothing,
             "cp.async.ca.shared.global [tile], [%l1], 4;\ncp.async.wait_all;\n"
             "ld.shared.u32 %r5, [tile];\nst.global.u32 [%l1], %r5;");
}

TEST(Fidelity, WhatALaunchLeavesInMemoryMayDecideInTheNext) {
  const std::string before = kernel_text(sine + "st.global.f32 [%l1], %f1;");
  Emulated emulated(before);
  emulated.options.fidelity = true;
  const Address first = emulated.buffer(std::vector<std::uint32_t>(1024));
  emulated.launch("hand", {1}, {32}, first, first);
  emulator::Program next(
      kernel_text("ld.global.u32 %r5, [%l1];\nsetp.eq.u32 %p, %r5, 7;\n@%p bra END;\nadd.u32 %r5, "
                  "%r1, 1;\nEND:"));
  const auto result =
      next.launch(emulated.device, "hand", {1}, {32}, 0,
                  emulator::pack_arguments(next.kernel("hand"), first, first), emulated.options);
  ASSERT_EQ(result.modelled.size(), 1U);
  EXPECT_TRUE(result.modelled[0].may_reach_branch);
  EXPECT_TRUE(result.modelled[0].lines.empty());
}

TEST(Fidelity, ItIsToldWhereItIsAskedFor) {
  Emulated emulated(kernel_text(sine));
  const Address first = emulated.buffer(std::vector<std::uint32_t>(1024));
  EXPECT_TRUE(emulated.launch("hand", {1}, {32}, first, first).modelled.empty());
}

}  // namespace modelled_uses_tests
}  // namespace warpwise
