// Tables of final average accuracies: one row a method, over seeds, beside what the paper prints.
#pragma once

#include "gps/report/paper.h"
#include "gps/reproduce/item.h"

namespace gps {

struct AccuracyLine {
  std::string label;  // ours, unique within the table: "gps:permutation"
  Spec spec;
  std::optional<Printed> printed{};
};

struct AccuracyTable {
  std::string title;      // "P-MNIST, T = 20, |M| = 1000"
  std::string reference;  // the label that the others are compared with, by pairs
  std::vector<AccuracyLine> lines;
};

// The spec behind a row: the paper's settings of the benchmark at the question's scale. `tasks` and
// `memory` 0: those of the benchmark; `policy` empty: the learner's own.
Spec spec_of(const Question& question, const std::string& learner, const std::string& policy,
             int tasks = 0, int memory = 0);

// Adds a row unless it cannot be (a learner that does not fit the benchmark). `row` and `column`
// find the printed number of `item`; an empty row: the paper has none.
struct Source {
  std::string item;
  std::string column;
};
void add_line(AccuracyTable& table, const std::string& label, Spec spec, const Source& source = {},
              const std::string& row = {});

// The methods of Table 1, and between them some of ours.
struct Table1Row {
  std::string policy;
  std::string paper = {};  // what the paper calls it; empty: ours
};
const std::vector<Table1Row>& table1_rows();

// "P-MNIST, T = 10, |M| = 1000", of the settings as they are at the scale
std::string title_of(const Spec& spec);

std::vector<Job> jobs_of(const std::vector<AccuracyTable>& tables, const Question& question);
Section section_of(const AccuracyTable& table, const Question& question, const Evidence& evidence);

// For the rules. A label that is not in the table has no values.
Named row_of(const AccuracyTable& table, const std::string& label, const Question& question,
             const Evidence& evidence);
std::vector<Named> rows_of(const AccuracyTable& table, const std::vector<std::string>& labels,
                           const Question& question, const Evidence& evidence);

// judge_levels() of these rows at full scale; at others, levels cannot be compared.
Judgement levels_of(std::string claim, const AccuracyTable& table,
                    const std::vector<std::string>& labels, const Question& question,
                    const Evidence& evidence);

}  // namespace gps
