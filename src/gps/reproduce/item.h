// A table, a figure or a section of the paper that can be reproduced: which runs are behind it, how
// ours is laid out beside the paper's, and which claims it makes.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gps/experiments/scheduling/run_many.h"
#include "gps/report/tables/table.h"
#include "gps/reproduce/analyses.h"
#include "gps/reproduce/evidence.h"
#include "gps/reproduce/scale.h"
#include "gps/reproduce/verdict.h"

namespace gps {

struct Question {
  std::string benchmark = "p-mnist";
  Scale scale = Scale::full;
  int seeds = 5;
};

struct Section {
  std::string title;
  Table table;          // for people
  nlohmann::json data;  // the same for programs: an array of objects
};

// How many seeds are there, of the run or analysis that has the fewest, and the most.
struct SeedsFound {
  std::size_t least = 0;
  std::size_t most = 0;
};

struct Finding {
  std::vector<Section> sections;
  std::vector<Judgement> judgements;
  SeedsFound seeds{};
};

struct Item {
  std::string name;                     // "table1"
  std::string title;                    // what it shows
  std::string where;                    // "Table 1, section 6.2"; "not in the paper"
  std::string about;                    // how it was read, where that is not plain
  std::vector<std::string> benchmarks;  // that the paper has there
  std::vector<std::string> defaults;    // that are taken where none is named: those of an MLP
  std::function<std::vector<Job>(const Question&)> jobs;  // empty: it needs no runs
  std::function<Finding(const Question&, const Evidence&)> judge;
  std::function<Analyses(const Question&)> analyses{};  // empty: it needs none
};

// Does the item have rows for it, the paper's or ours?
bool has_rows_for(const Item& item, const std::string& benchmark);

// What item.judge says, with the seeds that were found. The paper's claims are marked where the
// stream is not the paper's, and at the smoke scale none is judged.
Finding judged(const Item& item, const Question& question, const Evidence& evidence);

// In the order of the paper; what is not in it comes last.
const std::vector<Item>& item_catalog();

// Throws UsageError that says which item may be meant.
const Item& find_item(const std::string& name);

// One maker an item, each in the file of its name.
Item make_table1();
Item make_fig4a();
Item make_fig4b();
Item make_ratio_distance();
Item make_fig4c();
Item make_table2a();
Item make_table2b();
Item make_appendix_b();
Item make_task_difficulty();
Item make_pseudo_difficulty();
Item make_zero_shot();
Item make_small_memory();
Item make_der_hal();
Item make_curriculum();
Item make_peers_loss();
Item make_long_tailed();

}  // namespace gps
