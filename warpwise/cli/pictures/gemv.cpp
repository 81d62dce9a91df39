#include "warpwise/primitives/gemv/gemv.hpp"

#include <fmt/format.h>

#include <cfloat>
#include <cmath>
#include <filesystem>

#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/pictures/task.hpp"
#include "warpwise/io/npy.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/primitives/copy/copy.hpp"

namespace warpwise::cli {
namespace {

constexpr std::string_view gemv_output_types[] = {".npy"};

void add_factor(CLI::App& app, const std::string& option, const std::string& help, float& value) {
  app.add_option_function<std::string>(
         option,
         [option, &value](const std::string& text) {
           const double number = parse_number(option, text);
           if (std::abs(number) > FLT_MAX) {
             throw UsageError(option + " got '" + text + "', which is beyond a 32-bit float");
           }
           value = static_cast<float>(number);
         },
         help)
      ->type_name("NUMBER");
}

class GemvCommand final : public Command {
 public:
  explicit GemvCommand(CLI::App& app) {
    app.add_option("A X Y", paths_,
                   "y = alpha A x + beta y: .npy files of a matrix (height, width) and a vector "
                   "(width,), both f32 or both f16; Y is f32")
        ->check(refuse_empty_name)
        ->type_name("");
    app.add_flag("--transpose", options_.transpose, "Multiply by the transpose of A");
    add_factor(app, "--alpha", "Factor of the product (default: 1)", options_.alpha);
    add_factor(app, "--beta", "Factor of the vector already in Y (default: 0)", options_.beta);
    add_run_options(app, run_);
  }

  void execute() const override {
    if (paths_.size() != 3) throw UsageError("gemv needs A.npy X.npy Y.npy");
    const std::string& out = paths_[2];
    require_output(out, gemv_output_types);
    for (const std::string& input : {paths_[0], paths_[1]}) {
      if (run_.is_raw(input)) throw UsageError(input + " has no header; gemv takes .npy files");
    }
    Task task(
        "gemv", run_, {paths_[0], paths_[1]},
        {{"transpose", options_.transpose}, {"alpha", options_.alpha}, {"beta", options_.beta}});
    std::vector<io::Picture> sources;
    sources.push_back(task.read_matrix(paths_[0]));
    sources.push_back(task.read_vector(paths_[1]));
    const io::PictureShape a = sources[0].shape();
    const std::int64_t height = options_.transpose ? a.width : a.height;
    require_operands(a, sources[1].shape());
    const bool adds = options_.beta != 0;
    if (adds) sources.push_back(read_summand(task, height));

    io::Picture y = Task::result(io::PictureShape::interleaved(ElementType::f32, 1, height, 1));
    task.compute(Computation::of([&](auto from, auto to, auto... stream) {
                   // gemv() overwrites y. A GPU may run this twice, so each run copies Y again.
                   if (adds) copy(from[2].view(), to[0].view(), stream...);
                   gemv(from[0].view(), from[1].view(), to[0].view(), options_, stream...);
                 }),
                 sources, std::span(&y, 1));

    const std::vector<std::byte> header = io::npy_vector_header(ElementType::f32, height);
    const std::span<const std::byte> parts[] = {header, y.bytes()};
    task.write(out, parts);
    task.report(fmt::format("{}: {} elements from a {}x{} {} matrix", out, height, a.height,
                            a.width, a.pixel_text()),
                {{"elements", height}});
  }

 private:
  void require_operands(const io::PictureShape& a, const io::PictureShape& x) const {
    if (a.channels != 1 || (a.type != ElementType::f32 && a.type != ElementType::f16)) {
      throw IoError(fmt::format("{} has elements of {}; gemv takes a matrix of f32 or f16",
                                paths_[0], a.pixel_text()));
    }
    if (x.type != a.type) {
      throw IoError(fmt::format("{} has elements of {} and {} of {}; they must be of one type",
                                paths_[0], a.pixel_text(), paths_[1], x.pixel_text()));
    }
    const std::int64_t wanted = options_.transpose ? a.height : a.width;
    if (x.width != wanted) {
      throw IoError(fmt::format("{} has {} elements; the {}x{} matrix of {} needs {}", paths_[1],
                                x.width, a.height, a.width, paths_[0], wanted));
    }
  }

  io::Picture read_summand(Task& task, std::int64_t elements) const {
    const std::string& path = paths_[2];
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      throw IoError(fmt::format("--beta {} adds the vector in {}, but there is no such file",
                                options_.beta, path));
    }
    io::Picture y = task.read_vector(path);
    if (y.shape().type != ElementType::f32 || y.shape().width != elements) {
      throw IoError(fmt::format("{} has {} elements of {}; --beta needs {} of f32", path,
                                y.shape().width, y.shape().pixel_text(), elements));
    }
    return y;
  }

  std::vector<std::string> paths_;
  GemvOptions options_;
  InputOptions run_;
};

}  // namespace

std::unique_ptr<Command> add_gemv(CLI::App& app) {
  return std::make_unique<GemvCommand>(
      *app.add_subcommand("gemv", "Multiply a matrix by a vector: y = alpha A x + beta y"));
}

}  // namespace warpwise::cli
