#include "warpwise/lab/plot/draw.hpp"

#include <fmt/format.h>

#include <fstream>

#include "warpwise/base/error.hpp"
#include "warpwise/io/printable.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/compile/subprocess.hpp"
#include "warpwise/lab/plot/gnuplot_script.hpp"

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* what_to_install =
    "install gnuplot 5.4 or later (apt-get install gnuplot-nox)";

std::string gnuplot() {
  const fs::path path = in_search_path("gnuplot");
  if (path.empty()) {
    throw Unsupported(std::string("plots are drawn by gnuplot, which is not on PATH: ") +
                      what_to_install);
  }
  return path.string();
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : io::printable(text)) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else
      result += c;
  }
  return result;
}

// Removes every piece of `text` that starts with `begin` and ends with the next `end`.
void cut_all(std::string& text, std::string_view begin, std::string_view end) {
  for (std::size_t at = 0; (at = text.find(begin, at)) != std::string::npos;) {
    const std::size_t close = text.find(end, at + begin.size());
    if (close == std::string::npos) return;
    text.erase(at, close + end.size() - at);
  }
}

// Changes "rgb(  0, 114, 178)" to "#0072b2", the form of plot_colours, which style() looks for.
void write_colours_shortly(std::string& svg) {
  constexpr std::string_view begin = "rgb(";
  for (std::size_t at = 0; (at = svg.find(begin, at)) != std::string::npos; ++at) {
    const std::size_t end = svg.find(')', at);
    int red = 0;
    int green = 0;
    int blue = 0;
    if (end == std::string::npos || end - at > 24 ||
        std::sscanf(svg.c_str() + at + begin.size(), "%d,%d,%d", &red, &green, &blue) != 3) {
      continue;
    }
    svg.replace(at, end + 1 - at, fmt::format("#{:02x}{:02x}{:02x}", red, green, blue));
  }
}

// Removes empty groups. gnuplot opens a group for each change of style, and leaves most empty.
void drop_empty_groups(std::string& svg) {
  constexpr std::string_view open = "<g fill=\"none\"";
  constexpr std::string_view close = ">\n</g>\n";
  std::string result;
  std::size_t begin = 0;
  for (std::size_t at = 0; (at = svg.find(open, at)) != std::string::npos;) {
    const std::size_t end = svg.find('>', at);
    if (end == std::string::npos || svg.compare(end, close.size(), close) != 0) {
      at += open.size();
      continue;
    }
    result += svg.substr(begin, at - begin);
    begin = at = end + close.size();
  }
  svg = result + svg.substr(begin);
}

// Returns CSS rules for colours on a dark page, which override the elements' own colours. Light
// pages, and programs that do not support CSS, show the elements' own colours.
std::string style() {
  std::string rules = "g,text{font-family:system-ui,-apple-system,\"Segoe UI\",\"Noto Sans\",";
  rules += "Helvetica,Arial,sans-serif}\n@media (prefers-color-scheme:dark){\n";
  for (const auto& [light, dark] : plot_colours) {
    for (const char* attribute : {"fill", "stroke", "color"}) {
      rules += fmt::format("[{0}=\"{1}\"]{{{0}:{2}}}", attribute, light, dark);
    }
    rules += "\n";
  }
  return "<style>" + rules + "}</style>\n";
}

std::string mended(std::string svg, const Plot& plot) {
  cut_all(svg, "<title>", "</title>");
  cut_all(svg, "<desc>", "</desc>");
  write_colours_shortly(svg);
  drop_empty_groups(svg);
  const std::size_t begin = svg.find("<svg");
  const std::size_t end = begin == std::string::npos ? begin : svg.find('>', begin);
  if (end == std::string::npos) throw IoError("gnuplot wrote no SVG");
  svg.insert(end + 1,
             fmt::format("\n<title id=\"title\">{}</title>\n<desc id=\"desc\">{}</desc>\n{}",
                         escaped(plot.title), escaped(plot.description), style()));
  svg.insert(end, " role=\"img\" aria-labelledby=\"title desc\"");
  return svg;
}

}  // namespace

void require_gnuplot() {
  const std::string program = gnuplot();
  const TemporaryFolder folder;
  const std::string version = run_program({program, "--version"}, folder).output;
  int major = 0;
  int minor = 0;
  if (std::sscanf(version.c_str(), "gnuplot %d.%d", &major, &minor) != 2) {
    throw Unsupported(program + " does not say its version: " + what_to_install);
  }
  if (major < 5 || (major == 5 && minor < 4)) {
    throw Unsupported(
        fmt::format("{} is version {}.{}: {}", program, major, minor, what_to_install));
  }
}

std::string svg_of(const Plot& plot) {
  const std::string program = gnuplot();
  const TemporaryFolder folder;
  const fs::path picture = folder / "plot.svg";
  const fs::path script = folder / "plot.gp";
  std::ofstream(script, std::ios::binary) << gnuplot_script(plot, picture.string());
  // The option -d makes gnuplot ignore the user's own settings.
  const ProgramRun run = run_program({program, "-d", script.string()}, folder);
  std::optional<std::string> svg = read_text(picture);
  if (run.exit_code != 0 || !svg || svg->find("</svg>") == std::string::npos) {
    throw IoError(fmt::format("gnuplot failed ({}): {}", run.exit_code, run.output.substr(0, 400)));
  }
  return mended(*std::move(svg), plot);
}

}  // namespace warpwise::lab
