#include "gps/policies/mixed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace gps {
namespace {

class Mixed final : public RebuildingPolicy {
 public:
  Mixed(std::vector<double> ratios, InTask in_task, const BaseOptions& base)
      : RebuildingPolicy(in_task, make_base_pair(base)), ratios_(std::move(ratios)) {
    assert(!ratios_.empty());
  }

 protected:
  Decision choose(const TaskEnd& end) override {
    const std::size_t nth = std::min(decisions().size(), ratios_.size() - 1);
    return {end.task.number, {.ring_size = ring_size_for(ratios_[nth], end.quota)}, end.quota};
  }

 private:
  std::vector<double> ratios_;
};

void check_ratios(std::size_t ratios, int tasks) {
  if (ratios == 1) return;
  if (tasks == 0) {
    throw OptionError("ring", fmt::format("must have one ratio, because the number of tasks is not "
                                          "known, got {}",
                                          ratios));
  }
  if (ratios != static_cast<std::size_t>(tasks)) {
    throw OptionError("ring", fmt::format("must have one ratio or one for each of the {} tasks, "
                                          "got {}",
                                          tasks, ratios));
  }
}

}  // namespace

std::size_t ring_size_for(double ratio, std::size_t quota) {
  return static_cast<std::size_t>(std::llround(ratio * static_cast<double>(quota)));
}

std::unique_ptr<MemoryPolicy> make_mixed(std::vector<double> ratios, InTask in_task,
                                         const BaseOptions& base) {
  return std::make_unique<Mixed>(std::move(ratios), in_task, base);
}

PolicyEntry mixed_policy() {
  struct Options {
    std::vector<double> ring = {0.5};
  };
  static const OptionTable<Options> table = {
      option("ring", &Options::ring,
             "share of the ring part in a task's slots: one for all tasks, or one for each")
          .between(0, 1)
          .called("R[,R...]"),
  };
  return {{"mixed", "section 4.2",
           "Tasks share the memory equally. In each share, the ring part of the given ratio is "
           "class-balanced and the rest is random.",
           table.rows() + rebuilding_options()},
          [](const Settings& settings, const PolicyContext&) {
            const RebuildingOptions rebuilding = read_rebuilding(settings);
            return make_mixed(table.read(settings).ring, rebuilding.in_task, rebuilding.base);
          },
          /*variants=*/{"ring", "base"},
          /*always_shows=*/true,
          /*has_lasting_state=*/false,
          /*settle=*/nullptr,
          /*check=*/
          [](const Settings& settings) {
            if (table.read(settings).ring.empty())
              throw OptionError("ring", "needs at least one ratio");
          },
          /*check_stream=*/
          [](const Settings& settings, const StreamOutline& stream) {
            check_ratios(table.read(settings).ring.size(), stream.tasks);
          }};
}

}  // namespace gps
