#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "warpwise/base/error.hpp"

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/live/flow.hpp"
#include "warpwise/live/stages/stage_result.hpp"
#include "warpwise/live/stages/stages.hpp"
#include "warpwise/primitives/copy/copy.hpp"

namespace warpwise::live {
namespace {

constexpr std::uint8_t white = 255;

// Returns the largest displacement searched along an axis, at least 1.
float reach_of(const MatchOptions& options) {
  int reach = 1;
  for (const SearchRange range : {options.search_x, options.search_y}) {
    reach = std::max({reach, std::abs(range.first), std::abs(range.last)});
  }
  return static_cast<float>(reach);
}

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw IoError("cannot make the folder " + folder + ": " + error.message());
}

// Memory for frames on a GPU: the previous frame, the displacements, and the picture of the motion,
// which the host draws.
struct OnDevice {
  OnDevice(const io::PictureShape& shape, MatchGrid grid, gpu::StreamHandle stream)
      : previous(ElementType::u8, shape.width, shape.height, 1, stream),
        displacement(ElementType::i16, grid.columns, grid.rows, 2, stream),
        picture(shape.width * shape.height * 3) {}

  gpu::DeviceImage previous;
  gpu::DeviceImage displacement;
  gpu::HostBuffer picture;
  gpu::Event done;
};

class MatchStage final : public Stage {
 public:
  MatchStage(std::string text, const MatchOptions& options, std::optional<float> max_motion,
             std::string flo_folder)
      : Stage(std::move(text)), options_(options), full_(max_motion.value_or(reach_of(options))),
        flo_folder_(std::move(flo_folder)) {}

  std::optional<PixelFormat> required_format(const Stream& from) const override {
    return required_grey_format(from);
  }

  Stream begin(const Stream& from) override {
    const io::PictureShape& shape = from.shape;
    if (!flo_folder_.empty()) make_folder(flo_folder_);
    grid_ = match_grid(shape.width, shape.height, options_);
    displacement_.emplace(ElementType::i16, grid_.columns, grid_.rows, 2);
    return rgb_result(from, shape.width, shape.height);
  }

  bool is_stateful() const override { return true; }
  void release() override { device_.reset(); }

  void run(HostSource from, HostResult to) override {
    if (previous_) {
      match(std::as_const(*previous_).view(), from.view(), displacement_->view(), options_);
      show_motion(to);
    } else {
      std::memset(to.data, white, static_cast<std::size_t>(to.shape.bytes()));
      previous_.emplace(ElementType::u8, from.shape.width, from.shape.height);
    }
    copy(from.view(), previous_->view());
  }

  void run(DeviceSource from, DeviceResult to, gpu::StreamHandle stream) override {
    if (device_) {
      draw_on_host(from, to.shape, stream);
      gpu::upload(device_->picture.data(), to.view().data(), to.shape.bytes(), stream);
    } else {
      gpu::fill_bytes(to.view().data(), white, to.shape.bytes(), stream);
      device_.emplace(from.shape, grid_, stream);
    }
    copy(from.view(), device_->previous.view(), stream);
  }

 private:
  void draw_on_host(DeviceSource from, const io::PictureShape& picture, gpu::StreamHandle stream) {
    match(std::as_const(device_->previous).view(), from.view(), device_->displacement.view(),
          options_, stream);
    gpu::download(std::as_const(device_->displacement).view(), displacement_->view(), stream);
    device_->done.record(stream);
    device_->done.synchronize();  // also waits until the last picture is uploaded
    show_motion({picture, device_->picture.data()});
  }

  void show_motion(HostResult to) {
    draw_motion(displacement_->view(), options_, full_, to.view());
    if (flo_folder_.empty()) return;
    const std::filesystem::path file = fmt::format("{:06}.flo", ++motions_ + 1);
    write_flo(std::filesystem::path(flo_folder_) / file,
              flow_of(displacement_->view(), options_, to.shape.width, to.shape.height));
  }

  MatchOptions options_;
  float full_;
  std::string flo_folder_;
  std::int64_t motions_ = 0;  // the first motion belongs to the second frame
  MatchGrid grid_;
  std::optional<Image> displacement_;
  std::optional<Image> previous_;
  std::optional<OnDevice> device_;
};

}  // namespace

std::unique_ptr<Stage> match_stage(std::string text, const MatchOptions& options,
                                   std::optional<float> max_motion, std::string flo_folder) {
  if (max_motion && !(*max_motion >= 1)) {
    throw InvalidArgument("match: the length of full colour is " + std::to_string(*max_motion) +
                          ", it must be 1 pixel or more");
  }
  return std::make_unique<MatchStage>(std::move(text), options, max_motion, std::move(flo_folder));
}

}  // namespace warpwise::live
