#include "gps/report/pieces.h"

#include <gmock/gmock.h>

#include "gps/report/charts/svg_chart.h"
#include "report/tiny_report.h"

namespace gps {
namespace pieces_test {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing::tiny_report;

std::string text_of(const std::vector<Piece>& pieces, const std::string& end) {
  for (const Piece& piece : pieces) {
    if (piece.name.ends_with(end)) return piece.text;
  }
  ADD_FAILURE() << "there is no piece " << end;
  return "";
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t times = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++times;
  return times;
}

TEST(Pieces, TablesAreThoseOfRunsCompareInEveryForm) {
  const Report report = tiny_report();
  const Table expected = settings_of(report).front().table;
  EXPECT_EQ(text_of(pieces_of(report, "csv"), "-accuracy.csv"), csv_table(expected));
  EXPECT_EQ(text_of(pieces_of(report, "md"), "-accuracy.md"), markdown_table(expected));
  EXPECT_EQ(text_of(pieces_of(report, "latex"), "-accuracy.tex"), latex_table(expected));
}

TEST(Pieces, NamesTellTheSetting) {
  EXPECT_EQ(pieces_of(tiny_report(), "md").front().name, "1-p-mnist-2-tasks-memory-8-accuracy.md");
}

TEST(Pieces, CurvesAreTablesOverTasks) {
  const std::vector<Piece> pieces = pieces_of(tiny_report(), "md");
  EXPECT_THAT(text_of(pieces, "accuracy-after-each-task.md"),
              StartsWith("| after task | 1 | 2 |\n|---|---|---|\n"
                         "| er reservoir | 90.00 ± 0.00 | 62.50 ± 3.54 |\n"));
  EXPECT_THAT(text_of(pieces, "forgetting.md"), HasSubstr("| er reservoir | 45.00 ± 7.07 |\n"));
  EXPECT_THAT(text_of(pieces, "switching-points.md"),
              HasSubstr("| er gps:permutation | 50.00 ± 0.00 | 50.00 ± 0.00 |\n"));
}

TEST(Pieces, CsvHasOneNumberACell) {
  const std::vector<Piece> pieces = pieces_of(tiny_report(), "csv");
  for (const Piece& piece : pieces) EXPECT_THAT(piece.text, Not(HasSubstr("±"))) << piece.name;
  EXPECT_THAT(text_of(pieces, "-accuracy.csv"),
              StartsWith("policy,seeds,accuracy %,accuracy % deviation,vs er reservoir,vs er "
                         "reservoir low,vs er reservoir high,learning,learning deviation,"));
  EXPECT_THAT(text_of(pieces, "accuracy-after-each-task.csv"),
              StartsWith("runs,after task,accuracy %,accuracy % deviation,seeds\r\n"
                         "er reservoir,1,90,0,2\r\ner reservoir,2,62.5,3.53553,2\r\n"));
  EXPECT_THAT(text_of(pieces, "forgetting.csv"), HasSubstr("er reservoir,2,45,7.07107,2\r\n"));
  EXPECT_EQ(text_of(pieces, "switching-points.csv"),
            "runs,after task,ring part %,ring part % deviation,seeds\r\n"
            "er gps:permutation,1,50,0,2\r\ner gps:permutation,2,50,0,2\r\n");
}

TEST(Pieces, ProbesAreInTheCsv) {
  EXPECT_THAT(text_of(pieces_of(tiny_report(), "csv"), "probes.csv"),
              HasSubstr("er gps:permutation,0,1,8,4,0.75,0.5,1\r\n"
                        "er gps:permutation,0,1,8,2,0.7,0.6,0\r\n"));
}

TEST(Pieces, ChartsAreDrawnForEveryLine) {
  std::vector<std::string> names;
  for (const Piece& piece : pieces_of(tiny_report(), "svg")) {
    names.push_back(piece.name.substr(std::string("1-p-mnist-2-tasks-memory-8-").size()));
    EXPECT_THAT(piece.text, StartsWith("<svg xmlns"));
    EXPECT_TRUE(piece.text.ends_with("</svg>\n"));
    EXPECT_THAT(piece.text, Not(HasSubstr("nan")));
    EXPECT_THAT(piece.text, Not(HasSubstr("inf")));
  }
  for (const char* name :
       {"accuracy.svg", "accuracy-after-each-task.svg", "forgetting.svg", "switching-points.svg",
        "matrix-er-gps-permutation.svg", "memory-er-reservoir.svg"})
    EXPECT_THAT(names, Contains(name));
}

TEST(Pieces, AnEmptyReportHasNone) {
  for (const std::string& format : piece_formats())
    EXPECT_TRUE(pieces_of(Report{}, format).empty()) << format;
}

TEST(SvgLineChart, HasADotAPointALegendAndAGapWhereNothingIs) {
  ChartLine line{"a < b", 1, {}};
  line.points = {Summary{50, 1.0}, std::nullopt, Summary{60, {}}};
  const std::string svg = svg_line_chart({"title & more", "after task", "%"}, {line, line});
  EXPECT_EQ(count(svg, "<circle"), 4u);
  EXPECT_EQ(count(svg, "a &lt; b"), 2u);
  EXPECT_THAT(svg, HasSubstr("title &amp; more"));
  EXPECT_EQ(count(svg, "fill=\"none\""), 2u);
  const std::size_t path = svg.find("fill=\"none\"");
  const std::string points = svg.substr(svg.rfind("d=\"", path), path - svg.rfind("d=\"", path));
  EXPECT_EQ(count(points, "M"), 2u) << "the line is broken";
}

TEST(SvgLineChart, DrawsNoBandAcrossAMissingPoint) {
  ChartLine line{"a", 1, {}};
  line.points = {Summary{50, 1.0}, Summary{52, 1.0}, std::nullopt, Summary{60, 2.0},
                 Summary{61, 2.0}};
  const std::string svg = svg_line_chart({"t", "x", "y"}, {line});
  const std::size_t style = svg.find("fill-opacity");
  const std::size_t begin = svg.rfind("d=\"", style);
  const std::string band = svg.substr(begin, svg.find("\" ", begin) - begin);
  EXPECT_EQ(count(band, "M"), 2u) << "one piece before the gap, one after it: " << band;
  EXPECT_EQ(count(band, "Z"), 2u) << band;
  EXPECT_EQ(count(band, "L"), 6u) << "four corners each: " << band;
}

TEST(SvgLineChart, PutsPointsWhereTheirNumbersAre) {
  ChartLine line{"a", 0, {}, {0, 100, 1000}};
  line.points.assign(3, Summary{1, {}});
  const std::string svg = svg_line_chart({"t", "x", "y"}, {line});
  // 370 pixels from 64 on: a tenth of the way, not half.
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"64.0\""));
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"101.0\""));
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"434.0\""));
  EXPECT_THAT(svg, HasSubstr(">200<"));
}

TEST(SvgHeatMap, HasASquareAnEntryAndItsNumber) {
  const std::string svg = svg_heat_map({"t", "x", "y"}, {{1.25, 2}, {3, 4}});
  EXPECT_EQ(count(svg, "<rect"), 5u) << "and the ground";
  EXPECT_THAT(svg, HasSubstr(">1.2<"));
}

TEST(SvgCharts, StandEqualAndMissingValues) {
  EXPECT_THAT(svg_dot_chart({"t", "x", ""}, {{"one", 80, {}, {80}}}), Not(HasSubstr("nan")));
  EXPECT_THAT(svg_column_chart({"t", "x", "y"}, {"a"}, {{0, 0}}), Not(HasSubstr("nan")));
  EXPECT_THAT(svg_heat_map({"t", "x", "y"}, {{5, 5}}), Not(HasSubstr("nan")));
}

}  // namespace pieces_test
}  // namespace gps
