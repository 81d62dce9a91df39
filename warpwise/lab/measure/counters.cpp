#include "warpwise/lab/measure/counters.hpp"

namespace warpwise::lab {

// Keeps the profiler switched on for a context during its lifetime.
class Counters::Profiler {
 public:
  Profiler(std::shared_ptr<const cupti::Library> library, cupti::Context context)
      : library_(std::move(library)) {
    cupti::Enable enable{};
    enable.struct_size = cupti::size_of<cupti::Enable>;
    enable.context = context;
    require(*library_, library_->enable(&enable), "cuptiRangeProfilerEnable");
    handle_ = enable.profiler;
  }
  ~Profiler() {
    cupti::ProfilerOnly parameters{cupti::size_of<cupti::ProfilerOnly>, nullptr, handle_};
    library_->disable(&parameters);
  }
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  const cupti::Library& library() const { return *library_; }
  cupti::Profiler handle() const { return handle_; }

 private:
  std::shared_ptr<const cupti::Library> library_;
  cupti::Profiler handle_ = nullptr;
};

// Sets the profiler up for a group of metrics.
class Counters::Session {
 public:
  Session(const Profiler& profiler, const MetricGroup& group, std::size_t launches)
      : library_(profiler.library()), group_(group), names_(cupti::pointers(group.names())),
        profiler_(profiler.handle()) {
    make_data(launches);
    configure(launches);
  }

  void run_passes(const std::function<void()>& run) {
    bool done = false;
    // CUPTI says when it needs no more passes. It may take one pass more than it announced.
    for (std::size_t pass = 0; !done; ++pass) {
      if (pass > 2 * group_.passes() + 2) {
        throw CountersUnavailable("cuptiRangeProfilerStop: still not done after " +
                                  std::to_string(pass) + " of " + std::to_string(group_.passes()) +
                                  " passes");
      }
      cupti::ProfilerOnly start{cupti::size_of<cupti::ProfilerOnly>, nullptr, profiler_};
      require(library_, library_.start(&start), "cuptiRangeProfilerStart");
      cupti::Stop stop{};
      stop.struct_size = cupti::size_of<cupti::Stop>;
      stop.profiler = profiler_;
      try {
        run();
      } catch (...) {
        library_.stop(&stop);
        throw;
      }
      require(library_, library_.stop(&stop), "cuptiRangeProfilerStop");
      done = stop.all_passes_done != 0;
    }
    cupti::Decode decode{};
    decode.struct_size = cupti::size_of<cupti::Decode>;
    decode.profiler = profiler_;
    require(library_, library_.decode(&decode), "cuptiRangeProfilerDecodeData");
  }

  std::size_t kernels() const {
    cupti::DataInfo info{};
    info.struct_size = cupti::size_of<cupti::DataInfo>;
    info.data = data_.data();
    info.bytes = data_.size();
    require(library_, library_.data_info(&info), "cuptiRangeProfilerGetCounterDataInfo");
    return info.ranges;
  }

  std::span<const std::uint8_t> data() const { return data_; }

 private:
  void make_data(std::size_t launches) {
    cupti::DataSize size{};
    size.struct_size = cupti::size_of<cupti::DataSize>;
    size.profiler = profiler_;
    size.names = names_.data();
    size.count = names_.size();
    size.most_ranges = launches;
    size.most_tree_nodes = static_cast<std::uint32_t>(launches);
    require(library_, library_.data_size(&size), "cuptiRangeProfilerGetCounterDataSize");
    data_.resize(size.bytes);
    cupti::InitializeData initialise{};
    initialise.struct_size = cupti::size_of<cupti::InitializeData>;
    initialise.profiler = profiler_;
    initialise.bytes = data_.size();
    initialise.data = data_.data();
    require(library_, library_.initialize_data(&initialise),
            "cuptiRangeProfilerCounterDataImageInitialize");
  }

  void configure(std::size_t launches) {
    cupti::SetConfig config{};
    config.struct_size = cupti::size_of<cupti::SetConfig>;
    config.profiler = profiler_;
    config.config_bytes = group_.config().size();
    config.config = group_.config().data();
    config.data_bytes = data_.size();
    config.data = data_.data();
    config.range = cupti::auto_range;
    config.replay = cupti::user_replay;
    config.most_ranges_per_pass = launches;
    config.nesting_levels = 1;
    config.least_nesting_level = 1;
    config.target_nesting_level = 1;
    require(library_, library_.set_config(&config), "cuptiRangeProfilerSetConfig");
  }

  const cupti::Library& library_;
  const MetricGroup& group_;
  std::vector<const char*> names_;
  cupti::Profiler profiler_;
  std::vector<std::uint8_t> data_;
};

Counters::SwitchedOn::SwitchedOn(Counters& counters)
    : counters_(counters), is_first_(counters.profiler_ == nullptr) {
  if (!is_first_) return;
  counters.profiler_ = std::make_unique<const Profiler>(counters.library_, counters.context_);
}

Counters::SwitchedOn::~SwitchedOn() {
  if (is_first_) counters_.profiler_.reset();
}

Counters::Counters(Counters&&) noexcept = default;
Counters& Counters::operator=(Counters&&) noexcept = default;
Counters::~Counters() = default;

Counters::Counters(int device, cupti::Context context, std::span<const std::string_view> metrics,
                   const Toolchain& toolchain)
    : context_(context) {
  std::string why_not;
  library_ = cupti::Library::load(toolchain.cupti_libraries, why_not);
  if (library_ == nullptr) {
    throw CountersUnavailable(
        "NVIDIA's CUPTI, which reads a GPU's counters, was not found: run scripts/get-cupti.sh, "
        "install a CUDA toolkit, or put the folder of libcupti.so.13 into LD_LIBRARY_PATH (" +
        (why_not.empty() ? std::string("no place to search") : why_not) + ")");
  }
  if (context_ == nullptr) {
    throw CountersUnavailable("no CUDA driver has a context here, so " + library_->path +
                              " has no counters to read");
  }
  cupti::Plain plain{cupti::size_of<cupti::Plain>, nullptr};
  require(*library_, library_->initialise(&plain), "cuptiProfilerInitialize");
  cupti::ChipName chip{cupti::size_of<cupti::ChipName>, nullptr, static_cast<std::size_t>(device),
                       nullptr};
  require(*library_, library_->chip_name(&chip), "cuptiDeviceGetChipName");
  groups_ = groups_of(library_, chip.name, metrics, left_out_);
}

std::size_t Counters::passes() const {
  std::size_t sum = 0;
  for (const auto& each : groups_) sum += each->passes();
  return sum;
}

std::vector<CounterValues> Counters::read(const MetricGroup& group, std::size_t launches,
                                          const std::function<void()>& run) const {
  Session session(*profiler_, group, launches);
  session.run_passes(run);
  if (const std::size_t kernels = session.kernels(); kernels != launches) {
    throw CountersUnavailable("cuptiRangeProfilerGetCounterDataInfo: " + std::to_string(kernels) +
                              " kernels were counted of " + std::to_string(launches) +
                              " that were launched");
  }
  std::vector<CounterValues> result(launches);
  for (std::size_t i = 0; i < launches; ++i) {
    const std::vector<double> values = group.values(session.data(), i);
    for (std::size_t m = 0; m < values.size(); ++m) result[i][group.names()[m]] = values[m];
  }
  return result;
}

std::vector<CounterValues> Counters::read(std::size_t launches, const std::function<void()>& run,
                                          bool patched) {
  const SwitchedOn switched_on(*this);
  std::vector<CounterValues> result(launches);
  for (std::size_t g = 0; g < groups_.size();) {
    if (!patched && needs_patching(groups_[g]->names().front())) {
      ++g;
      continue;
    }
    // On an H200, reading patched metrics hangs if the profiler has read other metrics before.
    if (needs_patching(groups_[g]->names().front())) renew_profiler();
    try {
      std::vector<CounterValues> more = read(*groups_[g], launches, run);
      for (std::size_t i = 0; i < launches; ++i) result[i].merge(more[i]);
      ++g;
    } catch (const CountersUnavailable& error) {
      // Metrics that need no patching are still read.
      const std::vector<std::string>& names = groups_[g]->names();
      if (!needs_patching(names.front()) || groups_.size() == 1) throw;
      for (const std::string& each : names) left_out_[each] = error.what();
      groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(g));
      renew_profiler();  // the failed profiler's state is not known
    }
  }
  return result;
}

void Counters::renew_profiler() {
  profiler_.reset();
  profiler_ = std::make_unique<const Profiler>(library_, context_);
}

}  // namespace warpwise::lab
