#include "warpwise/cli/streams/stage_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/pictures/search.hpp"
#include "warpwise/lab/study/table/suggestion.hpp"

namespace warpwise::cli {
namespace {

using live::StageOption;
using Kind = StageOption::Kind;

// The lowest zncc between two pictures of the same object, as bench/find_scores.py measured it.
constexpr double zncc_of_the_same = 0.8;

// The range of a slider. The option's values may lie far outside it.
struct Span {
  std::int64_t least;
  std::int64_t greatest;
};

std::string help_of(const StageOption& option) {
  std::string help = option.help;
  if (!option.default_text.empty()) help += " (default: " + option.default_text + ")";
  if (!option.choices.empty()) help += fmt::format(": {}", fmt::join(option.choices, ", "));
  return help;
}

StageOption integer(std::string name, std::string help, std::string form, std::string default_text,
                    Span span, std::int64_t step = 1) {
  return {.name = std::move(name),
          .help = std::move(help),
          .kind = Kind::integer,
          .form = std::move(form),
          .default_text = std::move(default_text),
          .least = span.least,
          .greatest = span.greatest,
          .step = step};
}

StageOption renamed(std::string former, StageOption option) {
  option.former = std::move(former);
  return option;
}

StageOption number(std::string name, std::string help, std::string form, std::string default_text,
                   Span span) {
  StageOption option =
      integer(std::move(name), std::move(help), std::move(form), std::move(default_text), span);
  option.kind = Kind::number;
  return option;
}

template <class Choices, class T>
void add_stage_choice(StageOptions& options, const std::string& name, const std::string& help,
                      const Choices& choices, T& value, std::string default_text) {
  StageOption option{.name = name,
                     .help = help,
                     .kind = Kind::choice,
                     .form = "NAME",
                     .default_text = std::move(default_text)};
  for (const auto choice : choices) option.choices.emplace_back(name_of(choice));
  options.add(std::move(option),
              [&choices, &value](const std::string& called, const std::string& text) {
                value = parse_choice(called, text, choices);
              });
}

// Adds an option that chooses one of `choices`. Its default is the current value of `value`.
template <class Choices, class T>
void add_stage_choice(StageOptions& options, const std::string& name, const std::string& help,
                      const Choices& choices, T& value) {
  add_stage_choice(options, name, help, choices, value, std::string(name_of(value)));
}

void add_flag(StageOptions& options, const std::string& name, const std::string& help,
              bool& value) {
  options.add({.name = name, .help = help, .kind = Kind::flag},
              [&value](const std::string&, const std::string&) { value = true; });
}

// Adds the option search, then search-x and search-y, which override parts of search.
void add_search(StageOptions& options, SearchRange& x, SearchRange& y) {
  options.add(integer("search", "Displacements from -S to S-1 along both axes", "S",
                      std::to_string(-x.first), {1, 64}),
              [&x, &y](const std::string& called, const std::string& text) {
                const auto reach =
                    static_cast<int>(parse_integer(called, text, 1, max_match_displacement));
                x = y = {-reach, reach - 1};
              });
  const auto add_axis = [&options](const std::string& axis, SearchRange& range) {
    options.add({.name = "search-" + axis,
                 .help = "Displacements from A to B along " + axis + ", both included",
                 .kind = Kind::text,
                 .form = "A:B"},
                [&range](const std::string& called, const std::string& text) {
                  range = parse_range(called, text);
                });
  };
  add_axis("x", x);
  add_axis("y", y);
}

float parse_length(std::string_view called, std::string_view text) {
  const double length = parse_number(called, text);
  // Displacements are whole pixels, so a length between 0 and 1 has no meaning.
  if (length >= 1 && length <= max_match_displacement) return static_cast<float>(length);
  throw UsageError(fmt::format("{} got '{}', but needs a length from 1 to {} pixels", called, text,
                               max_match_displacement));
}

}  // namespace

void StageOptions::add(StageOption option, Set set) {
  options_.push_back({std::move(option), std::move(set)});
}

void StageOptions::add_to(CLI::App& app) const {
  for (const Bound& bound : options_) {
    const StageOption& option = bound.option;
    const std::string name = "--" + option.name;
    if (option.kind == Kind::flag) {
      app.add_flag_callback(name, [set = bound.set, name] { set(name, {}); }, option.help);
      continue;
    }
    app.add_option_function<std::string>(
           name, [set = bound.set, name](const std::string& text) { set(name, text); },
           help_of(option))
        ->type_name(option.form);
    if (!option.former.empty()) add_deprecated_option(app, "--" + option.former, name);
  }
}

const StageOptions::Bound& StageOptions::named(const std::string& name) const {
  const auto found = std::ranges::find(
      options_, name, [](const Bound& each) -> const std::string& { return each.option.name; });
  if (found != options_.end()) return *found;
  const auto former = std::ranges::find(
      options_, name, [](const Bound& each) -> const std::string& { return each.option.former; });
  if (former != options_.end() && !name.empty()) {
    warn_deprecated_option(name + "=", former->option.name + "=");
    return *former;
  }
  std::vector<std::string> names;
  for (const Bound& each : options_) names.push_back(each.option.name);
  throw UsageError(fmt::format("'{}' is no option{}; its options: {}", name,
                               lab::suggestion(name, names), fmt::join(names, ", ")));
}

void StageOptions::read(const std::vector<std::string>& words) const {
  std::map<const Bound*, std::string> values;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const Bound& bound = named(word.substr(0, equals));
    const StageOption& option = bound.option;
    const bool has_value = equals != std::string::npos;
    if (option.kind == Kind::flag && has_value) {
      throw UsageError(fmt::format("'{}': the option {} takes no value", word, option.name));
    }
    if (option.kind != Kind::flag && (!has_value || equals + 1 == word.size())) {
      throw UsageError(fmt::format("'{}': the option {} needs a value: {}={}", word, option.name,
                                   option.name, option.form));
    }
    const bool is_first =
        values.emplace(&bound, has_value ? word.substr(equals + 1) : std::string()).second;
    if (!is_first) throw UsageError(fmt::format("the option {} is given twice", option.name));
  }
  for (const Bound& bound : options_) {
    const auto found = values.find(&bound);
    if (found != values.end()) bound.set(bound.option.name, found->second);
  }
}

std::vector<StageOption> StageOptions::list() const {
  std::vector<StageOption> list;
  for (const Bound& each : options_) list.push_back(each.option);
  return list;
}

void add_measure(StageOptions& options, Measure& measure) {
  add_stage_choice(options, "measure", "Measure of similarity", all_measures, measure);
}

void add_score_options(StageOptions& options, Measure& measure, std::optional<double>& min_score) {
  measure = Measure::zncc;
  add_measure(options, measure);
  options.add(
      number("min-score", "Least score of a place that counts as found; for ncc and zncc", "S",
             fmt::format("{} for zncc, none for ncc", zncc_of_the_same), {-1, 1}),
      [&min_score](const std::string& called, const std::string& text) {
        const double score = parse_number(called, text);
        if (score < -1 || score > 1)
          throw UsageError(fmt::format("{} got '{}', but scores are from -1 to 1", called, text));
        min_score = score;
      });
}

std::optional<double> least_score(Measure measure, std::optional<double> given) {
  if (given && least_is_best(measure)) {
    throw UsageError(fmt::format("min-score is for ncc and zncc; the scores of {} have no bound",
                                 name_of(measure)));
  }
  if (!given && measure == Measure::zncc) return zncc_of_the_same;
  return given;
}

void add_text(StageOptions& options, const std::string& name, const std::string& help,
              const std::string& form, std::string& value) {
  options.add({.name = name, .help = help, .kind = Kind::text, .form = form},
              [&value](const std::string&, const std::string& text) { value = text; });
}

StageOptions convert_options(live::ConvertChoices& choices) {
  StageOptions list;
  add_stage_choice(list, "matrix", "Weights of the colours in luma", all_matrices, choices.matrix,
                   "bt601; in a stream, the stream's");
  add_stage_choice(list, "from-range", "Range of YUV input", all_ranges, choices.from_range,
                   "that of the .y4m file or the stream, else the convention's");
  add_stage_choice(list, "to-range", "Range of YUV output", all_ranges, choices.to_range,
                   "the convention's; in a stream full, or unchanged for YUV");
  add_stage_choice(list, "convention", "Arithmetic of the conversion", all_conventions,
                   choices.convention);
  add_stage_choice(list, "chroma", "Upsampling of subsampled chroma", all_chroma_upsamplings,
                   choices.upsampling);
  return list;
}

StageOptions sobel_options(SobelOptions& options) {
  StageOptions list;
  add_stage_choice(list, "output", "Result to write", all_sobel_outputs, options.output);
  add_stage_choice(list, "norm", "Length of the gradient: |dx| + |dy| or sqrt(dx^2 + dy^2)",
                   all_norms, options.norm);
  add_stage_choice(list, "kernel", "Smoothing weights: 1 2 1 or 3 10 3", all_sobel_kernels,
                   options.kernel);
  add_stage_choice(list, "border", "Values of pixels outside the image", all_borders,
                   options.border);
  return list;
}

StageOptions threshold_options(ThresholdOptions& options, bool& has_maximum) {
  StageOptions list;
  list.add(integer("window", "Side of the square window, odd", "N", {}, {1, 255}, 2),
           [&options](const std::string& called, const std::string& text) {
             options.window = parse_odd(called, text, max_threshold_window(ElementType::u8));
           });
  list.add(
      number("offset",
             "Number to subtract from the mean, in the pixels' units: 255, or 65535 for 16 bits, "
             "is white. May be negative",
             "C", fmt::format("{}", options.offset), {-64, 64}),
      [&options](const std::string& called, const std::string& text) {
        options.offset = parse_number(called, text);
      });
  add_stage_choice(list, "method", "Kind of mean", all_threshold_methods, options.method);
  list.add(integer("max",
                   "Value of pixels above their mean; in frames of more than 8 bits the default is "
                   "65535",
                   "V", std::to_string(options.maximum), {0, 255}),
           [&options, &has_maximum](const std::string& called, const std::string& text) {
             has_maximum = true;
             options.maximum = static_cast<std::uint32_t>(parse_integer(called, text, 0, 65535));
           });
  add_flag(list, "invert", "Swap the maximum and 0", options.inverted);
  return list;
}

StageOptions match_options(MatchOptions& options, std::optional<float>& max_motion) {
  StageOptions list;
  list.add(renamed("block", integer("block-size", "Side of a block", "N",
                                    std::to_string(options.block_width), {1, 256})),
           [&options](const std::string& called, const std::string& text) {
             options.block_width = options.block_height = parse_integer(called, text, 1, 256);
           });
  list.add(integer("stride", "Step from a block to its neighbour", "N", "the block", {1, 256}),
           [&options](const std::string& called, const std::string& text) {
             options.stride_x = options.stride_y = parse_integer(called, text, 1, INT32_MAX);
           });
  add_search(list, options.search_x, options.search_y);
  add_measure(list, options.measure);
  add_stage_choice(list, "border", "Treatment of displacements that leave the target",
                   all_match_borders, options.border);
  list.add(number("max-motion", "Motion length shown in full colour; longer motion looks the same",
                  "PIXELS",
                  "the 99th percentile of the blocks, at least 1; in a stream, the "
                  "search range",
                  {1, 64}),
           [&max_motion](const std::string& called, const std::string& text) {
             max_motion = parse_length(called, text);
           });
  return list;
}

StageOptions disparity_options(DisparityOptions& options) {
  StageOptions list;
  list.add(renamed("block", integer("block-size", "Side of the block around each pixel, odd", "N",
                                    std::to_string(options.block), {1, 63}, 2)),
           [&options](const std::string& called, const std::string& text) {
             options.block = static_cast<int>(parse_odd(called, text, max_disparity_block));
           });
  list.add(integer("max-disparity", "The largest displacement tried", "N",
                   std::to_string(options.max_disparity), {0, 256}),
           [&options](const std::string& called, const std::string& text) {
             options.max_disparity =
                 static_cast<int>(parse_integer(called, text, 0, max_disparity_range));
           });
  add_measure(list, options.measure);
  add_flag(list, "subpixel", "Refine to fractions of a pixel by the scores beside the best",
           options.subpixel);
  list.add(renamed("check", integer("consistency",
                                    "Largest difference between the disparities of a pixel and of "
                                    "its counterpart in the right image; -1: no check",
                                    "N", std::to_string(options.check), {-1, 16})),
           [&options](const std::string& called, const std::string& text) {
             options.check = static_cast<int>(parse_integer(called, text, -1, max_disparity_range));
           });
  return list;
}

StageOptions track_options(std::optional<Box>& box, TrackOptions& options) {
  StageOptions list;
  list.add({.name = "box",
            .help = "The box in the first frame: left, top, width, height",
            .kind = Kind::text,
            .form = "X,Y,W,H"},
           [&box](const std::string& called, const std::string& text) {
             box = parse_box(called, text);
           });
  add_search(list, options.search_x, options.search_y);
  add_score_options(list, options.measure, options.min_score);
  add_flag(list, "update",
           "Search each frame for the box found in the frame before, not for the first box",
           options.update_template);
  return list;
}

}  // namespace warpwise::cli
