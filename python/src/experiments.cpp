// Runs, their store and reports for Python (gpscl/experiments.py). Results and rows of a store
// cross the border as JSON, in the form of docs/result-format.md.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "beside.h"
#include "bindings.h"
#include "gps/core/work/clock.h"
#include "gps/experiments/metrics.h"
#include "gps/experiments/scheduling/run_many.h"
#include "gps/experiments/spec/open_stream.h"
#include "gps/experiments/spec/presets.h"
#include "gps/experiments/spec/repeat_command.h"
#include "gps/experiments/spec/spec_request.h"
#include "gps/experiments/stream_plan.h"
#include "gps/memory/codecs/codec.h"
#include "gps/nn/network_options.h"
#include "gps/nn/torch/torch_backend.h"
#include "gps/policies/catalog.h"
#include "gps/report/comparison.h"
#include "gps/report/gather.h"
#include "gps/report/page/page.h"
#include "gps/report/page/page_template.h"
#include "gps/report/planned.h"
#include "gps/simulation/future.h"
#include "learner.h"
#include "option_rows.h"

namespace py = pybind11;

namespace gps::python {
namespace {

std::string text(const nlohmann::json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

py::list run_options() {
  py::list all;
  for (const SpecOption& option : spec_options()) {
    if (!option.row.flag.empty()) all.append(as_dict(option.row, option.group));
  }
  for (const Option& option : own_stream_options().rows())
    all.append(as_dict(option, "Your own images"));
  return all;
}

py::list catalog(const std::string& family) {
  const std::vector<std::pair<std::string, Catalog>> families = {
      {"benchmarks", benchmark_catalog()},
      {"models", model_catalog()},
      {"learners", entries(learner_catalog())},
      {"policies", entries(policy_catalog())},
      {"codecs", entries(codec_catalog())},
      {"presets", preset_catalog()},
      {"futures", future_catalog()},
      {"metrics", entries(metric_catalog())},
  };
  std::vector<std::string> known;
  for (const auto& [name, rows] : families) {
    if (name == family) return as_list(rows);
    known.push_back(name);
  }
  throw UsageError(unknown_name_text("family", family, known));
}

int workers_for(int jobs) {
  return jobs > 0 ? jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

// What gpscl.run() was asked for, besides options of specs.
struct RunRequest {
  std::string preset;
  std::vector<std::uint64_t> seeds;
  int jobs = 0;  // 0: one per core
  std::string data;
  std::string out;
  std::string store;
  bool resume = false;
  bool restart = false;
  std::string checkpoint_every;
  std::string exported;
  std::string tensorboard;
};

// The stream, learners, policies and options that were asked for.
SpecRequest asked_for(const std::string& benchmark, const std::vector<std::string>& learners,
                      const std::vector<std::string>& policies,
                      const std::map<std::string, std::string>& given, const RunRequest& request,
                      News& news, const StopFlag& stop) {
  SpecRequest asked;
  asked.benchmark = benchmark;
  if (!learners.empty()) asked.learners = learners;
  asked.policies = policies;
  asked.given = given;
  // A plan leaves alone what is given.
  if (!learners.empty()) asked.given["learner"] = join(learners, ",");
  if (!policies.empty()) asked.given["policy"] = join(policies, ",");
  asked.look = [&](const std::string& path, const OwnStreamOptions& options) {
    Executor executor(workers_for(request.jobs));
    return look_at_stream(path, options, loading_news(news, executor, stop));
  };
  asked.apply(request.preset);
  return asked;
}

// Checkpoints may contain hours of work, so they are not overwritten unless the user asks for it.
void settle_checkpoints(const RunRequest& request, const std::vector<Job>& jobs) {
  if (request.resume && request.restart)
    throw UsageError("`resume` and `restart` cannot be used together");
  if (request.resume) return;
  for (const Job& job : jobs) {
    Checkpoints checkpoints(checkpoint_file(request.out, job.spec, job.seed));
    if (!request.restart && checkpoints.exists()) {
      throw UsageError(
          fmt::format("{}: this run was interrupted; `resume`=True continues it, and "
                      "`restart`=True starts it again",
                      checkpoints.file().string()));
    }
    checkpoints.remove();
  }
}

py::tuple as_event(std::size_t job, const RunProgress& now) {
  return py::make_tuple("progress", job, now.task, now.tasks, now.steps_done, now.steps_expected,
                        now.is_simulating, now.futures_tried, now.accuracy);
}

std::string name_of_state(JobState state) {
  if (state == JobState::done) return "done";
  if (state == JobState::was_done) return "was done";
  return state == JobState::failed || state == JobState::was_failed ? "failed" : "open";
}

// Does the runs and returns for each, in the order seed by seed, the JSON of its result, or None.
// The listener gets tuples: ("plan", labels), ("load", what, done, total), ("tell", line),
// ("started", job), ("progress", job, …), ("ended", job, state, accuracy or error).
std::vector<std::optional<std::string>> run_experiments(
    const std::string& benchmark, const std::vector<std::string>& learners,
    const std::vector<std::string>& policies, const std::map<std::string, std::string>& given,
    const RunRequest& request, const py::object& listener) {
  StopFlag stop;
  News news;
  std::vector<std::optional<std::string>> results;
  do_beside(stop, news, listener, [&] {
    RunManyOptions how{.out = request.out,
                       .what = request.resume ? Redo::unfinished : Redo::all,
                       .checkpoints = parse_checkpoints(request.checkpoint_every),
                       .exported = parse_export(request.exported),
                       .tensorboard = {request.tensorboard, /*examples=*/true}};
    if (how.exported.model) torch_backend();  // throws if LibTorch is missing
    const SpecRequest asked = asked_for(benchmark, learners, policies, given, request, news, stop);
    const std::vector<Spec> specs = asked.specs();
    // Unless told otherwise, leave cores free for the operator threads of each worker.
    const int threads = request.jobs > 0 ? 1 : specs.front().network.operator_threads;
    Executor executor(std::max(1, workers_for(request.jobs) / threads));

    std::vector<Job> jobs;
    std::vector<std::string> labels;
    for (const std::uint64_t seed : request.seeds) {
      for (const Spec& spec : specs) {
        labels.push_back(
            fmt::format("{} seed {}", run_label(spec, asked.learners.size() > 1), seed));
        jobs.push_back({spec, seed, labels.back()});
      }
    }
    settle_checkpoints(request, jobs);
    news.add("", [labels] { return py::make_tuple("plan", labels); });
    Store store(request.store);
    LocalWorker worker(jobs, request.data, executor, loading_news(news, executor, stop));
    results.resize(jobs.size());
    const RunManyHooks hooks{
        .started =
            [&](std::size_t k) { news.add("", [k] { return py::make_tuple("started", k); }); },
        .progress =
            [&](std::size_t k, const RunProgress& now) {
              news.add(fmt::format("progress {}", k), [k, now] { return as_event(k, now); });
            },
        .tell =
            [&](std::size_t k, const std::string& line) {
              news.add("",
                       [said = labels[k] + ": " + line] { return py::make_tuple("tell", said); });
            },
        .ended =
            [&](std::size_t k, const JobEnd& end, const RunResult* result) {
              if (result != nullptr) results[k] = text(to_json(*result));
              const std::string state = name_of_state(end.state);
              std::optional<double> accuracy;
              if (result != nullptr) accuracy = result->metrics.average_accuracy();
              news.add("", [=, error = end.error] {
                return py::make_tuple("ended", k, state, accuracy, error);
              });
            }};
    run_many(jobs, longest_first(jobs, specs.size()), worker, executor, store, stop, how, hooks);
  });
  return results;
}

// Makes a plan and returns (its JSON, its text, the arguments of the run that follows it). The
// listener gets ("load", …), ("tell", …) and ("tried", settings so far, seconds).
py::tuple plan_experiment(const std::string& benchmark, const std::vector<std::string>& learners,
                          const std::vector<std::string>& policies,
                          const std::map<std::string, std::string>& given,
                          const std::string& budget, const RunRequest& request,
                          const py::object& listener) {
  StopFlag stop;
  News news;
  StreamPlan plan;
  do_beside(stop, news, listener, [&] {
    const PlanBudget cost = plan_budget_from(budget);
    std::map<std::string, std::string> options = given;
    if (!cost.percent.empty()) options["plan-budget"] = cost.percent;
    const std::vector<Spec> specs =
        asked_for(benchmark, learners, policies, options, request, news, stop).specs();
    if (specs.size() > 1)
      throw UsageError("plan() makes one plan; name one learner and one policy at most");
    Executor executor(workers_for(request.jobs));
    const auto source = open_stream(specs.front().benchmark, specs.front().network, request.data,
                                    loading_news(news, executor, stop));
    const std::uint64_t seed = request.seeds.front();
    const auto tell = [&](std::size_t count, double seconds) {
      news.add("tried", [=] { return py::make_tuple("tried", count, seconds); });
    };
    plan = make_stream_plan(specs.front(), seed, *source->stream(seed), executor, &stop,
                            cost.seconds, tell);
  });
  return py::make_tuple(text(to_json(plan)), plan_text(plan), arguments_for(plan.spec));
}

RunStatus status_from(const std::string& name) {
  std::vector<std::string> known;
  for (const RunStatus status :
       {RunStatus::running, RunStatus::done, RunStatus::failed, RunStatus::interrupted}) {
    if (name_of(status) == name) return status;
    known.push_back(name_of(status));
  }
  throw UsageError(unknown_name_text("status", name, known));
}

// Returns (path of the store, runs as JSON with the latest first, lines about damaged rows).
py::tuple read_store(const std::string& path, const std::string& benchmark,
                     const std::string& learner, const std::string& policy,
                     const std::string& status) {
  std::vector<std::string> rows;
  std::vector<std::string> lines;
  std::string file;
  {
    const py::gil_scoped_release release;
    Store store(path, {.read_only = true, .named_by = "gpscl.runs(FILE)"});
    file = store.path().string();
    std::optional<RunStatus> wanted;
    if (!status.empty()) wanted = status_from(status);
    const ProcessId self = this_process();
    const double now = seconds_now();
    for (const StoredRun& run :
         store.find(RunFilter{{}, benchmark, learner, policy, {}}, /*with_results=*/true)) {
      const RunStatus current = Store::status_now(run, self, now);
      if (wanted && current != *wanted) continue;
      const std::string damage = damage_line(run, /*with_result=*/true);
      if (!damage.empty()) {
        lines.push_back(damage);
        continue;
      }
      nlohmann::json row = {{"id", run.id},           {"benchmark", run.benchmark},
                            {"learner", run.learner}, {"policy", run.label},
                            {"seed", run.seed},       {"status", name_of(current)},
                            {"version", run.version}, {"seconds", run.seconds},
                            {"started", run.started}, {"finished", run.finished},
                            {"error", nullptr},       {"spec", nlohmann::json::parse(run.spec)},
                            {"result", nullptr}};
      if (!run.error.empty()) row["error"] = run.error;
      if (!run.result.empty()) row["result"] = nlohmann::json::parse(run.result);
      rows.push_back(text(row));
    }
  }
  return py::make_tuple(file, rows, lines);
}

// Returns (the page, number of runs, lines about what was left out).
py::tuple report_page(const std::string& path, const std::string& benchmark,
                      const std::string& learner, const std::string& policy, double images,
                      double details) {
  if (page_template().empty()) {
    throw UsageError(
        "this gpscl was built without the page of the report: install npm, and build again");
  }
  std::vector<std::string> lines;
  std::size_t runs = 0;
  std::string html;
  {
    const py::gil_scoped_release release;
    Store store(path, {.read_only = true, .named_by = "gpscl.report(STORE)"});
    const Report report = gather_report(store,
                                        {.benchmark = benchmark,
                                         .learner = learner,
                                         .policy = policy,
                                         .room_for_images = 1e6 * images},
                                        [&](const std::string& line) { lines.push_back(line); });
    runs = report.runs.size();
    html = html_page(page_template(), report, 1e6 * details).html;
  }
  return py::make_tuple(html, runs, lines);
}

// Returns the table of `gpscl run` for results of one benchmark.
std::string comparison(const std::vector<std::string>& results) {
  std::vector<RunResult> all;
  for (const std::string& each : results)
    all.push_back(result_from_json(nlohmann::json::parse(each)));
  return all.empty() ? "" : comparison_table(all);
}

// Returns the label of a spec: "gps:permutation", or "er gps:permutation".
std::string label_of(const std::string& spec, bool with_learner) {
  return run_label(spec_from_json(nlohmann::json::parse(spec)), with_learner);
}

}  // namespace

void bind_experiments(py::module_& m) {
  py::class_<RunRequest>(m, "RunRequest", "What gpscl.run was asked for, besides options of specs.")
      .def(py::init<>())
      .def_readwrite("preset", &RunRequest::preset)
      .def_readwrite("seeds", &RunRequest::seeds)
      .def_readwrite("jobs", &RunRequest::jobs)
      .def_readwrite("data", &RunRequest::data)
      .def_readwrite("out", &RunRequest::out)
      .def_readwrite("store", &RunRequest::store)
      .def_readwrite("resume", &RunRequest::resume)
      .def_readwrite("restart", &RunRequest::restart)
      .def_readwrite("checkpoint_every", &RunRequest::checkpoint_every)
      .def_readwrite("exported", &RunRequest::exported)
      .def_readwrite("tensorboard", &RunRequest::tensorboard);
  m.def("run_options", &run_options, "The options of specs and of the user's own images.");
  m.def("catalog", &catalog, py::arg("family"), "The names of a family, and what they mean.");
  m.def("run_experiments", &run_experiments, py::arg("benchmark"), py::arg("learners"),
        py::arg("policies"), py::arg("given"), py::arg("request"), py::arg("listener"),
        "Do runs, and return the JSON of each result.");
  m.def("plan_experiment", &plan_experiment, py::arg("benchmark"), py::arg("learners"),
        py::arg("policies"), py::arg("given"), py::arg("budget"), py::arg("request"),
        py::arg("listener"), "Make a plan; return its JSON, its text, and the arguments of a run.");
  m.def("read_store", &read_store, py::arg("path"), py::arg("benchmark"), py::arg("learner"),
        py::arg("policy"), py::arg("status"), "Read the runs of a store.");
  m.def("report_page", &report_page, py::arg("path"), py::arg("benchmark"), py::arg("learner"),
        py::arg("policy"), py::arg("images"), py::arg("details"),
        "Return the page of gpscl report.");
  m.def("comparison", &comparison, py::arg("results"), "The table of gpscl run.");
  m.def("label_of", &label_of, py::arg("spec"), py::arg("with_learner"),
        "The label of a spec in tables.");
  bind_learner(m);
}

}  // namespace gps::python
