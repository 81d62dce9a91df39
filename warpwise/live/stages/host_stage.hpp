#pragma once

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/live/stage.hpp"

namespace warpwise::live {

/// A stage that the host computes. On a GPU it waits for the stream.
class HostStage : public Stage {
 public:
  bool is_recordable() const override { return false; }

  using Stage::run;
  void run(DeviceSource from, DeviceResult to, gpu::StreamHandle stream) final {
    io::Picture source(from.shape);
    io::Picture result(to.shape);
    gpu::download(static_cast<const std::byte*>(from.data), source.bytes().data(),
                  from.shape.bytes(), stream);
    wait_for(stream);
    run(HostSource{from.shape, source.bytes().data()}, HostResult{to.shape, result.bytes().data()});
    gpu::upload(result.bytes().data(), static_cast<std::byte*>(to.data), to.shape.bytes(), stream);
    wait_for(stream);  // the result's memory ends here
  }

 protected:
  using Stage::Stage;

 private:
  static void wait_for(gpu::StreamHandle stream) {
    gpu::Event done;
    done.record(stream);
    done.synchronize();
  }
};

}  // namespace warpwise::live
