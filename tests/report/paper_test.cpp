// The printed numbers: against the paper itself, where there is a copy, and against our specs.
#include "gps/report/paper.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "gps/experiments/spec/presets.h"

namespace gps {
namespace paper_test {

// The LaTeX source: $GPSCL_PAPER is a file, or a folder of .txt or .tex files.
std::string paper_source() {
  const char* place = std::getenv("GPSCL_PAPER");
  if (place == nullptr) return "";
  std::vector<std::filesystem::path> files = {place};
  if (std::filesystem::is_directory(place)) {
    files.clear();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(place)) {
      const auto extension = entry.path().extension();
      if (extension == ".txt" || extension == ".tex") files.push_back(entry.path());
    }
  }
  std::stringstream all;
  for (const auto& file : files) all << std::ifstream(file).rdbuf() << "\n";
  return all.str();
}

// The lines of the table with this label, from the caption before it on.
std::vector<std::string> table_lines(const std::string& source, const std::string& end,
                                     const std::string& begin = "\\begin{tabular}") {
  const std::size_t last = source.find(end);
  EXPECT_NE(last, std::string::npos) << end;
  const std::size_t first = source.rfind(begin, last);
  std::vector<std::string> lines;
  std::stringstream in(source.substr(first, last - first));
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

struct SourceLine {
  std::string text;
  std::vector<std::pair<double, std::optional<double>>> numbers;
};

// \acc{86.55}{0.48}, or plain numbers with a decimal point between ampersands.
std::vector<SourceLine> lines_with_numbers(const std::vector<std::string>& lines, bool are_means) {
  static const std::regex mean(R"(acc\{([0-9.]+)\}\{([0-9.]+)\})");
  static const std::regex plain(R"(([0-9]+\.[0-9]+))");
  std::vector<SourceLine> found;
  for (const std::string& line : lines) {
    const bool has_means = line.find("acc{") != std::string::npos;
    if (has_means != are_means || line.find('&') == std::string::npos) continue;
    SourceLine each{line, {}};
    for (std::sregex_iterator at(line.begin(), line.end(), are_means ? mean : plain), end;
         at != end; ++at) {
      each.numbers.emplace_back(std::stod((*at)[1]),
                                are_means ? std::optional(std::stod((*at)[2])) : std::nullopt);
    }
    if (!each.numbers.empty()) found.push_back(std::move(each));
  }
  return found;
}

// "GPS+DER$\mathrm{++}$" -> "GPS+DER++"
std::string without_markup(const std::string& line) {
  return std::regex_replace(line, std::regex(R"(\$\\mathrm\{\+\+\}\$)"), "++");
}

// The words by which a row is found in its line: "Permutation" of "GPS, Permutation".
std::string key_of(const Printed& printed) {
  std::string row = printed.row;
  if (printed.item == "table2a") return row.substr(0, row.find(','));
  const std::size_t comma = row.find(", ");
  return comma == std::string::npos ? row : row.substr(comma + 2);
}

void expect_as_printed(const std::string& item, const std::vector<SourceLine>& lines) {
  const std::vector<Printed> ours = printed_in(item);
  std::size_t next = 0;
  for (const SourceLine& line : lines) {
    for (const auto& [value, deviation] : line.numbers) {
      ASSERT_LT(next, ours.size()) << item << " lacks " << value << " of " << line.text;
      const Printed& printed = ours[next++];
      EXPECT_EQ(printed.value, value) << item << ", " << printed.row << ", " << printed.column;
      EXPECT_EQ(printed.deviation, deviation)
          << item << ", " << printed.row << ", " << printed.column;
      EXPECT_THAT(without_markup(line.text), ::testing::HasSubstr(key_of(printed)));
    }
  }
  EXPECT_EQ(next, ours.size()) << item << " has numbers that the paper has not";
}

TEST(Paper, EveryNumberIsInThePaper) {
  const std::string source = paper_source();
  if (source.empty())
    GTEST_SKIP() << "not checked: our copy of the paper's numbers against the paper; to check: set "
                    "GPSCL_PAPER to its LaTeX source, a file or a folder";
  const auto of_table = [&](const std::string& label, bool are_means) {
    return lines_with_numbers(table_lines(source, label), are_means);
  };
  expect_as_printed("table1", of_table("\\label{tab:res_base}", true));
  expect_as_printed("task-difficulty", of_table("\\label{tab:task_diff}", false));
  expect_as_printed("pseudo-difficulty", of_table("\\label{tab:task_diff2}", false));
  expect_as_printed("zero-shot", of_table("\\label{tab:forward}", false));
  expect_as_printed("small-memory", of_table("\\label{tab:res_small}", true));
  expect_as_printed("der-hal", of_table("\\label{tab:derger2}", true));
  expect_as_printed("curriculum", of_table("\\label{tab:curger2}", true));
  expect_as_printed("table2b", of_table("\\label{tab:merge}", true));
  expect_as_printed(
      "table2a", lines_with_numbers(table_lines(source, "\\label{tab:merge}", "Short Seq"), false));
  const std::size_t figure = source.find("Method & $T = 20$ & $T = 40$");
  ASSERT_NE(figure, std::string::npos);
  expect_as_printed(
      "fig4c",
      lines_with_numbers(table_lines(source.substr(figure), "\\end{tabular}", "Method"), true));
  EXPECT_THAT(source, ::testing::HasSubstr("which are 0.9, 0.7, 1.2, 1.2 for P-MNIST, S-CIFAR-10, "
                                           "S-CIFAR-100 and TinyImageNet"));
  EXPECT_THAT(source, ::testing::HasSubstr("valid for over 85\\%"));
}

TEST(Paper, RatioDistancesAreThoseOfTheText) {
  std::vector<double> values;
  for (const Printed& printed : printed_in("ratio-distance")) values.push_back(printed.value);
  EXPECT_THAT(values, ::testing::ElementsAre(0.9, 0.7, 1.2, 1.2));
}

TEST(Paper, NoNumberIsThereTwice) {
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (const Printed& printed : printed_numbers()) {
    EXPECT_TRUE(seen.emplace(printed.item, printed.row, printed.column).second)
        << printed.item << ", " << printed.row << ", " << printed.column;
    EXPECT_TRUE(find_printed(printed.item, printed.row, printed.column).has_value());
  }
  EXPECT_FALSE(find_printed("table1", "ER-Res", "MNIST").has_value());
}

TEST(Paper, EverySpecIsPossibleAndLeadsBackToItsNumber) {
  std::size_t runs = 0;
  for (const Printed& printed : printed_numbers()) {
    const std::optional<Spec> spec = spec_for(printed);
    EXPECT_EQ(spec.has_value(), !printed.learner.empty());
    if (!spec) continue;
    ++runs;
    EXPECT_NO_THROW(validate(*spec)) << printed.item << ", " << printed.row;
    const std::vector<Printed> back = printed_for(*spec);
    EXPECT_TRUE(std::any_of(back.begin(), back.end(),
                            [&](const Printed& each) {
                              return each.item == printed.item && each.row == printed.row &&
                                     each.column == printed.column && each.value == printed.value;
                            }))
        << printed.item << ", " << printed.row << ", " << printed.column;
  }
  EXPECT_EQ(runs, 28u + 10 + 13 + 16 + 35 + 24);
}

TEST(Paper, ARunOfAnotherSettingHasNoPrintedNumber) {
  Spec spec = *spec_for(*find_printed("table1", "GPS, Permutation", "P-MNIST"));
  EXPECT_EQ(printed_for(spec).front().value, 87.93);
  spec.policy.settings["reuse"] = 0.0;  // of which the paper does not speak
  EXPECT_EQ(printed_for(spec).size(), 1u);
  Spec reduced = spec;
  reduced.benchmark.examples_per_task = 5000;
  EXPECT_TRUE(printed_for(reduced).empty());
  Spec other_loss = spec;
  other_loss.learner.settings["er_loss"] = "concat";
  EXPECT_TRUE(printed_for(other_loss).empty());
  spec.policy.settings["ring_quota"] = "deal";
  spec.policy.name = "ring-full";
  EXPECT_TRUE(printed_for(spec).empty()) << "the paper rounds down";
}

TEST(Paper, TheSameRunMayStandInTwoTables) {
  const Spec spec = *spec_for(*find_printed("table2b", "DER++", "P-MNIST"));
  const std::vector<Printed> both = printed_for(spec);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].item, "table2b");
  EXPECT_EQ(both[1].item, "der-hal");
}

TEST(Paper, SpecsAreThoseOfTheProgramsDefaults) {
  const Spec spec = *spec_for(*find_printed("table1", "ER-Res", "P-MNIST"));
  EXPECT_EQ(to_json(spec), to_json(Spec()));
  EXPECT_EQ(paper_name("s-cifar-100"), "S-CIFAR-100");
  EXPECT_EQ(paper_name("s-mnist"), "s-mnist");
}

}  // namespace paper_test
}  // namespace gps
