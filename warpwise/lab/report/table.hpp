#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "warpwise/lab/plot/plot.hpp"
#include "warpwise/lab/report/html.hpp"

// Tables, each of which can be taken away as CSV.
namespace warpwise::lab::report {

struct Cell {
  std::string plain;  ///< in the CSV file, and on the page where there is nothing else
  Html shown;
};

struct Column {
  std::string name;
  bool is_number = false;
};

struct Table {
  std::string caption;
  std::string file;  ///< of the CSV
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  ///< the first cell of each is its head
};

/// The figures that a plot shows.
Table table_of(const Plot& plot, const std::string& file);

/// Those say nothing.
void drop_empty_columns(Table& table);

/// The table, with a link below it that saves it. It scrolls where it is wider than the page.
Html html_of(const Table& table);

/// The same behind a line to click on.
Html folded(const Table& table);

std::string csv_of(const Table& table);

/// "1.23 ms", "45.6 µs".
std::string time_text(double microseconds);
/// "×12.3".
std::string speedup_text(double speedup);
std::string percent_text(double share);
std::string size_text(const std::array<std::int64_t, 2>& size);
/// Where a kernel was measured: "640×480, 32×8, window 5".
std::string place_text(const std::array<std::int64_t, 2>& size,
                       const std::array<std::int64_t, 3>& block,
                       const std::map<std::string, std::int64_t>& values);
/// A number as CSV has it.
std::string number(double value);

}  // namespace warpwise::lab::report
