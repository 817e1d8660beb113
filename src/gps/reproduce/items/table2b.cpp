#include "gps/reproduce/items/other_learners.h"

namespace gps {

Item make_table2b() {
  static const std::vector<std::string> variants = {"hal", "der++"};
  return {"table2b",
          "GPS with other local updates: HAL and DER++",
          "Table 2 (b), section 6.6",
          "Methods come with the memory of their authors. oEWC is with the importance that Mammoth "
          "computes; the row below is with the usual one, which the paper does not name.",
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
