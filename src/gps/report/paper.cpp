#include "gps/report/paper.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "gps/experiments/spec/presets.h"

namespace gps {
namespace {

// A cell of a table of accuracies: mean and deviation, or "-".
struct PrintedCell {
  double mean = -1;
  double deviation = 0;
  bool is_there() const { return mean >= 0; }
};
constexpr PrintedCell kNone{};

struct PrintedColumn {
  std::string head;
  std::string benchmark;
  int tasks;
  int memory;
};

struct Line {
  std::string row;
  std::string learner;
  std::string policy;
  std::vector<PrintedCell> cells;  // one per column
};

void add(std::vector<Printed>& all, const std::string& item,
         const std::vector<PrintedColumn>& columns, const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const PrintedCell& cell = line.cells[c];
      if (!cell.is_there()) continue;
      const PrintedColumn& column = columns[c];
      all.push_back({item, line.row, column.head, cell.mean, cell.deviation, column.benchmark,
                     column.tasks, line.policy == "none" ? 0 : column.memory, line.learner,
                     line.policy});
    }
  }
}

// A line of a table of plain numbers, for one benchmark.
struct PlainLine {
  std::string row;
  std::string benchmark;
  int tasks;
  std::vector<double> values;  // one per column
};

void add(std::vector<Printed>& all, const std::string& item,
         const std::vector<std::string>& columns, const std::vector<PlainLine>& lines) {
  for (const PlainLine& line : lines) {
    for (std::size_t c = 0; c < columns.size(); ++c)
      all.push_back({item, line.row, columns[c], line.values[c], {}, line.benchmark, line.tasks});
  }
}

// Returns columns for the four benchmarks, with the given memories.
std::vector<PrintedColumn> four(int p_mnist, int s_cifar_10, int s_cifar_100, int tiny_imagenet) {
  return {{"P-MNIST", "p-mnist", 10, p_mnist},
          {"S-CIFAR-10", "s-cifar-10", 5, s_cifar_10},
          {"S-CIFAR-100", "s-cifar-100", 10, s_cifar_100},
          {"TinyImageNet", "tiny-imagenet", 10, tiny_imagenet}};
}

void add_table_1(std::vector<Printed>& all) {
  add(all, "table1", four(1000, 200, 2000, 2000),
      {{"ER-Res", "er", "reservoir", {{86.55, 0.48}, {92.01, 0.80}, {81.38, 0.51}, {57.50, 0.54}}},
       {"ER-Ring-Full",
        "er",
        "ring-full:floor",
        {{84.33, 0.65}, {91.53, 0.56}, {81.16, 0.65}, {54.73, 0.32}}},
       {"ER-Hybrid", "er", "hybrid", {{86.84, 0.35}, {92.06, 0.89}, {81.47, 0.23}, {57.97, 0.44}}},
       {"GPS, Permutation",
        "er",
        "gps:permutation",
        {{87.93, 0.21}, {92.77, 0.39}, {82.46, 0.33}, {59.26, 0.31}}},
       {"GPS, Rotation",
        "er",
        "gps:rotation",
        {{85.38, 0.20}, {91.61, 0.49}, {81.50, 0.42}, {57.45, 0.33}}},
       {"GPS, Blurring",
        "er",
        "gps:blurring",
        {{86.03, 0.31}, {91.96, 0.38}, {81.49, 0.46}, {56.85, 0.27}}},
       {"ER-Oracle",
        "er",
        "gps:offline",
        {{88.26, 0.15}, {93.09, 0.35}, {82.88, 0.31}, {60.56, 0.23}}}});
}

void add_figure_4c(std::vector<Printed>& all) {
  add(all, "fig4c", {{"T = 20", "p-mnist", 20, 1000}, {"T = 40", "p-mnist", 40, 1000}},
      {{"ER-Res", "er", "reservoir", {{71.25, 1.07}, {47.33, 2.75}}},
       {"ER-Ring-Full", "er", "ring-full:floor", {{71.92, 1.47}, {49.26, 2.66}}},
       {"ER-Hybrid", "er", "hybrid", {{72.27, 0.88}, {49.63, 2.61}}},
       {"GPS", "er", "gps:permutation", {{74.63, 0.20}, {53.57, 0.63}}},
       {"ER-Oracle", "er", "gps:offline", {{75.21, 0.17}, {54.44, 0.51}}}});
}

// Times in minutes.
void add_table_2a(std::vector<Printed>& all) {
  add(all, "table2a", {"Training", "Simulation"},
      {{"P-MNIST, T = 10", "p-mnist", 10, {26.32, 2.30}},
       {"S-CIFAR-10, T = 5", "s-cifar-10", 5, {545.56, 10.02}},
       {"S-CIFAR-100, T = 10", "s-cifar-100", 10, {1187.93, 137.63}},
       {"TinyImageNet, T = 10", "tiny-imagenet", 10, {2418.20, 209.98}},
       {"P-MNIST, T = 20", "p-mnist", 20, {55.29, 6.21}},
       {"P-MNIST, T = 40", "p-mnist", 40, {108.17, 13.37}}});
}

void add_table_2b(std::vector<Printed>& all) {
  add(all, "table2b",
      {{"P-MNIST", "p-mnist", 10, 1000}, {"TinyImageNet", "tiny-imagenet", 10, 2000}},
      {{"oEWC", "oewc", "none", {{69.21, 2.92}, {20.81, 0.95}}},
       {"iCaRL", "icarl", "herding", {kNone, {38.77, 3.68}}},
       {"GSS", "gss", "gradient", {{86.34, 4.28}, kNone}},
       {"A-GEM", "agem", "ring-full", {{77.36, 1.28}, {25.30, 0.87}}},
       {"OGD", "ogd", "none", {{81.52, 2.21}, kNone}},
       {"HAL", "hal", "reservoir", {{87.69, 0.34}, kNone}},
       {"GPS+HAL", "hal", "gps:permutation", {{88.23, 0.03}, kNone}},
       {"DER++", "der++", "reservoir", {{91.14, 0.22}, {60.67, 1.08}}},
       {"GPS+DER++", "der++", "gps:permutation", {{91.64, 0.16}, {61.01, 0.98}}}});
}

void add_tables_3_to_5(std::vector<Printed>& all) {
  const std::vector<std::string> tasks = {"Task 1", "Task 2", "Task 3",
                                          "Task 4", "Task 5", "Variance"};
  add(all, "task-difficulty", tasks,
      {{"P-MNIST", "p-mnist", 10, {97.48, 97.28, 97.33, 97.78, 97.53, 0.03}},
       {"S-CIFAR-10", "s-cifar-10", 5, {98.20, 94.85, 96.50, 98.90, 98.15, 2.18}},
       {"S-CIFAR-100", "s-cifar-100", 10, {85.70, 87.70, 88.10, 88.10, 86.20, 1.02}},
       {"TinyImageNet", "tiny-imagenet", 10, {78.20, 76.80, 77.30, 76.50, 77.20, 0.33}}});
  add(all, "pseudo-difficulty", tasks,
      {{"Permutation", "s-cifar-100", 10, {85.50, 85.70, 85.30, 86.10, 85.10, 0.11}},
       {"Rotation", "s-cifar-100", 10, {85.40, 85.40, 85.70, 84.90, 84.50, 0.18}},
       {"Blurring", "s-cifar-100", 10, {83.90, 81.70, 78.90, 74.40, 69.50, 26.80}}});
  add(all, "zero-shot", {"Task 3", "Task 4", "Task 5", "Task 6", "Task 7"},
      {{"Real", "s-cifar-100", 10, {11.80, 10.40, 10.30, 9.40, 9.70}},
       {"Permutation", "s-cifar-100", 10, {10.50, 10.40, 10.30, 10.10, 11.10}},
       {"Rotation", "s-cifar-100", 10, {75.40, 78.10, 77.70, 79.90, 80.50}},
       {"Blurring", "s-cifar-100", 10, {70.90, 65.70, 52.90, 30.40, 15.50}}});
}

void add_table_6(std::vector<Printed>& all) {
  add(all, "small-memory", four(100, 20, 200, 200),
      {{"ER-Res", "er", "reservoir", {{65.59, 1.38}, {80.68, 2.28}, {64.99, 1.74}, {38.6, 0.74}}},
       {"ER-Ring-Full",
        "er",
        "ring-full:floor",
        {{66.1, 1.36}, {81.3, 1.98}, {65.95, 0.96}, {39.85, 0.78}}},
       {"ER-Hybrid", "er", "hybrid", {{66.3, 1.21}, {81.43, 2.54}, {66.30, 1.32}, {39.75, 0.54}}},
       {"GPS",
        "er",
        "gps:permutation",
        {{66.31, 1.11}, {81.35, 1.56}, {66.51, 0.88}, {39.83, 0.45}}}});
}

void add_table_7(std::vector<Printed>& all) {
  add(all, "der-hal", four(1000, 200, 2000, 2000),
      {{"oEWC", "oewc", "none", {{69.21, 2.92}, {62.97, 3.55}, {55.37, 2.71}, {20.81, 0.95}}},
       {"iCaRL", "icarl", "herding", {kNone, {88.97, 2.77}, {78.21, 1.01}, {38.77, 3.68}}},
       {"GSS", "gss", "gradient", {{86.34, 4.28}, {87.80, 2.71}, {77.34, 3.21}, kNone}},
       {"A-GEM", "agem", "ring-full", {{77.36, 1.28}, {83.87, 1.55}, {69.61, 1.47}, {25.30, 0.87}}},
       {"OGD", "ogd", "none", {{81.52, 2.21}, kNone, kNone, kNone}},
       {"HAL", "hal", "reservoir", {{87.69, 1.34}, {82.51, 3.20}, kNone, kNone}},
       {"GPS+HAL", "hal", "gps:permutation", {{88.23, 1.03}, {82.77, 0.93}, kNone, kNone}},
       {"DER", "der", "reservoir", {{90.47, 0.69}, {91.04, 0.18}, {81.78, 0.5}, {60.40, 1.08}}},
       {"GPS+DER",
        "der",
        "gps:permutation",
        {{90.27, 0.78}, {91.33, 0.13}, {83.39, 0.44}, {60.89, 1.06}}},
       {"DER++", "der++", "reservoir", {{91.14, 0.22}, {92.06, 0.2}, {82.20, 0.89}, {60.67, 1.08}}},
       {"GPS+DER++",
        "der++",
        "gps:permutation",
        {{91.64, 0.16}, {92.37, 0.10}, {83.53, 0.64}, {61.01, 0.98}}}});
}

void add_table_8(std::vector<Printed>& all) {
  add(all, "curriculum", four(1000, 200, 2000, 2000),
      {{"ER-CurRes", "er", "cur-res", {{86.78, 0.49}, {91.47, 0.2}, {81.38, 0.51}, {58.89, 0.03}}},
       {"ER-CurRing-Full",
        "er",
        "cur-ring-full",
        {{86.16, 0.49}, {91.70, 0.5}, {81.16, 0.65}, {58.03, 0.42}}},
       {"GPS w/ Cur",
        "er",
        "gps:permutation/cur",
        {{87.35, 0.18}, {92.08, 0.17}, {82.34, 0.79}, {59.88, 0.03}}}});
  std::vector<PrintedColumn> small = four(100, 20, 200, 200);
  for (PrintedColumn& column : small) column.head += ", small memory";
  add(all, "curriculum", small,
      {{"ER-CurRes", "er", "cur-res", {{65.34, 0.69}, {81.59, 3.23}, {65.43, 1.37}, {38.75, 0.98}}},
       {"ER-CurRing-Full",
        "er",
        "cur-ring-full",
        {{66.42, 1.03}, {81.54, 2.46}, {66.73, 0.12}, {39.54, 0.57}}},
       {"GPS w/ Cur",
        "er",
        "gps:permutation/cur",
        {{66.52, 0.54}, {81.68, 1.98}, {67.08, 0.36}, {39.80, 0.49}}}});
}

// Section 6.3: the L1 norm of the oracle's ratios minus those found by permutation. Section 4.3:
// the percentage of cases with a single switching point, at least.
void add_sections(std::vector<Printed>& all) {
  add(all, "ratio-distance", {"L1"},
      {{"P-MNIST", "p-mnist", 10, {0.9}},
       {"S-CIFAR-10", "s-cifar-10", 5, {0.7}},
       {"S-CIFAR-100", "s-cifar-100", 10, {1.2}},
       {"TinyImageNet", "tiny-imagenet", 10, {1.2}}});
  add(all, "appendix-b", {"Valid cases"}, {{"All benchmarks", "", 0, {85}}});
}

// Returns the options of a spec without those that the paper does not mention.
nlohmann::json spoken_of(const Spec& spec) {
  nlohmann::json options = to_json(spec);
  for (const char* key : {"reuse", "score_examples", "initialisation", "backend", "device",
                          "precision", "operator_threads"})
    options.erase(key);
  return options;
}

}  // namespace

const std::vector<Printed>& printed_numbers() {
  static const std::vector<Printed> numbers = [] {
    std::vector<Printed> all;
    add_table_1(all);
    add_table_2a(all);
    add_table_2b(all);
    add_figure_4c(all);
    add_tables_3_to_5(all);
    add_table_6(all);
    add_table_7(all);
    add_table_8(all);
    add_sections(all);
    return all;
  }();
  return numbers;
}

std::vector<Printed> printed_in(const std::string& item) {
  std::vector<Printed> some;
  for (const Printed& printed : printed_numbers()) {
    if (printed.item == item) some.push_back(printed);
  }
  return some;
}

std::optional<Printed> find_printed(const std::string& item, const std::string& row,
                                    const std::string& column) {
  for (const Printed& printed : printed_numbers()) {
    if (printed.item == item && printed.row == row && printed.column == column) return printed;
  }
  return std::nullopt;
}

std::string paper_name(const std::string& benchmark) {
  for (const PrintedColumn& column : four(0, 0, 0, 0)) {
    if (column.benchmark == benchmark) return column.head;
  }
  return benchmark;
}

std::optional<Spec> spec_for(const Printed& printed) {
  if (printed.learner.empty()) return std::nullopt;
  Spec spec = preset_spec("paper", printed.benchmark, printed.learner,
                          printed.memory > 0 ? printed.memory : default_memory(printed.benchmark));
  spec.benchmark.tasks = printed.tasks;
  if (printed.learner == "oewc") spec.learner.settings["fisher"] = "mammoth";
  if (printed.policy == "none") {
    spec.policy.name = "none";
  } else {
    set_policy(spec.policy, printed.policy);
  }
  return spec;
}

std::vector<Printed> printed_for(const Spec& spec) {
  static const std::multimap<std::string, const Printed*> known = [] {
    std::multimap<std::string, const Printed*> all;
    for (const Printed& printed : printed_numbers()) {
      if (const std::optional<Spec> ours = spec_for(printed))
        all.emplace(spoken_of(*ours).dump(), &printed);
    }
    return all;
  }();
  std::vector<Printed> found;
  const auto [first, last] = known.equal_range(spoken_of(spec).dump());
  for (auto at = first; at != last; ++at) found.push_back(*at->second);
  return found;
}

}  // namespace gps
