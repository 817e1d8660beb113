#include "gps/policies/parts/rebuilding.h"

namespace gps {
namespace {

struct Shared {
  InTask in_task = InTask::strict;
  Base base = Base::random;
};

const OptionTable<Shared>& shared_options() {
  static const OptionTable<Shared> table = {
      // A network that has learnt its first task without the squared error of logits has features
      // so
      // large that, at the paper's learning rate and alpha = 1, the first steps of der++ with it
      // diverge: replay from the start.
      choice("in_task", &Shared::in_task,
             {{"strict", InTask::strict}, {"running", InTask::running}},
             "during a task, replay the memory as it was before, or make room at once for a "
             "reservoir of the new task")
          .in_paper({{"", "der++", "running"}}),
      choice("base", &Shared::base, {{"random", Base::random}, {"curriculum", Base::curriculum}},
             "which examples the two parts take: any, or those learnt earliest first")
          .short_for("cur", "curriculum")
          .silent(),
  };
  return table;
}

}  // namespace

std::vector<Option> rebuilding_options() {
  std::vector<Option> easy = easy_options().rows();
  for (Option& option : easy) {
    option.needs_key = "base";
    option.needs_value = std::string("curriculum");
  }
  return shared_options().rows() + easy;
}

RebuildingOptions read_rebuilding(const Settings& settings) {
  const Shared shared = shared_options().read(settings);
  return {shared.in_task, {shared.base, easy_options().read(settings)}};
}

void RebuildingPolicy::begin_task(Memory& memory, const Task& task, const Rng& /*rng*/) {
  base_->begin_task(task);
  if (in_task_ == InTask::strict) return;
  const Quotas quotas = quotas_with(memory, task.number, task.train.size());
  shrink(memory, quotas);
  running_ = ReservoirSampler(memory.size(), quotas.of(task.number));
}

void RebuildingPolicy::observe(Memory& memory, const Batch& batch, Rng& rng) {
  if (in_task_ == InTask::strict) return;
  for (std::size_t row = 0; row < batch.size(); ++row) running_.offer(memory, batch, row, rng);
}

void RebuildingPolicy::watch_epoch(Memory& /*memory*/, const Task& task, const Learner& learner,
                                   int /*epoch*/, int /*epochs*/, const Rng& /*rng*/) {
  base_->end_epoch(task, learner);
}

void RebuildingPolicy::watch_end(Memory& memory, const Task& task, const Learner& learner,
                                 const Rng& rng) {
  memory.retain([&](const Example& example) { return example.task != task.number; });
  const Quotas quotas = quotas_with(memory, task.number, task.train.size());
  shrink(memory, quotas);
  const SelectionOrders orders = base_->orders(task, rng.fork("selection"));
  Decision decision =
      choose_with(learner, {memory, task, orders, quotas.of(task.number), rng.fork("choice")});
  build_memory(memory, task, orders, decision.plan);
  decisions_.push_back(std::move(decision));
}

Decision RebuildingPolicy::choose(const TaskEnd& end) { return {end.task.number, {}, end.quota}; }

}  // namespace gps
