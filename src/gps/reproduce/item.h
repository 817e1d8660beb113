// A table, figure or section of the paper that can be reproduced: the runs that it needs, the
// layout of our numbers beside the paper's, and its claims.
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

// The number of seeds of the run or analysis with the fewest, and of that with the most.
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
  std::string about;                    // how the paper was read, if that is not obvious
  std::vector<std::string> benchmarks;  // the benchmarks that the paper has there
  std::vector<std::string> defaults;    // the benchmarks used by default: those for an MLP
  std::function<std::vector<Job>(const Question&)> jobs;  // empty: it needs no runs
  std::function<Finding(const Question&, const Evidence&)> judge;
  std::function<Analyses(const Question&)> analyses{};  // empty: it needs no analyses
};

// Returns whether the item has rows for this benchmark, in the paper or by default.
bool has_rows_for(const Item& item, const std::string& benchmark);

// Returns the result of item.judge, with the seeds that were found. The paper's claims are marked
// if the stream is not the paper's. At the smoke scale no claim is judged.
Finding judged(const Item& item, const Question& question, const Evidence& evidence);

// Returns the items in the order of the paper; items that are not in the paper come last.
const std::vector<Item>& item_catalog();

// Throws UsageError, which names the most similar item.
const Item& find_item(const std::string& name);

// One function per item, each in the file with its name.
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
