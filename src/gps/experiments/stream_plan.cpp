#include "gps/experiments/stream_plan.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gps/core/option.h"
#include "gps/experiments/spec/repeat_command.h"

namespace gps {

PlanBudget plan_budget_from(const std::string& text) {
  if (text.empty()) return {};
  const std::string number = text.substr(0, text.size() - 1);
  if (text.back() == '%' && parse_whole("budget", number) >= 1) return {number, 0};
  if (text.back() == 's' && parse_real("budget", number) > 0)
    return {"", parse_real("budget", number)};
  throw OptionError("budget",
                    fmt::format("must be percent or seconds, such as 10% or 60s, got '{}'", text));
}

StreamPlan make_stream_plan(const Spec& spec, std::uint64_t seed, const Benchmark& benchmark,
                            Executor& executor, const StopFlag* stop, double most_seconds,
                            const std::function<void(std::size_t, double)>& tried,
                            const Clock& clock) {
  const double start = clock();
  std::function<bool()> limit;
  if (most_seconds > 0) limit = [&] { return clock() - start > most_seconds; };
  std::size_t count = 0;
  const auto count_and_tell = [&](const Recipe&) {
    ++count;
    if (tried) tried(count, clock() - start);
  };
  StreamPlan plan;
  plan.seed = seed;
  plan.choice = plan_first_task(spec, seed, benchmark, executor, stop, limit, count_and_tell);
  plan.spec = spec;
  Method& planned = plan.spec;
  planned = with(planned, plan.choice.recipe);
  plan.spec.planning = {};
  plan.seconds = clock() - start;
  return plan;
}

std::string command_of(const StreamPlan& plan) {
  return command_for(arguments_for(plan.spec), plan.seed);
}

nlohmann::json to_json(const StreamPlan& plan) {
  nlohmann::json json = to_json(PlanRecord{{plan.choice}});
  json["seconds"] = plan.seconds;
  json["command"] = command_of(plan);
  return json;
}

}  // namespace gps
