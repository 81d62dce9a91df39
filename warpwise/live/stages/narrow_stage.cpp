#include <vector>

#include "warpwise/cpu/parallel.hpp"
#include "warpwise/live/chroma.hpp"
#include "warpwise/live/depth.hpp"
#include "warpwise/live/samples.hpp"
#include "warpwise/live/stages/host_stage.hpp"
#include "warpwise/live/stages/stages.hpp"

namespace warpwise::live {
namespace {

class NarrowStage final : public HostStage {
 public:
  NarrowStage() : HostStage("8 bits") {}

  std::optional<PixelFormat> reads(const Stream&) const override { return std::nullopt; }
  bool takes_deep_frames() const override { return true; }

  Stream begin(const Stream& from) override {
    if (!from.is_deep()) throw PixelsNotTaken("frames of u16 are rounded to 8 bits");
    tables_ = levels_of(from, 16, 8);
    return narrowed(from);
  }

  using HostStage::run;
  void run(HostSource from, HostResult to) override {
    int component = 0;
    for (const Table& table : tables_) narrow(from, component++, table, to.frame());
    fill_unused(to.frame());
  }

 private:
  using Table = std::vector<std::uint16_t>;

  static void narrow(HostSource from, int component, const Table& table, HostFrame to) {
    const Elements lie = elements_of(from.shape, component);
    const Samples samples = samples_of(to.format(), component);
    const auto* const all = static_cast<const std::byte*>(from.data);
    cpu::parallel_rows(lie.rows, 3 * lie.columns, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t y = begin; y < end; ++y) {
        const std::int64_t first = lie.first + y * lie.columns * lie.step;
        std::byte* out = to.row(samples.plane, y) + samples.first;
        for (std::int64_t x = 0; x < lie.columns; ++x) {
          out[x * samples.step] =
              static_cast<std::byte>(table[load<std::uint16_t>(all, first + x * lie.step)]);
        }
      }
    });
  }

  LevelTables tables_;
};

}  // namespace

std::unique_ptr<Stage> narrow_stage() { return std::make_unique<NarrowStage>(); }

}  // namespace warpwise::live
