#include <algorithm>

#include "gps/core/errors.h"
#include "gps/core/text/nearest.h"
#include "gps/core/text/text.h"
#include "gps/reproduce/item.h"

namespace gps {

const std::vector<Item>& item_catalog() {
  static const std::vector<Item> catalog = {
      make_table1(),          make_fig4a(),
      make_fig4b(),           make_ratio_distance(),
      make_fig4c(),           make_table2a(),
      make_table2b(),         make_appendix_b(),
      make_task_difficulty(), make_pseudo_difficulty(),
      make_zero_shot(),       make_small_memory(),
      make_der_hal(),         make_curriculum(),
      make_peers_loss(),      make_long_tailed(),
  };
  return catalog;
}

const Item& find_item(const std::string& name) {
  std::vector<std::string> known;
  for (const Item& item : item_catalog()) {
    if (item.name == name) return item;
    known.push_back(item.name);
  }
  throw UsageError("unknown item '" + name + "'; did you mean '" + nearest(name, known) +
                   "'? known: all, " + join(known));
}

}  // namespace gps
