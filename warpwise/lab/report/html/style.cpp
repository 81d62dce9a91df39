#include "warpwise/lab/report/html/style.hpp"

#include <fmt/format.h>

#include "warpwise/lab/plot/gnuplot_script.hpp"

namespace warpwise::lab::report {
namespace {

// Defines the colours of plots as CSS variables.
std::string colours(bool dark) {
  std::string text;
  const auto colour = [&](std::size_t i) {
    return dark ? plot_colours[i].second : plot_colours[i].first;
  };
  for (std::size_t i = 0; i < 6; ++i) text += fmt::format("--s{}:{};", i, colour(i));
  constexpr const char* names[] = {"text", "muted", "grid", "page"};
  for (std::size_t i = 0; i < 4; ++i) text += fmt::format("--{}:{};", names[i], colour(6 + i));
  return text + (dark ? "--card:#161b22;--link:#79b8ff;--warm:#1f4a7a;--bad:#ff8f87;"
                      : "--card:#f5f7f9;--link:#0550ae;--warm:#bcd9f5;--bad:#b3261e;");
}

constexpr const char* rules = R"(
*{box-sizing:border-box}
html{color-scheme:light dark;-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0 auto;padding:0 1rem 4rem;max-width:75rem;background:var(--page);color:var(--text);
 font:16px/1.5 system-ui,sans-serif;overflow-wrap:break-word}
:lang(ko){word-break:keep-all}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
h1{font-size:1.9rem;line-height:1.2;margin:1.5rem 0 .5rem}
h2{font-size:1.5rem;line-height:1.25;margin:3rem 0 .75rem;padding-top:1rem;border-top:2px solid var(--grid)}
h3{font-size:1.15rem;line-height:1.3;margin:2.5rem 0 .5rem}
h4{font-size:1rem;margin:0}
p,ul{margin:.5rem 0}
.wide{max-width:48rem}
.note,.axis,.from,.save,.rows,.limits{font-size:.85rem;color:var(--muted)}
.axis{margin:0 0 .5rem;text-align:center}
.axis.up{text-align:left;margin:.5rem 0 .25rem}
.panel{font-weight:600;margin:.75rem 0 .25rem}
nav ul{columns:14rem;padding-left:1.25rem;margin:.25rem 0 1rem}
nav li{break-inside:avoid}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr));gap:1rem;margin:1rem 0}
.card{background:var(--card);border:1px solid var(--grid);border-radius:.5rem;padding:.75rem 1rem;break-inside:avoid}
.card h3{margin:0}
.card .big{font-size:1.8rem;font-weight:700;line-height:1.2;margin:.1rem 0;font-variant-numeric:tabular-nums}
.card p{margin:.35rem 0;font-size:.92rem}
.panels{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,21rem),1fr));gap:.5rem 2rem;align-items:start}
.pair{grid-template-columns:repeat(auto-fit,minmax(min(100%,21rem),1fr));max-width:64rem}
.one{max-width:40rem}
figure{margin:.5rem 0 1rem}
svg{overflow:visible;display:block}
svg svg{display:inline}
.room-dots{padding:.25rem 1rem 1.6rem .75rem}
.room-lines{padding:.5rem 1rem 1.6rem 3.2rem}
.chart text{font:12px system-ui,sans-serif;fill:var(--text)}
.chart .name{font-weight:600}
.chart a .name{fill:var(--link);text-decoration:underline}
.chart .t{fill:var(--muted)}
.mid{text-anchor:middle}
.end{text-anchor:end}
.g{stroke:var(--grid);stroke-width:1}
.l{stroke-width:1.8}
.w{stroke-width:1.3}
.ring{fill:none;stroke:var(--text);stroke-width:1.6}
.now{fill:var(--s0);background:var(--s0)}
.then{fill:var(--page);stroke:var(--s1);stroke-width:1.5;background:var(--page);border:2px solid var(--s1)}
.key{display:inline-block;width:1.2rem;height:.6rem}
.cell{fill:var(--s0);stroke:var(--page);stroke-width:.5}
.best{fill:none;stroke:var(--s1);stroke-width:2.5}
.roof{stroke:var(--text);stroke-width:1.5}
.dash{stroke-dasharray:6 4}
.legend{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.15rem 1rem;font-size:.85rem}
.legend li{display:flex;align-items:center;gap:.4rem}
.point{cursor:pointer}
.chart .label{opacity:0;pointer-events:none;font-weight:600;paint-order:stroke;stroke:var(--page);stroke-width:4px}
.point:hover .label,.point:focus .label{opacity:1}
.point:focus{outline:none}
.point:focus .m{stroke:var(--text);stroke-width:2.5}
.scroll{overflow-x:auto;max-width:100%;margin:.5rem 0}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--muted);padding:.25rem 0}
th,td{padding:.25rem .6rem;border-bottom:1px solid var(--grid);text-align:left;vertical-align:top}
td{min-width:3rem;max-width:26rem}
.long{min-width:20rem}
th[scope=row]{font-weight:600;white-space:nowrap}
thead th{font-weight:600;color:var(--muted);vertical-align:bottom}
.n{text-align:right;white-space:nowrap}
thead .n{white-space:normal}
details{margin:.5rem 0}
summary{cursor:pointer;padding:.25rem 0;color:var(--link)}
.source{overflow-x:auto;max-width:100%;background:var(--card);border:1px solid var(--grid);border-radius:.5rem;
 padding:.75rem .5rem;font:12px/1.45 ui-monospace,monospace;counter-reset:line;tab-size:2}
.source span{counter-increment:line}
.source span::before{content:counter(line);display:inline-block;width:1.6rem;text-align:right;color:var(--muted);user-select:none}
.source i{display:inline-block;width:3.4rem;margin:0 .5rem;padding-right:.2rem;text-align:right;font-style:normal;user-select:none;
 background:linear-gradient(to right,var(--warm) var(--share,0),transparent 0)}
.source em{display:block;padding-left:6rem;font-style:normal;color:var(--muted)}
.source .bad,.bad{color:var(--bad)}
.card .source{white-space:pre-wrap;background:var(--page);margin:.25rem 0;padding:.5rem}
@media print{
 body{max-width:none;font-size:10.5pt;padding:0}
 nav,.save{display:none}
 .cell,.now,.then,.card,.key,.source i{print-color-adjust:exact;-webkit-print-color-adjust:exact}
 figure,.card,tr{break-inside:avoid}
 h2,h3,.panel{break-after:avoid}
 .scroll,.source{overflow:visible}
 .source{white-space:pre-wrap}
 .panels{grid-template-columns:1fr 1fr}
 table{font-size:7pt}
 th,td{padding:1px 3px;min-width:0}
 .long{min-width:7rem}
 th[scope=row],.n{white-space:normal}
}
)";

std::string series_rules() {
  std::string text;
  constexpr const char* dashes[] = {"none", "7 3", "2 3", "9 3 2 3", "5 2 2 2 2 2", "12 4"};
  for (std::size_t i = 0; i < 6; ++i) {
    text +=
        fmt::format(".s{0}{{fill:var(--s{0});stroke:var(--s{0})}}.l.s{0}{{stroke-dasharray:{1}}}\n",
                    i, dashes[i]);
  }
  return text;
}

}  // namespace

std::string style_sheet() {
  return fmt::format(":root{{{}}}\n@media(prefers-color-scheme:dark){{:root{{{}}}}}\n",
                     colours(false), colours(true)) +
         // Printed pages have the light colours.
         fmt::format("@media print{{:root{{{}}}}}", colours(false)) + rules + series_rules();
}

}  // namespace warpwise::lab::report
