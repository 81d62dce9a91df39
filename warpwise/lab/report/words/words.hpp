#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/base/enum_names.hpp"

// All texts of the report, except texts that come from records. They are in one place, so that they
// can be translated.
namespace warpwise::lab::report {

/// Text for one kind of memory access; `key` is the kind's name in explain's JSON.
struct AccessWords {
  const char* key;
  const char* said;  ///< {transactions or passes per request}, {the least}; for textures:
                     ///< {requests}
};

/// Texts of the report. Names in braces in a comment are the values of a text's {}, in this order.
struct Words {
  const char* language;  ///< HTML's name for the language
  const char* title;
  const char* contents;

  // The front page.
  const char* intro;          ///< {ladders}, {rungs}, {studies}, {devices}
  const char* found;          ///< heading
  const char* front_times;    ///< {first rung}, {its time}, {last rung}, {its time}, {size}
  const char* front_roof;     ///< {share}, {size}
  const char* front_roofs;    ///< {share}, {size}, {share at a larger size}, {the larger size}
  const char* roof_of_reads;  ///< for a ladder whose roof is the rate of reads
  const char* roof_of_differences;   ///< for a ladder whose roof is the rate of __vsadu4
  const char* front_step;            ///< {rung}, {speed-up}, {idea}
  const char* front_document_same;   ///< {rung}, {document's speed-up}, {our speed-up}
  const char* front_document_other;  ///< {rung}, {document's speed-up}, {our speed-up}, {our best
                                     ///< rung}, {its speed-up}
  const char* front_document_alone;  ///< {rung}, {document's speed-up}, {our speed-up}
  const char* counted_only;          ///< no whole ladder was timed
  const char* no_longer;             ///< heading
  const char* no_longer_rung;        ///< {ladder}, then twice {rung}, {document's speed-up},
                                     ///< {our speed-up}
  const char* no_longer_block;  ///< {study}, {rung}, {document's block}, {best block}, {speed-up}
  const char* all_hold;
  const char* front_peers;    ///< heading
  const char* peers_summary;  ///< {primitive}, {faster}, {comparisons}, {least}, {most}

  // Ladders and studies.
  const char* ladder_heading;  ///< {name}
  const char* study_heading;   ///< {name}
  const char* rows_shown;      ///< introduces rows of the source documents
  const char* staircase;
  const char* then_bar;      ///< {device}
  const char* now_bar;       ///< {device}
  const char* then_and_now;  ///< {document's speed-up}, {our speed-up}
  const char* share_chart;
  const char* branch;       ///< {first rung}, {last rung}
  const char* step_from;    ///< heading of the column that names the rung before
  const char* rungs_table;  ///< {ladder}
  const char* rung;
  const char* what_is_new;
  const char* time;
  const char* fifth;
  const char* ninety_fifth;
  const char* of_roof;
  const char* over_before;
  const char* over_first;
  const char* document_time;
  const char* document_over_first;
  const char* not_run;          ///< {reason}
  const char* beside_document;  ///< {device}
  const char* kernel;
  const char* at;
  const char* knees;  ///< {axis}
  const char* knee_at;
  const char* level;
  const char* slope;
  const char* no_knee;  ///< {reason}
  const char* halved;
  const char* bound_by;
  const char* cpu_rows;
  const char* implementation;
  const char* size;
  const char* interrupted;
  const char* from_file;      ///< {file}, {device}, {origin}
  const char* nothing_drawn;  ///< {reason}

  // Pictures and tables.
  /// Descriptions for readers who cannot see a plot: {horizontal axis}, {vertical axis}, {figure},
  /// {least}, {greatest}.
  const char* plot_dots;
  const char* plot_lines;
  const char* plot_maps;
  const char* document_dot;
  const char* best_cell;  ///< {value}, {place}
  const char* map_scale;  ///< {figure}, {least}, {greatest}
  const char* as_table;   ///< {rows}
  const char* save;       ///< {file}

  // All rungs in one picture.
  const char* roofline;
  const char* roofline_about;  ///< {device}
  const char* roofline_x;
  const char* roofline_y;
  const char* roofline_none;
  const char* copy_roof;       ///< {GB/s}
  const char* read_roof;       ///< {GB/s}
  const char* issue_roof;      ///< {warp instructions a second in billions}
  const char* roofline_point;  ///< {name}, {GB/s}, {share}, {time}
  const char* per_kilobyte;
  const char* ladder;

  // Predicted times.
  const char* predictions;
  const char* predictions_about;
  const char* predictions_documents;  ///< heading of the documents' own panel
  const char* predictions_x;
  const char* predictions_y;
  const char* predictions_picture;       ///< {panel's heading}, {points}
  const char* predictions_series;        ///< {experiment}, {points}, {correlation}, {median error}
  const char* predictions_series_short;  ///< {experiment}, {points}, {median error}; too few points
                                         ///< for a correlation
  const char* predictions_point;         ///< {rung}, {place}, {predicted}, {measured}, {ratio}
  const char* predictions_far;           ///< {misses}
  const char* predictions_near;
  const char* predictions_miss;   ///< {rung}, {ratio}, {bottleneck}
  const char* predictions_front;  ///< {points}, {correlation}, {median error}
  const char* predictions_experiments;
  const char* predictions_from;  ///< {file}, {commit}
  const char* whole_study;
  const char* experiment;
  const char* points;
  const char* rank_correlation;
  const char* median_error;
  const char* least_ratio_of_time;
  const char* median_ratio_of_time;
  const char* greatest_ratio_of_time;
  const char* predicted_time;
  const char* measured_time;
  const char* ratio_of_time;
  const char* bottleneck;
  const char* profile;

  // Other libraries, counters.
  const char* peers;
  const char* peers_about;
  const char* primitive;
  const char* variant;
  const char* times_as_fast;
  const char* counters;
  const char* counters_about;
  const char* count;
  const char* comparisons;
  const char* equal;
  const char* least_ratio;
  const char* greatest_ratio;
  const char* ladder_or_study;

  // Sources, and the method of measuring.
  const char* sources;
  const char* sources_about;
  const char* source_file;   ///< {rung}, {file}
  const char* counts_about;  ///< {size}, {compute capability}, {compiler}, {commit}
  const char* counts_of_another;
  const char* counts_elsewhere;  ///< {file}
  const char* divergent;         ///< {divergent branches}, {branches}
  std::array<AccessWords, 10> accesses;
  const char* constants;
  const char* method;
  const char* records;
  const char* file;
  const char* method_of;  ///< {files}
  const char* files;      ///< {first file}, {number of further files}
  const char* page_about;
};

enum class Language : std::uint8_t { english, korean };
constexpr auto enum_names(Language) {
  return std::to_array<EnumName<Language>>({{Language::english, "en"}, {Language::korean, "ko"}});
}

/// Sets the language of all pages that this process makes from now on. It is English before.
void speak(Language language);

const Words& words();

/// Returns a text of a record or table in the page's language. An unknown text is unchanged.
std::string told(const std::string& text);

/// Returns the subject of a row of the source documents, as docs/sources.md states it. Returns an
/// empty text for an unknown row.
std::string_view about_row(std::string_view row);

}  // namespace warpwise::lab::report
