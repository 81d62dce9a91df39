// Tests how reports show faults, lines of the source and advice, as text and as JSON.
#include "warpwise/io/printable.hpp"
#include "warpwise/lab/explain/advice/advice_of_a_line.hpp"
#include "warpwise/lab/explain/show/report.hpp"

namespace warpwise::lab {
namespace {

TEST_F(AdviceOfALine, FaultsNameTheProgramsOwnLineFirst) {
  emulator::Fault& fault = result_.launch.faults.emplace_back();
  fault.file = "/usr/local/cuda-13.0/include/texture_indirect_functions.h";
  fault.line = 145;
  fault.count = 1;
  fault.called_from = {{"t.cu", 2}};
  fault.message = "shared write of 4 bytes at byte 0 of 0";
  EXPECT_EQ(own_place(fault).line, 2);
  result_.compilation.ptx = ".extern .shared .align 16 .b8 s[];";
  const std::string text = text_of(result_, false);
  EXPECT_NE(text.find("- out_of_bounds at t.cu:2 (in /usr/local/cuda"), std::string::npos) << text;
  EXPECT_EQ(text.find("in all)"), std::string::npos) << text;
  EXPECT_NE(text.find("give its size by --shared BYTES."), std::string::npos) << text;
  result_.request.dynamic_shared_bytes = 4;
  EXPECT_EQ(text_of(result_, false).find("--shared"), std::string::npos);
}

TEST_F(AdviceOfALine, IsColouredOnATerminalOnly) {
  counts().shared_load.passes = 1024;
  EXPECT_EQ(text_of(result_, false).find('\x1b'), std::string::npos);
  EXPECT_NE(text_of(result_, true).find('\x1b'), std::string::npos);
  result_.sources[0].lines[1] = "out[i] = \x1b[2J tile[x][y];";
  EXPECT_EQ(text_of(result_, false).find('\x1b'), std::string::npos);
}

TEST_F(AdviceOfALine, CutsALongLineBetweenCharacters) {
  counts().shared_load.passes = 1024;
  for (std::size_t shift = 0; shift < 3; ++shift) {
    std::string line = "t[i] = 0;  // " + std::string(shift, 'x');
    for (int i = 0; i < 200; ++i) line += "가";
    result_.sources[0].lines[1] = line;
    const std::string text = text_of(result_, false);
    EXPECT_NE(text.find("가…"), std::string::npos) << text;
    EXPECT_EQ(io::printable(text, "\n"), text);
    EXPECT_EQ(text.find("\\x"), std::string::npos) << text;
    const std::string advice = advice_for(result_)[0].text;
    EXPECT_EQ(io::printable(advice), advice);
  }
}

TEST_F(AdviceOfALine, IsInTheJson) {
  const auto object = json_of(result_);
  EXPECT_EQ(object["kernel"], "transpose");
  EXPECT_EQ(object["by_cc"]["9.0"]["occupancy"]["limiter"], "warps");
  EXPECT_EQ(object["lines"][0]["source"], "out[i] = tile[x][y];");
  EXPECT_EQ(object["lines"][0]["by_cc"]["9.0"]["shared_load"]["passes"], 32);
  EXPECT_EQ(object["advice"].size(), 1U);
}

}  // namespace
}  // namespace warpwise::lab
