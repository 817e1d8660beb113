// The document of `gpscl reproduce --format md`: what is counted, and what is left out.
#include "gps/reproduce/document.h"

#include <gmock/gmock.h>

#include <set>

namespace gps {
namespace document_test {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ReproduceDocument, CountsAClaimOfThePaperOnce) {
  const Question question{"p-mnist", Scale::full, 2};
  std::vector<Answer> answers;
  std::set<std::string> claims;
  std::size_t all = 0;
  for (const char* name : {"table2b", "der-hal", "long-tailed", "zero-shot"}) {
    const Item& item = find_item(name);
    answers.push_back({&item, question, judged(item, question, Evidence())});
    answers.back().finding.seeds = {.least = 1, .most = 1};
    for (const Judgement& each : answers.back().finding.judgements) {
      if (each.origin != Origin::paper) continue;
      claims.insert(each.claim);
      ++all;
    }
  }
  ASSERT_LT(claims.size(), all) << "Table 2 (b) is a part of Table 7";
  const std::string text = document(answers, {});
  EXPECT_THAT(text, HasSubstr("Of " + std::to_string(claims.size()) + " claims of the paper, as"));
  EXPECT_THAT(text, HasSubstr("Of 4 claims of our own, 0 are reproduced"));
  EXPECT_THAT(text,
              HasSubstr("Of 6 claims of the paper on another stream than the paper's, 0 are"));
}

Answer answer(const char* item, const std::vector<Judgement>& judgements, SeedsFound seeds) {
  return {&find_item(item),
          {.benchmark = "p-mnist", .scale = Scale::full, .seeds = 5},
          {.sections = {}, .judgements = judgements, .seeds = seeds}};
}

Judgement judgement(const char* claim, Verdict verdict, Origin origin = Origin::paper) {
  return {claim, "a rule", verdict, std::string("numbers of ") + claim, origin};
}

TEST(ReproduceDocument, ListsJudgedClaimsFirstAndTheOthersTogether) {
  const std::string text =
      document({answer("table1",
                       {judgement("a", Verdict::reproduced), judgement("b", Verdict::not_tried),
                        judgement("c", Verdict::not_reproduced), judgement("d", Verdict::not_tried),
                        judgement("e", Verdict::reproduced, Origin::ours)},
                       {.least = 5, .most = 5})},
               {});
  const std::string overview = text.substr(0, text.find("<a id"));
  EXPECT_THAT(overview, HasSubstr("(#table1) | a | P-MNIST | reproduced | numbers of a |\n"));
  EXPECT_THAT(overview,
              HasSubstr("(#table1) | c | P-MNIST | **not reproduced** | numbers of c |\n"));
  EXPECT_THAT(overview, HasSubstr("(#table1) | P-MNIST | b; d |\n"));
  EXPECT_THAT(overview, Not(HasSubstr("| e |")));
  EXPECT_THAT(overview, HasSubstr("Of 1 claims of our own, 1 are reproduced"));
}

TEST(ReproduceDocument, LeavesOutWhatOnlySharesRowsWithOtherItems) {
  const std::vector<Judgement> tried = {judgement("a", Verdict::reproduced)};
  const std::vector<Judgement> not_tried = {judgement("b", Verdict::not_tried)};
  const std::string text = document({answer("table1", tried, {.least = 0, .most = 5}),
                                     answer("fig4c", not_tried, {.least = 0, .most = 5}),
                                     answer("table2a", not_tried, {.least = 1, .most = 5})},
                                    {});
  EXPECT_THAT(text, HasSubstr("<a id=\"table1\">"));
  EXPECT_THAT(text, Not(HasSubstr("<a id=\"fig4c\">")));
  EXPECT_THAT(text, HasSubstr("`fig4c` (Figure 4 (c), section 6.4)"));
  EXPECT_THAT(text, HasSubstr("<a id=\"table2a\">"));
  EXPECT_THAT(text, HasSubstr("Of 2 claims of the paper, as"));
}

}  // namespace document_test
}  // namespace gps
