#include "bench/rung_stage.hpp"

#include <map>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/measure/gpu_executor.hpp"
#include "warpwise/lab/study/run/rung_run.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

namespace warpwise::bench {
namespace {

using live::DeviceResult;
using live::DeviceSource;
using live::HostResult;
using live::HostSource;

std::uint64_t address_of(const void* data) { return reinterpret_cast<std::uint64_t>(data); }

class RungStage final : public live::Stage {
 public:
  explicit RungStage(const std::string& rung)
      : Stage(rung), table_(lab::find_study("convert")), rung_(table_.rung(rung)) {}

  std::optional<PixelFormat> required_format(const live::Stream&) const override {
    return PixelFormat::rgb24;
  }

  live::Stream begin(const live::Stream& from) override {
    const io::PictureShape& shape = from.shape;
    problem_.emplace(table_.problem({shape.width, shape.height}, table_.parameters(), {}));
    live::Stream result = from;
    result.shape = io::PictureShape::of(PixelFormat::ycbcr32, shape.width, shape.height);
    result.colours.matrix = {Matrix::bt601, live::Origin::stage};
    result.colours.range = {Range::full, live::Origin::stage};
    return result;
  }

  void run(HostSource, HostResult) override {
    throw Unsupported("a rung runs on a GPU, not on the CPU");
  }

  void run(DeviceSource from, DeviceResult to, gpu::StreamHandle stream) override {
    const lab::RungRun& run = run_for(address_of(from.data), address_of(to.data));
    executor_.launch(run.code(), run.launches(), stream);
  }

 private:
  // Compiles the ladder's kernel once for each pair of operands, so that times do not include the
  // compilation.
  const lab::RungRun& run_for(std::uint64_t from, std::uint64_t to) {
    auto& run = runs_[{from, to}];
    if (!run) {
      run = std::make_unique<lab::RungRun>(executor_, table_, rung_, *problem_,
                                           rung_.blocks.front(), std::vector{from, to});
    }
    return *run;
  }

  lab::GpuExecutor executor_;
  lab::StudyTable table_;
  const lab::Rung& rung_;
  std::optional<ladders::Problem> problem_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::unique_ptr<lab::RungRun>> runs_;
};

}  // namespace

std::unique_ptr<live::Stage> rung_stage(const std::string& rung) {
  return std::make_unique<RungStage>(rung);
}

}  // namespace warpwise::bench
