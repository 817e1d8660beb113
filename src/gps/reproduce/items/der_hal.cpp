#include "gps/reproduce/items/other_learners.h"

namespace gps {

Item make_der_hal() {
  static const std::vector<std::string> variants = {"hal", "der", "der++"};
  return {"der-hal",
          "GPS with DER, DER++ and HAL, and other methods",
          "Table 7, Appendix D.2",
          "",
          {"p-mnist", "s-cifar-10", "s-cifar-100", "tiny-imagenet"},
          {"p-mnist"},
          [](const Question& question) {
            return jobs_of({other_learners_table(question, "der-hal", variants)}, question);
          },
          [](const Question& question, const Evidence& evidence) {
            return judge_other_learners(question, evidence, "der-hal", variants);
          }};
}

}  // namespace gps
