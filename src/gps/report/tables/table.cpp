#include "gps/report/tables/table.h"

#include <algorithm>

#include "gps/core/text.h"
#include "gps/report/tables/plain_numbers.h"

namespace gps {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return '"' + replaced(text, "\"", "\"\"") + '"';
}

std::string latex_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    if (c == '\\') {
      cell += "\\textbackslash{}";
    } else if (c == '~' || c == '^') {
      cell += std::string("\\") + c + "{}";
    } else {
      if (std::string("&%$#_{}").find(c) != std::string::npos) cell += '\\';
      cell += c;
    }
  }
  return replaced(cell, "±", "$\\pm$");
}

template <typename Cell>
std::vector<std::string> cells(const std::vector<std::string>& row, const Cell& cell) {
  std::vector<std::string> all;
  for (const std::string& text : row) all.push_back(cell(text));
  return all;
}

}  // namespace

std::size_t shown_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  }));
}

std::string text_table(const Table& table) {
  std::vector<std::size_t> widths(table.front().size(), 0);
  for (const auto& row : table) {
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], shown_width(row[c]));
  }
  std::string text;
  for (const auto& row : table) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += row[c];
      if (c + 1 < row.size()) line.append(widths[c] - shown_width(row[c]) + 3, ' ');
    }
    text += line + "\n";
  }
  return text;
}

std::string csv_table(const Table& table) {
  std::string text;
  for (const auto& row : plain_numbers(table)) text += join(cells(row, csv_cell), ",") + "\r\n";
  return text;
}

std::string markdown_table(const Table& table) {
  std::string text;
  for (const auto& row : table) {
    text += "| " +
            join(cells(row, [](const std::string& cell) { return replaced(cell, "|", "\\|"); }),
                 " | ") +
            " |\n";
    if (&row != &table.front()) continue;
    for (std::size_t c = 0; c < row.size(); ++c) text += "|---";
    text += "|\n";
  }
  return text;
}

std::string latex_table(const Table& table) {
  std::string text =
      "\\begin{tabular}{" + std::string(table.front().size(), 'l') + "}\n\\toprule\n";
  for (const auto& row : table) {
    text += join(cells(row, latex_cell), " & ") + " \\\\\n";
    if (&row == &table.front()) text += "\\midrule\n";
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace gps
