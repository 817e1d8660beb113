#include "gps/experiments/evaluation.h"

#include <fmt/format.h>

#include <algorithm>

namespace gps {
namespace {

constexpr const char* kEveryTask = "every-task";
constexpr const char* kSeen = "seen";
constexpr const char* kLast = "last";
constexpr const char* kExpected = "every-task, seen, last or a whole number of at least 2";

// Returns N of "every N tasks". Throws OptionError if the text is not such a number. There is one
// text for each number, so that equal runs have equal specs.
int interval_of(const std::string& text) {
  const int interval = parse_whole("evaluate", text, kExpected);
  if (interval < 2 || fmt::format("{}", interval) != text)
    throw OptionError("evaluate", fmt::format("must be {}, got '{}'", kExpected, text));
  return interval;
}

}  // namespace

const OptionTable<EvaluationOptions>& evaluation_options() {
  static const OptionTable<EvaluationOptions> table = {
      option("evaluate", &EvaluationOptions::when,
             "every-task: test all tasks after each task; seen: only tasks so far and the next; "
             "last: once, at the end; N: after every N tasks, and at the end; metrics that need "
             "more are left out")
          .called("WHEN")
          .offers({kEveryTask, kSeen, kLast})
          .silent(),
      option("test_images", &EvaluationOptions::test_images,
             "most test images of each task, drawn at random; 0: all")
          .between(0, 1'000'000'000)
          .silent(),
  };
  return table;
}

void validate(const EvaluationOptions& options) {
  evaluation_options().check_all(options);
  const std::string& when = options.when;
  if (when != kEveryTask && when != kSeen && when != kLast) interval_of(when);
}

std::size_t tested_after(int stage, int stages, int tasks, const EvaluationOptions& options) {
  const auto all = static_cast<std::size_t>(tasks);
  const std::string& when = options.when;
  if (stage == stages || when == kEveryTask) return all;
  if (when == kLast) return 0;
  if (when == kSeen) return stage == 0 ? all : std::min(static_cast<std::size_t>(stage) + 1, all);
  return stage > 0 && stage % interval_of(when) == 0 ? all : 0;
}

std::vector<TestSet> test_sets(const Benchmark& benchmark, const EvaluationOptions& options,
                               const Rng& rng) {
  const auto most = static_cast<std::size_t>(options.test_images);
  std::vector<TestSet> tests;
  for (int task = 1; task <= benchmark.tasks(); ++task) {
    Dataset examples = benchmark.test(task);
    if (most > 0 && most < examples.size()) {
      std::vector<std::uint32_t> rows = rng.fork("test images", task).permutation(examples.size());
      rows.resize(most);
      std::sort(rows.begin(), rows.end());
      examples = examples.subset(rows);
    }
    tests.push_back({std::move(examples), benchmark.labels_of(task)});
  }
  return tests;
}

}  // namespace gps
