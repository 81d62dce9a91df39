#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "warpwise/lab/plot/plot.hpp"
#include "warpwise/lab/report/html/html.hpp"

// Tables that can be saved as CSV.
namespace warpwise::lab::report {

struct Cell {
  std::string plain;  ///< text in the CSV file, and on the page if `shown` is empty
  Html shown;
};

struct Column {
  std::string name;
  bool is_number = false;
};

struct Table {
  std::string caption;
  std::string file;  ///< name of the CSV file
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  ///< the first cell of each row is the row's heading
};

/// Makes a table of the figures that a plot shows.
Table table_of(const Plot& plot, const std::string& file);

/// Removes the columns whose cells are all empty.
void drop_empty_columns(Table& table);

/// Writes the table, and below it a link that saves the table as CSV. The table scrolls if it is
/// wider than the page.
Html html_of(const Table& table);

/// Writes the table as html_of() does, but shows it only after a click on a line.
Html folded(const Table& table);

std::string csv_of(const Table& table);

/// Formats a time: "1.23 ms", "45.6 µs".
std::string time_text(double microseconds);
/// Formats a speed-up: "×12.3".
std::string speedup_text(double speedup);
std::string percent_text(double share);
std::string size_text(const std::array<std::int64_t, 2>& size);
/// Describes the point at which a kernel was measured: "640×480, 32×8, window 5".
std::string place_text(const std::array<std::int64_t, 2>& size,
                       const std::array<std::int64_t, 3>& block,
                       const std::map<std::string, std::int64_t>& values);
/// Formats a number for CSV.
std::string number(double value);

}  // namespace warpwise::lab::report
