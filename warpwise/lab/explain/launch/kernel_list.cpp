#include "warpwise/lab/explain/launch/kernel_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <span>

#include "warpwise/base/counted.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/kernel_name.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/explain/kernel/address_form.hpp"
#include "warpwise/lab/explain/kernel/parameter_members.hpp"
#include "warpwise/lab/explain/launch/arguments.hpp"
#include "warpwise/lab/explain/launch/scanned.hpp"

namespace warpwise::lab {
namespace {

struct Shape {
  std::uint64_t threads_x = 0;
  std::uint64_t threads = 0;
  std::string grid;
  std::string block;
};

Shape shape_of(const emulator::KernelInfo& kernel, std::string_view ptx,
               const std::string& source) {
  const std::string_view body = body_of(ptx, kernel.name);
  const auto uses = [&](const char* name) { return body.find(name) != std::string_view::npos; };
  if (kernel.required_threads.size() == 3) {
    const std::vector<int>& block = kernel.required_threads;
    constexpr std::uint64_t blocks = 256;
    const auto x = static_cast<std::uint64_t>(block[0]);
    return {x * blocks, x * blocks * static_cast<std::uint64_t>(block[1] * block[2]),
            std::to_string(blocks), fmt::format("{},{},{}", block[0], block[1], block[2])};
  }
  constexpr std::uint64_t side = 16;
  const auto most = static_cast<std::uint64_t>(kernel.most_threads);
  if (uses("%tid.y") && !uses("%ntid")) {
    const auto [columns, rows] = tile_in(source, plain_name(kernel.name));
    constexpr std::uint64_t along = side * side;  // limit of threads along x or y
    if (columns > 0 && rows > 0 && columns * rows <= most && columns <= along && rows <= along) {
      const std::uint64_t x = along / columns;
      const std::uint64_t y = along / rows;
      return {x * columns, x * y * columns * rows, fmt::format("{},{}", x, y),
              fmt::format("{},{}", columns, rows)};
    }
  }
  const auto has = [&](const char* coordinate) {
    return uses_coordinate(body, source, plain_name(kernel.name), coordinate);
  };
  const bool has_deep_blocks = has("tid.z");
  if ((has_deep_blocks || has("ctaid.z")) && most >= side * side) {
    constexpr std::uint64_t edge = 64;  // edge of a cube of threads
    return {edge, edge * edge * edge, has_deep_blocks ? "8,8,16" : "4,4,64",
            has_deep_blocks ? "8,8,4" : "16,16"};
  }
  if ((has("tid.y") || has("ctaid.y")) && most >= side * side)
    return {side * side, side * side * side * side, "16,16", "16,16"};
  const std::uint64_t threads = std::min<std::uint64_t>(256, most);
  return {256 * threads, 256 * threads, "256", std::to_string(threads)};
}

constexpr const char* qualifiers[] = {"const", "volatile", "__restrict__"};

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Returns true if the name, in lower case, contains one of the parts.
bool has_part(const std::string& name, std::span<const char* const> parts) {
  const std::string lower = lower_case(name);
  return std::ranges::any_of(
      parts, [&](const char* part) { return lower.find(part) != std::string::npos; });
}

bool is_mask(const std::string& name) { return has_part(name, std::array{"mask"}); }

bool is_named_small(const std::string& name) {
  constexpr std::array parts = {"stride", "step",    "period", "radius", "window", "iter", "times",
                                "tap",    "channel", "shift",  "offset", "halo",   "seed", "bit"};
  return has_part(name, parts);
}

// A kernel's parameter, as its PTX and its source describe it.
struct Parameter {
  std::string type;  // C++ type without blanks and qualifiers; empty if not known
  bool is_input = false;
  bool is_index = false;  // addresses are computed from its elements
  bool is_small = false;  // a stride, a radius and the like
  std::string name;       // name in the source; empty if not known
  std::string ptx_name;   // "_Z5scalePfi_param_0"
  std::string ptx_type;
  std::uint64_t bytes = 0;

  std::string texels = {};  // type of a texture's elements; empty for anything else

  bool is_pointer() const {
    return texels.empty() &&
           (type.ends_with('*') || (type.empty() && bytes == 8 && ptx_type.front() != 'f'));
  }
  // An integer that seems to be a size.
  bool is_size() const {
    return !is_pointer() && texels.empty() && bytes >= 4 && ptx_type.front() != 'f' &&
           ptx_type != "b8" && !is_small && !is_mask(name);
  }
};

// A launch to try.
struct Choice {
  Shape shape;
  std::uint64_t shared_bytes = 0;
  std::uint64_t size = 0;             // value of integers that seem to be sizes
  std::map<std::size_t, int> larger;  // factors of buffers' elements, by parameter
  std::uint64_t beyond = 0;           // if not 0, elements added to buffers of `larger` instead
  std::string fault = {};             // first fault, if every launch that was tried had a fault
  bool is_cooperative = false;        // only a cooperative launch can run without a fault
};

constexpr std::uint64_t small_value = 4;  // value of integers that are no sizes: strides, radii

// Takes a declaration apart: "const float* in" or "const float in[]".
DeclaredParameter declared(const std::string& text) {
  DeclaredParameter parameter{"", last_word(text)};
  const std::size_t at = text.rfind(parameter.name);
  parameter.type = text.substr(0, at);
  if (text.find('[', at) != std::string::npos) parameter.type += '*';
  return parameter;
}

std::string integer_text(const std::string& type, const Parameter& parameter,
                         const Choice& choice) {
  // A mask is a size less one. Masked sizes are mostly powers of two.
  const std::uint64_t value = is_mask(parameter.name) ? std::max<std::uint64_t>(choice.size, 2) - 1
                              : parameter.is_small    ? small_value
                                                      : choice.size;
  return fmt::format("{}:{}", type, value);
}

std::string buffer_text(const Element& element, const Choice& choice, std::size_t i,
                        const std::string& fill) {
  std::uint64_t elements = choice.shape.threads;
  if (const auto found = choice.larger.find(i); found != choice.larger.end())
    elements = choice.beyond > 0 ? elements + choice.beyond
                                 : elements * static_cast<std::uint64_t>(found->second);
  return fmt::format("{}[{}]{}", name_of(element.type),
                     elements * static_cast<std::uint64_t>(element.count), fill);
}

// Returns the text for a buffer's contents: row offsets increase, indices lie within the buffers.
std::string fill_of(const Parameter& parameter, ScalarType type, const Choice& choice) {
  constexpr std::array beginnings = {"start", "begin", "offset", "ptr"};
  const bool is_index = parameter.is_index && !is_float(type) && size_of(type) >= 4;
  if (is_index && !has_part(parameter.name, beginnings))
    return fmt::format(":random:0..{}", choice.shape.threads - 1);
  if (!parameter.is_input) return "";
  if (is_float(type) || type == ScalarType::u8) return ":random";
  if (size_of(type) < 4) return "";
  return has_part(parameter.name, beginnings) ? ":iota" : "";
}

// Writes a structure: members that the kernel reads have values, and the bytes between are zeros.
std::string structure_text(std::string_view body, const Parameter& parameter, std::size_t i,
                           const Choice& choice) {
  const auto members = members_of(body, parameter.ptx_name);
  std::string text;
  for (std::uint64_t at = 0; at < parameter.bytes;) {
    text += at == 0 ? "{" : ", ";
    const auto found = members.find(at);
    const auto next = members.upper_bound(at);
    const std::uint64_t end = next == members.end() ? parameter.bytes : next->first;
    if (found == members.end()) {
      const bool is_word = at % 4 == 0 && end - at >= 4;
      text += is_word ? "i32:0" : "i8:0";
      at += is_word ? 4 : 1;
    } else if (found->second == "*") {
      text += buffer_text({ScalarType::f32}, choice, i, "");
      at += 8;
    } else {
      const std::string& type = found->second;
      const bool is_size = type == "i32" || type == "i64";
      text += is_size ? integer_text(type, {}, choice) : type + ":1";
      at += std::stoull(type.substr(1)) / 8;
    }
  }
  return text + "}";
}

// Writes a value for a parameter.
std::string argument_text(std::string_view body, const Parameter& parameter, std::size_t i,
                          const Choice& choice) {
  if (!parameter.texels.empty())
    return fmt::format("tex2d<{}>[{}x{}]:random", parameter.texels, choice.size, choice.size);
  if (parameter.is_pointer()) {
    const std::string plain = parameter.type.substr(0, parameter.type.find('*'));
    const bool is_plain = parameter.type.size() <= plain.size() + 1;
    const Element element =
        is_plain ? element_of(plain).value_or(Element{ScalarType::f32}) : Element{ScalarType::u64};
    return buffer_text(element, choice, i, fill_of(parameter, element.type, choice));
  }
  if (parameter.ptx_type == "b8") return structure_text(body, parameter, i, choice);
  const auto element = element_of(parameter.type);
  const bool is_real = element ? is_float(element->type) : parameter.ptx_type.front() == 'f';
  const std::string name = element ? std::string(name_of(element->type))
                                   : fmt::format("{}{}", is_real ? 'f' : 'i', 8 * parameter.bytes);
  return is_real || parameter.bytes < 4 ? name + ":1" : integer_text(name, parameter, choice);
}

std::vector<Parameter> parameters_of(const emulator::KernelInfo& kernel, std::string_view body,
                                     const std::string& source) {
  std::vector<std::string> types = parameter_types(kernel.name);
  std::vector<DeclaredParameter> own = declared_parameters(source, plain_name(kernel.name));
  if (own.size() != kernel.parameter_types.size()) own.clear();
  if (types.empty())
    for (const DeclaredParameter& each : own) types.push_back(each.type);
  const std::vector<std::string> in_ptx = parameter_names(body);
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < kernel.parameter_types.size(); ++i) {
    Parameter& each = parameters.emplace_back();
    each.ptx_type = kernel.parameter_types[i];
    each.bytes = kernel.parameter_bytes[i];
    if (i < own.size()) each.name = own[i].name;
    if (i < own.size() && own[i].type.find("cudaTextureObject_t") != std::string::npos)
      each.texels = texels_in(source, each.name);
    if (i < in_ptx.size()) each.ptx_name = in_ptx[i];
    if (i >= types.size()) continue;
    each.type = types[i];
    each.is_input = points_to_constants(types[i]);
    for (const char* word : qualifiers) each.type = without(each.type, word);
    std::erase(each.type, ' ');
  }
  // If another parameter is called m, then k is an extent of a matrix, not a radius.
  const bool has_m = std::ranges::find(parameters, "m", &Parameter::name) != parameters.end();
  for (Parameter& each : parameters)
    each.is_small = is_named_small(each.name) || (each.name == "k" && !has_m);
  return parameters;
}

// Says which buffers are a little longer than the others.
std::string edge_note(const std::string& kernel, const Choice& choice) {
  std::string numbers;
  for (const auto& [index, unused] : choice.larger)
    numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", index);
  return fmt::format(
      "{0} accesses argument {2} up to {1} beyond the number of threads (arguments are counted "
      "from 0). If it should not, it lacks a bound check.",
      kernel, counted(choice.beyond, "element"), numbers);
}

// Shrinks a block to a quarter of its layers or rows: a kernel with 32x32 tiles may have blocks of
// 32x8 threads, each of which loops over four rows. Halves a block that is only one row. Returns
// false if neither is possible.
bool shrink(Shape& shape) {
  emulator::Dim3 block = parse_dimensions("--block", shape.block);
  constexpr std::uint32_t fewest = 32;
  if (block.z % 4 == 0) {
    block.z /= 4;
  } else if (block.y % 4 == 0) {
    block.y /= 4;
  } else if (block.y == 1 && block.z == 1 && block.x > fewest) {
    block.x /= 2;
  } else {
    return false;
  }
  shape.block = std::to_string(block.x);
  if (block.y * block.z > 1) shape.block += fmt::format(",{}", block.y);
  if (block.z > 1) shape.block += fmt::format(",{}", block.z);
  return true;
}

class Trial {
 public:
  Trial(emulator::Program& program, const emulator::KernelInfo& kernel, const std::string& ptx,
        const std::string& source)
      : program_(program), kernel_(kernel), body_(body_of(ptx, kernel.name)),
        parameters_(parameters_of(kernel, body_, source)) {
    mark_indices(ptx);
    first_.shape = shape_of(kernel, ptx, source);
    if (uses_dynamic_shared(ptx, body_))
      first_.shared_bytes = 4 * parse_dimensions("--block", first_.shape.block).count();
  }

  // Returns a launch that ran without a fault, or else the first launch, with its fault.
  Choice chosen() {
    const auto sizes = std::ranges::count_if(parameters_, &Parameter::is_size);
    std::vector<std::uint64_t> values = {first_.shape.threads_x, 256, 16, 1};
    if (sizes >= 2) values = {256, 64, 16, 1};
    if (sizes >= 3) values = {64, 16, 1};
    for (const std::uint64_t value : values) {
      Choice choice = first_;
      choice.fault.clear();
      choice.size = value;
      constexpr int most_runs = 8;
      for (int run = 0; run < most_runs; ++run) {
        const auto faults = faults_of(choice);
        if (faults.empty()) return with_matching_grid(with_an_edge(choice));
        if (first_.fault.empty()) first_.fault = faults.front().message;
        choice.is_cooperative = std::ranges::any_of(faults, [&](const emulator::Fault& each) {
          return lacks_cooperative_launch(body_, each);
        });
        if (choice.is_cooperative) return choice;
        if (!mend(faults, choice)) break;
      }
    }
    first_.size = values.front();
    return first_;
  }

  std::vector<std::string> words(const Choice& choice) const {
    std::vector<std::string> words = {"--grid", choice.shape.grid, "--block", choice.shape.block};
    if (choice.shared_bytes > 0)
      words.insert(words.end(), {"--shared", std::to_string(choice.shared_bytes)});
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      words.insert(words.end(), {"--arg", argument_text(body_, parameters_[i], i, choice)});
    return words;
  }

 private:
  // Marks the buffers of indices; none if the PTX cannot be parsed.
  void mark_indices(const std::string& ptx) {
    try {
      for (const std::size_t each : index_sources(ptx, kernel_.name))
        parameters_[each].is_index = true;
    } catch (const InvalidArgument&) {
    }
  }

  // Returns the launch with buffers larger only by an element or a row, if that is enough.
  Choice with_an_edge(const Choice& choice) const {
    if (choice.larger.empty()) return choice;
    for (const std::uint64_t beyond : {std::uint64_t{1}, small_value, choice.size}) {
      constexpr std::uint64_t shortest_share = 16;  // a row is a small part of the buffer
      if (beyond * shortest_share > choice.shape.threads) break;
      Choice closer = choice;
      closer.beyond = beyond;
      if (faults_of(closer).empty()) return closer;
    }
    return choice;
  }

  // Returns the launch with only as many blocks as `choice.size` threads need, if threads of the
  // other blocks return at once. Returns the launch unchanged if its blocks do about the same work,
  // or if its buffers need more elements than there are threads.
  Choice with_matching_grid(const Choice& choice) const {
    const std::uint64_t blocks = parse_dimensions("--grid", choice.shape.grid).count();
    const std::uint64_t threads = choice.shape.threads / blocks;
    const std::uint64_t matching = (choice.size + threads - 1) / threads;
    const bool is_line = choice.shape.threads == choice.shape.threads_x &&
                         choice.shape.block.find(',') == std::string::npos;
    if (!is_line || choice.beyond > 0 || matching >= blocks) return choice;
    Choice fewer = choice;
    fewer.shape.grid = std::to_string(matching);
    const auto all = run(choice, true);
    const auto some = run(fewer, true);
    if (!all.faults.empty() || !some.faults.empty()) return choice;
    const auto of_some = static_cast<double>(some.totals.warp_instructions);
    const double others = static_cast<double>(all.totals.warp_instructions) - of_some;
    constexpr double less = 0.75;
    const auto n = static_cast<double>(matching);
    return others / static_cast<double>(blocks - matching) < less * of_some / n ? fewer : choice;
  }

  // Runs the launch. If it cannot be tried, the result has a fault with the reason.
  emulator::LaunchResult run(const Choice& choice, bool count) const {
    constexpr std::uint64_t budget = 4'000'000;  // warp instructions: a fraction of a second
    try {
      std::vector<ArgumentSpec> specs;
      for (std::size_t i = 0; i < parameters_.size(); ++i)
        specs.push_back(parse_argument(argument_text(body_, parameters_[i], i, choice)));
      emulator::Device device;
      const Arguments arguments(device, kernel_, specs, {});
      return program_.launch(device, kernel_.name, parse_dimensions("--grid", choice.shape.grid),
                             parse_dimensions("--block", choice.shape.block), choice.shared_bytes,
                             arguments.parameters(),
                             {.compute_capabilities = {}, .count = count, .budget = budget});
    } catch (const std::exception& error) {
      emulator::LaunchResult result;
      result.faults.emplace_back().message = error.what();
      return result;
    }
  }

  // Returns a launch's faults, but not an exceeded budget: a long launch is sampled later.
  std::vector<emulator::Fault> faults_of(const Choice& choice) const {
    auto result = run(choice, false);
    std::erase_if(result.faults, [](const emulator::Fault& each) {
      return each.kind == emulator::FaultKind::budget;
    });
    return result.faults;
  }

  // Enlarges memory or shrinks blocks, so that the launch's accesses may lie within memory. Returns
  // false if nothing is left to change.
  bool mend(const std::vector<emulator::Fault>& faults, Choice& choice) const {
    static const std::regex past_end(R"(past the end of argument (\d+),)");
    std::set<std::size_t> small;
    bool shared = false;
    for (const emulator::Fault& each : faults) {
      std::smatch match;
      if (std::regex_search(each.message, match, past_end)) small.insert(std::stoul(match[1]));
      shared = shared || each.message.starts_with("shared");
    }
    bool changed = false;
    for (const std::size_t i : small) {
      constexpr int largest = 64;
      int& factor = choice.larger.emplace(i, 1).first->second;
      changed = changed || factor < largest;
      factor = std::min(2 * factor, largest);
    }
    constexpr std::uint64_t most_shared = 48 * 1024;
    if (shared && choice.shared_bytes > 0 && choice.shared_bytes < most_shared) {
      choice.shared_bytes = std::min(4 * choice.shared_bytes, most_shared);
      return true;
    }
    const bool is_free = shared && kernel_.required_threads.empty();
    return (is_free && shrink(choice.shape)) || changed;
  }

  emulator::Program& program_;
  const emulator::KernelInfo& kernel_;
  std::string_view body_;
  std::vector<Parameter> parameters_;
  Choice first_;
};

// Returns the parameters of each declaration of a kernel in its source.
std::vector<std::vector<DeclaredParameter>> declarations_of(const std::string& source,
                                                            const std::string& plain) {
  std::vector<std::vector<DeclaredParameter>> all;
  std::string kernel = plain.substr(0, plain.find('<'));
  kernel = kernel.substr(kernel.rfind(':') + 1);  // npos + 1 is 0
  for (std::size_t at = source.find("__global__"); at != std::string::npos;
       at = source.find("__global__", at + 1)) {
    const std::size_t end = std::min(source.find_first_of("{;", at), source.size());
    const std::size_t open = source.find(kernel + "(", at);
    const auto is_of_name = [](char c) {
      return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
    };
    if (open >= end || is_of_name(source[open - 1])) continue;
    const std::size_t begin = open + kernel.size() + 1;
    const std::size_t close = source.rfind(')', end);
    std::vector<DeclaredParameter>& parameters = all.emplace_back();
    for (const std::string& each : split(std::string_view(source).substr(begin, close - begin)))
      parameters.push_back(declared(each));
  }
  return all;
}

}  // namespace

std::vector<DeclaredParameter> declared_parameters(const std::string& source,
                                                   const std::string& plain) {
  std::vector<std::vector<DeclaredParameter>> all = declarations_of(source, plain);
  return all.empty() ? std::vector<DeclaredParameter>() : std::move(all.front());
}

std::vector<std::string> declared_types(const std::string& source, const std::string& plain) {
  std::vector<std::string> types;
  for (const std::vector<DeclaredParameter>& each : declarations_of(source, plain)) {
    std::vector<std::string> own;
    for (const DeclaredParameter& parameter : each) {
      std::string& type = own.emplace_back(parameter.type);
      for (const char* word : qualifiers) type = without(type, word);
      type.erase(0, type.find_first_not_of(" \n"));
      type.resize(type.find_last_not_of(" \n") + 1);
    }
    if (!types.empty() && own != types) return {};
    types = std::move(own);
  }
  return types;
}

std::string template_hint(const std::string& source) {
  return std::regex_search(source, std::regex(R"(\btemplate\b)"))
             ? "; a template needs an instantiation such as: template __global__ void "
               "scale<float>(float*, int);"
             : "";
}

std::vector<ListedKernel> listed_kernels(const ExplainRequest& request) {
  const Compilation compilation = compile_file(request.file, request.compile);
  emulator::Program program(compilation.ptx);
  std::vector<std::string> names = program.kernel_names();
  if (!request.kernel.empty()) names = {kernel_in(compilation.ptx, request.kernel)};
  const bool is_source = !request.file.ends_with(".ptx");
  const std::string source = is_source ? read_text(request.file).value_or("") : "";
  if (names.empty()) throw InvalidArgument(request.file + " has no kernel" + template_hint(source));
  std::vector<ListedKernel> kernels;
  for (const std::string& mangled : names) {
    const emulator::KernelInfo& info = program.kernel(mangled);
    ListedKernel& kernel = kernels.emplace_back();
    kernel.name = selecting_name(compilation.ptx, mangled);
    kernel.arguments = {"--kernel", kernel.name};
    Trial trial(program, info, compilation.ptx, source);
    const Choice choice = trial.chosen();
    const std::vector<std::string> words = trial.words(choice);
    kernel.arguments.insert(kernel.arguments.end(), words.begin(), words.end());
    if (choice.beyond > 0) kernel.note = edge_note(kernel.name, choice);
    if (choice.is_cooperative)
      kernel.note = kernel.name + ": " + cooperative_note;
    else if (!choice.fault.empty())
      kernel.note = fmt::format(
          "{}: each launch that was tried has a fault ({}). Give arguments that suit the kernel.",
          kernel.name, choice.fault);
  }
  return kernels;
}

}  // namespace warpwise::lab
