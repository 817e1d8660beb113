// Tables of final average accuracies: one row per method, over seeds, beside the paper's numbers.
#pragma once

#include "gps/report/paper.h"
#include "gps/reproduce/item.h"

namespace gps {

struct AccuracyLine {
  std::string label;  // our label, unique within the table: "gps:permutation"
  Spec spec;
  std::optional<Printed> printed{};
};

struct AccuracyTable {
  std::string title;      // "P-MNIST, T = 20, |M| = 1000"
  std::string reference;  // the label that the others are compared with, seed by seed
  std::vector<AccuracyLine> lines;
};

// Returns the spec of a row: the paper's settings for the benchmark, at the question's scale. If
// `tasks` or `memory` is 0, that of the benchmark is used; if `policy` is empty, the learner's
// default.
Spec spec_of(const Question& question, const std::string& learner, const std::string& policy,
             int tasks = 0, int memory = 0);

// Adds a row, unless its spec is invalid (a learner that does not fit the benchmark). `row` and the
// column of `source` find the paper's number of the item; an empty row means that the paper has
// none.
struct Source {
  std::string item;
  std::string column;
};
void add_line(AccuracyTable& table, const std::string& label, Spec spec, const Source& source = {},
              const std::string& row = {});

// A method of Table 1, or one of ours that is shown among them.
struct Table1Row {
  std::string policy;
  std::string paper = {};  // its name in the paper; empty if it is ours
};
const std::vector<Table1Row>& table1_rows();

// Returns for example "P-MNIST, T = 10, |M| = 1000", with the values of the spec at its scale.
std::string title_of(const Spec& spec);

std::vector<Job> jobs_of(const std::vector<AccuracyTable>& tables, const Question& question);

// A row with a dead network is marked "!", and has no difference to the reference and to the paper;
// there is none to a dead reference either.
Section section_of(const AccuracyTable& table, const Question& question, const Evidence& evidence);

// Rows for the rules of verdict.h. A label that is not in the table has no values.
Named row_of(const AccuracyTable& table, const std::string& label, const Question& question,
             const Evidence& evidence);
std::vector<Named> rows_of(const AccuracyTable& table, const std::vector<std::string>& labels,
                           const Question& question, const Evidence& evidence);

// Calls judge_levels() for these rows at full scale. At other scales the claim is not tried,
// because levels cannot be compared.
Judgement levels_of(std::string claim, const AccuracyTable& table,
                    const std::vector<std::string>& labels, const Question& question,
                    const Evidence& evidence);

}  // namespace gps
