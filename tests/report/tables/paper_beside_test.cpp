#include "gps/report/tables/paper_beside.h"

#include <gmock/gmock.h>

#include "gps/report/paper.h"
#include "report/tiny_report.h"

namespace gps {
namespace paper_beside_test {

using ::testing::ElementsAre;
using testing::reported;
using testing::tiny_result;

// Two seeds of the paper's own setting of this number: 60 and 62 percent on average.
std::vector<ReportedSetting> settings_like(const Printed& printed) {
  Report report;
  for (const std::uint64_t seed : {0U, 1U}) {
    RunResult result = tiny_result("reservoir", seed, 0.4 + 0.04 * static_cast<double>(seed), 0.8);
    result.spec = spec_for(printed).value();
    report.runs.push_back(reported(static_cast<std::int64_t>(seed) + 1, result));
  }
  return settings_of(report);
}

TEST(PaperBeside, HasARowForWhatThePaperPrintsOfTheSameSetting) {
  const Printed printed = find_printed("table1", "ER-Res", "P-MNIST").value();
  const std::vector<PaperTable> tables = paper_beside(settings_like(printed));
  ASSERT_FALSE(tables.empty());
  EXPECT_EQ(tables[0].title, "Table 1");
  ASSERT_EQ(tables[0].table.rows.size(), 1u);
  EXPECT_THAT(texts_of(tables[0].table.rows[0]),
              ElementsAre("ER-Res, P-MNIST", "er reservoir", "2", "61.00 ± 1.41", "86.55 ± 0.48",
                          "-25.55"));
  EXPECT_THAT(tables[0].runs, ElementsAre(ElementsAre(1, 2)));
}

TEST(PaperBeside, IsEmptyWhereNoRunHasAPaperSetting) {
  EXPECT_TRUE(paper_beside(settings_of(testing::tiny_report())).empty());
  EXPECT_TRUE(paper_beside({}).empty());
}

}  // namespace paper_beside_test
}  // namespace gps
