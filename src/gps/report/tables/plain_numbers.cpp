#include "gps/report/tables/plain_numbers.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace gps {
namespace {

struct Form {
  std::string_view pattern;          // "#" is a number
  std::vector<std::string> endings;  // of the heads, one for each number
};

const std::vector<Form>& forms() {
  static const std::vector<Form> all = {{"#", {""}},
                                        {"# ± #", {"", " deviation"}},
                                        {"# [#, #]", {"", " low", " high"}},
                                        {"# of #", {"", " of"}},
                                        {"# and #", {"", " and"}},
                                        {"# s", {" s"}}};
  return all;
}

// The length of the number that the text begins with; 0: it begins with none.
std::size_t number_at(std::string_view text) {
  const std::size_t sign = text.starts_with('+') ? 1 : 0;  // which from_chars does not take
  double value = 0;
  const auto end = std::from_chars(text.data() + sign, text.data() + text.size(), value);
  return end.ec == std::errc() ? static_cast<std::size_t>(end.ptr - text.data()) : 0;
}

// The numbers of a cell of this form; none if it is of another.
std::vector<std::string> numbers_in(std::string_view cell, std::string_view pattern) {
  std::vector<std::string> numbers;
  for (const char c : pattern) {
    const std::size_t length = c == '#' ? number_at(cell) : cell.starts_with(c) ? 1 : 0;
    if (length == 0) return {};
    if (c == '#') numbers.emplace_back(cell.substr(0, length));
    cell.remove_prefix(length);
  }
  return cell.empty() ? numbers : std::vector<std::string>{};
}

bool is_nothing(const std::string& cell) { return cell.empty() || cell == "-"; }

// The form of the cells below the head: that of the first that is more than a number, if all
// others have it, are a number or nothing. None where there is no number, or something else.
const Form* form_of(const Table& table, std::size_t column) {
  const Form* const plain = &forms().front();
  const Form* found = nullptr;
  for (std::size_t r = 1; r < table.size(); ++r) {
    const std::string& cell = table[r][column];
    if (is_nothing(cell)) continue;
    const auto form = std::find_if(forms().begin(), forms().end(), [&](const Form& each) {
      return !numbers_in(cell, each.pattern).empty();
    });
    if (form == forms().end()) return nullptr;
    if (found == nullptr || found == plain) {
      found = &*form;
    } else if (&*form != found && &*form != plain) {
      return nullptr;
    }
  }
  return found;
}

std::vector<std::string> cells_of(const std::string& cell, const Form& form) {
  std::vector<std::string> numbers = numbers_in(cell, form.pattern);
  if (numbers.empty() && !is_nothing(cell)) numbers = {cell};
  numbers.resize(form.endings.size());
  return numbers;
}

}  // namespace

Table plain_numbers(const Table& table) {
  Table texts(table.size());
  const std::size_t columns = table.empty() ? 0 : table.front().size();
  for (std::size_t c = 0; c < columns; ++c) {
    const Form* form = form_of(table, c);
    for (std::size_t r = 0; r < table.size(); ++r) {
      std::vector<std::string> cells = {table[r][c]};
      if (form != nullptr && r == 0) {
        cells.clear();
        for (const std::string& ending : form->endings) cells.push_back(table[r][c] + ending);
      } else if (form != nullptr) {
        cells = cells_of(table[r][c], *form);
      }
      texts[r].insert(texts[r].end(), cells.begin(), cells.end());
    }
  }
  return texts;
}

}  // namespace gps
