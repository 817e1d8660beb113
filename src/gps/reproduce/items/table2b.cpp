#include "gps/reproduce/items/other_learners.h"

namespace gps {

Item make_table2b() {
  static const std::vector<std::string> variants = {"hal", "der++"};
  return {
      "table2b",
      "GPS with other local updates: HAL and DER++",
      "Table 2 (b), section 6.6",
      "Each method uses the memory of its authors. oEWC uses the importance that Mammoth computes; "
      "the row below it uses the usual one. The paper does not say which one it uses.",
      {"p-mnist", "tiny-imagenet"},
      {"p-mnist"},
      [](const Question& question) {
        return jobs_of({other_learners_table(question, "table2b", variants)}, question);
      },
      [](const Question& question, const Evidence& evidence) {
        return judge_other_learners(question, evidence, "table2b", variants);
      }};
}

}  // namespace gps
