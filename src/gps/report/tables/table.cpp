#include "gps/report/tables/table.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gps/core/files/csv.h"
#include "gps/core/text/printable.h"
#include "gps/core/text/text.h"

namespace gps {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

std::string latex_cell(const std::string& text) {
  std::string cell;
  for (const char c : printable(text)) {
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

std::string markdown_cell(const std::string& text) { return replaced(printable(text), "|", "\\|"); }

std::string text_cell(const std::string& text) { return printable(text); }

std::vector<std::string> escaped(const std::vector<std::string>& row,
                                 std::string (*cell)(const std::string&)) {
  std::vector<std::string> all;
  for (const std::string& text : row) all.push_back(cell(text));
  return all;
}

// Returns what is added to the head of a column for each number of its cells.
std::vector<std::string> endings_of(Cell::Form form) {
  switch (form) {
    case Cell::Form::deviation:
      return {"", " deviation"};
    case Cell::Form::interval:
      return {"", " low", " high"};
    case Cell::Form::share:
      return {"", " of"};
    case Cell::Form::both:
      return {"", " and"};
    case Cell::Form::seconds:
      return {" s"};
    case Cell::Form::words:
    case Cell::Form::missing:
    case Cell::Form::number:
      break;
  }
  return {""};
}

// Returns the form of a column: the form of the cells with more than one number, if all other cells
// are single numbers or missing. Returns words if there is no number, or there are several forms.
Cell::Form form_of(const Table& table, std::size_t column) {
  using Form = Cell::Form;
  Form found = Form::words;
  for (const Row& row : table.rows) {
    const Form form = row[column].form();
    if (form == Form::missing) continue;
    if (form == Form::words) return Form::words;
    if (found == Form::words || found == Form::number) {
      found = form;
    } else if (form != found && form != Form::number) {
      return Form::words;
    }
  }
  return found;
}

}  // namespace

std::vector<std::string> heads_of(const Table& table) {
  std::vector<std::string> heads;
  for (const Column& column : table.columns) heads.push_back(column.head());
  return heads;
}

std::vector<std::string> texts_of(const Row& row) {
  std::vector<std::string> texts;
  for (const Cell& cell : row) texts.push_back(cell.text());
  return texts;
}

std::size_t shown_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  }));
}

std::string text_table(const Table& table) {
  std::vector<std::vector<std::string>> lines = {escaped(heads_of(table), text_cell)};
  for (const Row& row : table.rows) lines.push_back(escaped(texts_of(row), text_cell));
  std::vector<std::size_t> widths(table.columns.size(), 0);
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c)
      widths[c] = std::max(widths[c], shown_width(line[c]));
  }
  std::string text;
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      text += line[c];
      if (c + 1 < line.size()) text.append(widths[c] - shown_width(line[c]) + 3, ' ');
    }
    text += "\n";
  }
  return text;
}

std::string csv_table(const Table& table) {
  std::vector<std::vector<std::string>> lines(1 + table.rows.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Cell::Form form = form_of(table, c);
    const std::vector<std::string> endings = endings_of(form);
    for (const std::string& ending : endings)
      lines[0].push_back(guarded_text(table.columns[c].head() + ending));
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const Cell& cell = table.rows[r][c];
      std::vector<std::string> texts = {cell.text()};
      if (cell.form() == Cell::Form::words) texts = {guarded_text(cell.text())};
      if (form != Cell::Form::words) texts = cell.numbers();
      texts.resize(endings.size());
      lines[r + 1].insert(lines[r + 1].end(), texts.begin(), texts.end());
    }
  }
  std::string text;
  for (const auto& line : lines) text += join(escaped(line, csv_field), ",") + "\r\n";
  return text;
}

std::string markdown_table(const Table& table) {
  const auto line = [](const std::vector<std::string>& texts) {
    return "| " + join(escaped(texts, markdown_cell), " | ") + " |\n";
  };
  std::string text = line(heads_of(table));
  for (std::size_t c = 0; c < table.columns.size(); ++c) text += "|---";
  text += "|\n";
  for (const Row& row : table.rows) text += line(texts_of(row));
  return text;
}

std::string latex_table(const Table& table) {
  const auto line = [](const std::vector<std::string>& texts) {
    return join(escaped(texts, latex_cell), " & ") + " \\\\\n";
  };
  std::string text = "\\begin{tabular}{" + std::string(table.columns.size(), 'l') +
                     "}\n\\toprule\n" + line(heads_of(table)) + "\\midrule\n";
  for (const Row& row : table.rows) text += line(texts_of(row));
  return text + "\\bottomrule\n\\end{tabular}\n";
}

nlohmann::json json_table(const Table& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Row& row : table.rows) rows.push_back(texts_of(row));
  return {{"head", heads_of(table)}, {"rows", std::move(rows)}};
}

}  // namespace gps
