#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.h"
#include "gps/core/tell_user.h"
#include "gps/core/text/printable.h"
#include "gps/core/text/shell.h"
#include "gps/data/images/remarks.h"
#include "gps/deployment/acceptance/candidate.h"
#include "gps/deployment/check_learnt.h"
#include "gps/deployment/new_data.h"
#include "gps/deployment/state_folder.h"
#include "gps/experiments/spec/fit_to_data.h"
#include "gps/experiments/warnings.h"
#include "gps/learners/stored_logits.h"
#include "gps/report/learning/gate_report.h"
#include "gps/report/learning/history.h"
#include "gps/report/learning/learnt.h"
#include "gps/report/learning/status.h"
#include "gps/report/tables/table.h"
#include "gps/training/step_time.h"
#include "learn/erase_actions.h"
#include "learn/evaluate_data.h"
#include "learn/gate_data.h"
#include "learn/labelled_data.h"
#include "learn/learn_options.h"
#include "learn/state_changes.h"
#include "learn/stored_images_actions.h"
#include "run/run_setup.h"
#include "signals.h"
#include "terminal/load_display.h"
#include "terminal/option_text.h"

namespace gps::cli {
namespace {

namespace fs = std::filesystem;

std::string task_name(const LearnRequest& request) {
  if (!request.name.empty()) return request.name;
  const fs::path path = fs::path(request.data).lexically_normal();
  if (is_manifest(path)) return path.stem().string();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

void check_task_name(const std::string& name) {
  if (!is_utf8(name))
    throw UsageError(fmt::format("the name of the task '{}' is not in UTF-8; give one with --name",
                                 printable(name)));
}

// A script that was killed cannot know whether its last call had finished. This check keeps it from
// learning the same data twice.
void check_is_not_again(const LearnState& state, const NewTask& task) {
  const std::optional<int> earlier = learnt_as(state, task);
  if (!earlier) return;
  throw UsageError(fmt::format("{}: already learnt as task {} {}; use --again to learn it again",
                               task.name, *earlier,
                               state.tasks.at(static_cast<std::size_t>(*earlier) - 1).name));
}

// What --plan leaves to the user is what the user gives.
std::string knobs_left_by(const LearnRequest& request) {
  std::vector<std::string> knobs;
  if (!request.was_given("lr")) knobs.emplace_back("lr");
  if (!request.was_given("epochs") && !request.was_given("steps")) knobs.emplace_back("length");
  if (knobs.empty()) throw OptionError("plan", "has nothing to plan: `lr` and `epochs` are given");
  return join(knobs, ",");
}

// Returns for example "500", or "2MB (7500 images as bits:1)", or "2MB as bits:1" with logits.
std::string memory_budget_text(const LearnOptions& options) {
  const std::string codec =
      options.method.codec == Method().codec ? "" : " as " + options.method.codec;
  if (options.memory_bytes == 0) return std::to_string(options.memory) + codec;
  if (stored_logits_format(options.method.learner))  // how many fit depends on the classes
    return text_of(ByteCount{options.memory_bytes}) + codec;
  const Budget budget = budget_of(options);
  return fmt::format("{} ({} images{})", text_of(ByteCount{options.memory_bytes}),
                     budget.replay + budget.test, codec);
}

// Returns for example "mlp", or "mlp on 512 features of backbone.pt".
std::string what_learns(const LearnOptions& options) {
  const NetworkOptions& network = options.method.network;
  if (is_file(network.model)) return "a model of your own";
  if (!options.has_backbone()) return network.model;
  return fmt::format("{} on {} features of {}", network.model, options.features, network.backbone);
}

// Shows the progress of a call.
void show(LoadDisplay& display, const LearnProgress& now) {
  if (now.is_planning) {
    display.update({"trying settings", 0, 0});
  } else if (now.is_testing) {
    display.update({"testing", 0, 0});
  } else if (now.is_choosing && now.most_tried > 0) {
    display.update({"choosing images to keep", now.tried, now.most_tried},
                   fmt::format("{} of at most {} choices simulated", now.tried, now.most_tried));
  } else if (now.is_choosing) {
    display.update({"choosing images to keep", 0, 0});
  } else {
    display.update({"learning", now.steps_done, now.steps_expected});
  }
}

// Says how long a call will take, if that is worth knowing.
void announce(LoadDisplay& display, const LearnWork& work, std::size_t workers) {
  constexpr double kSoon = 2;
  constexpr double kLong = 1800;
  const double step = step_seconds(work.learner, work.memory, work.task, work.training);
  const double training = step * static_cast<double>(work.steps);
  // Simulated steps always replay, so they have twice as many rows as the steps of a first task.
  const double of_candidate =
      (work.memory.size() == 0 ? 2 : 1) * step * static_cast<double>(work.candidate_steps);
  const double choosing =
      of_candidate * static_cast<double>(work.candidates) /
      static_cast<double>(std::min(workers, std::max<std::size_t>(1, work.candidates)));
  if (training + choosing < kSoon) return;
  std::string text = "learning takes about " + duration_text(training);
  if (work.candidates > 0)
    text += fmt::format(", choosing what to keep up to {}", duration_text(choosing));
  if (training + choosing > kLong) {
    text += training > choosing ? "; fewer --epochs or a smaller --image-size take less time"
                                : "; --policy ring-full simulates nothing";
  }
  display.tell(text);
}

// Returns what the network and the other settings of a new state follow from.
DataFacts facts_for_choice(const LearnRequest& request, const ImageListing& listing,
                           const LearnState& state) {
  const bool is_chosen = !request.was_given("model") && !state.options.has_backbone();
  return facts_of(listing, state.options.shape,
                  is_chosen ? "" : state.options.method.network.model);
}

// Says what was chosen for a new state that is trained on this many images.
void tell_choice(LoadDisplay& display, const LearnRequest& request, DataFacts facts,
                 const LearnState& state, std::size_t trained) {
  GivenTexts given = request.given;
  if (!facts.model.empty()) given["model"] = facts.model;
  UsualSettings settings = usual_settings(facts);
  facts.images = trained;
  settings.why_epochs = usual_settings(facts).why_epochs;
  const std::string chosen = chosen_text(state.options.method, settings, given);
  if (chosen.empty()) return;
  const ImageShape& shape = state.options.shape;
  display.tell(fmt::format(
      "chosen: {}, images of {} x {} pixels in {}; your own choice counts (gpscl learn --help)",
      chosen, shape.width, shape.height, shape.channels == 1 ? "grey" : "colour"));
}

constexpr int kNotCommitted = 3;  // exit code: the new version falls short

// What a call that learns has to tell.
struct Learnt {
  LearnReport report;
  GateVerdict verdict;

  // Why the new version should not be kept.
  std::vector<std::string> problems() const {
    std::vector<std::string> all = report.problems;
    all.insert(all.end(), verdict.problems.begin(), verdict.problems.end());
    return all;
  }
};

std::string report_as_json(const Learnt& learnt, const LearnState& state,
                           std::optional<int> version) {
  nlohmann::json json = to_json(learnt.report, state);
  json["erased_before"] = learnt.report.erased;
  json["committed"] = version.has_value();
  if (version) json["version"] = *version;
  if (!learnt.problems().empty()) json["problems"] = learnt.problems();
  if (learnt.verdict.accuracy || learnt.verdict.forgetting) json["gate"] = to_json(learnt.verdict);
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// What the log says of a call that learnt something.
nlohmann::json line_of(const Learnt& learnt, const LearnState& state) {
  const LearnReport& report = learnt.report;
  nlohmann::json line = {{"task", report.task},
                         {"name", state.tasks.back().name},
                         {"data", state.tasks.back().data},
                         {"trained_on", report.trained},
                         {"steps", report.steps},
                         {"erased_before", report.erased},
                         {"new_classes", report.new_classes}};
  const GateEvidence held_out = held_out_evidence(report);
  if (held_out.images > 0)
    line["held_out"] = {{"images", held_out.images}, {"among_all", held_out.accuracy}};
  if (held_out.earlier_images > 0) {
    line["earlier_tasks"] = {
        {"images", held_out.earlier_images}, {"before", held_out.before}, {"now", held_out.now}};
  }
  if (learnt.verdict.accuracy || learnt.verdict.forgetting) line["gate"] = to_json(learnt.verdict);
  if (!learnt.problems().empty()) line["problems"] = learnt.problems();
  return line;
}

// Returns what to try after a call that learnt too little.
std::string advice(const LearnReport& report, const LearnState& state, const StateFolder& folder) {
  if (folder.has_state() && guessed_before(report)) {
    return fmt::format(
        "version {} is already no better than guessing: go back with --rollback, or start a new "
        "state",
        folder.newest());
  }
  constexpr float kSmall = 0.001f;  // below this, the rate is rather too small
  constexpr float kUsualRate = 0.03f;
  const float rate = state.options.method.learner.learning_rate;
  return fmt::format("try --lr {:.2g}, more labelled images, or another --model{}",
                     rate < kSmall ? kUsualRate : rate / 10,
                     folder.has_state() ? " in a new state" : "");
}

// Keeps the new version aside, and says why, and what to try.
int keep_candidate(const LearnRequest& request, const Learnt& learnt, LearnState& state,
                   const StateFolder& folder, StateLog& log) {
  const bool is_new = !folder.has_state();
  log.add("refuse", line_of(learnt, state));
  keep_aside(folder, state, state.tasks.back().when, learnt.problems());
  if (request.json) fmt::print("{}", report_as_json(learnt, state, std::nullopt));
  tell_user("gpscl: {}: {}; {}{}; kept aside: gpscl learn {} --accept keeps it anyway",
            request.state, join(learnt.problems(), "; "),
            is_new ? "no state was made"
                   : fmt::format("the state is unchanged at version {}", folder.newest()),
            learnt.report.problems.empty() ? "" : "; " + advice(learnt.report, state, folder),
            shell_quoted(request.state));
  return kNotCommitted;
}

// Returns what the gate says of the new version. `images` are those of --gate, and `new_data` has
// all images of this call, also those that are held out.
GateVerdict verdict_of(const LearnRequest& request, const LearnReport& report,
                       const Dataset& images, const TrainedImages& new_data, LearnState& state,
                       const StateFolder& folder, const StopFlag& stop) {
  const Gate gate = gate_of(request);
  if (!gate.has_limits()) return {};
  if (request.gate.empty()) return judge(gate, held_out_evidence(report));
  if (!folder.has_state())
    return judge(gate, gate_evidence(images, new_data, state, nullptr, stop));
  LearnState before = folder.load();
  return judge(gate, gate_evidence(images, new_data, state, &before, stop));
}

int learn_task(const LearnRequest& request, const ImageListing& listing, StateFolder& folder,
               Executor& executor, const StopFlag& stop, StateLog& log) {
  const int workers = workers_for(request.jobs, nullptr);
  const bool is_new = !folder.has_state();
  if (!is_new) expire_images(time_now(), log);
  LearnState state = is_new ? LearnState(request.for_new_state(listing)) : folder.load();
  if (is_new) {
    const Method& method = state.options.method;
    tell_user("making a new state in {}: {}, memory {}, learner {}, policy {}", request.state,
              what_learns(state.options), memory_budget_text(state.options), method.learner.name,
              policy_label(method.policy));
  } else {
    change_options_of(state, request);
  }
  NewTask task{.name = task_name(request), .classes = classes_with(state.classes, listing)};
  if (request.refuses_new_classes) check_are_known(task.classes, state.classes.size());
  check_classes(state, task.classes, labels_of(listing, task.classes));

  // Which network was chosen follows from the files, the epochs from the images that are trained
  // on.
  const DataFacts facts = is_new ? facts_for_choice(request, listing, state) : DataFacts();

  const Dataset gate_images = read_gate_images(request, state, task.classes, executor, stop);
  TrainedImages new_data;
  Learnt learnt;
  LearnReport& report = learnt.report;
  {
    LoadDisplay display(isatty(STDERR_FILENO) != 0);
    LabelledImages images =
        read_images(listing, task.classes, state.options, hooks_for(executor, stop, display));
    settle_bad(request.data, images.bad, listing.files.size(), request.skips_bad);
    const std::vector<std::string> remarks = {
        similar_names_text(task.classes, state.classes.size()),
        same_images_text(listing.files, images.hashes),
        single_images_text(single_images(images, task.classes))};
    for (const std::string& text : remarks) {
      if (!text.empty()) display.tell(printable(request.data + ": " + text));
    }
    task.train = std::move(images.train);
    task.test = std::move(images.test);
    if (gate_images.size() > 0) {
      new_data.add(task.train);
      new_data.add(task.test);
    }
    if (!request.again) check_is_not_again(state, task);
    if (request.plans) task.planned = knobs_left_by(request);
    task.when = time_now();
    report = learn(state, task, executor,
                   {.stop = &stop,
                    .progress = [&](const LearnProgress& now) { show(display, now); },
                    .begins =
                        [&](const LearnWork& work) {
                          if (is_new)
                            tell_choice(display, request, facts, state, work.task.train.size());
                          announce(display, work, static_cast<std::size_t>(workers));
                        }});
  }
  if (report.erased > 0) {
    tell_user("gpscl: {}: {} image{} left out, because {} erased from this state", request.data,
              report.erased, report.erased == 1 ? "" : "s",
              report.erased == 1 ? "it was" : "they were");
  }
  if (report.plan) {
    for (const std::string& line : describe(*report.plan)) tell_user("gpscl: {}", line);
  }
  if (report.decision && has_no_live_trial(*report.decision))
    tell_user("gpscl: warning: {}", with_dashes(failed_simulations({&*report.decision, 1})));
  learnt.verdict = verdict_of(request, report, gate_images, new_data, state, folder, stop);
  if (!learnt.problems().empty() && !request.accepts)
    return keep_candidate(request, learnt, state, folder, log);
  if (!learnt.problems().empty())
    tell_user("gpscl: warning: {}; kept because of --accept", join(learnt.problems(), "; "));
  if (is_new) drop_candidate(folder);  // it may have a copy of another model
  const Committed committed = folder.commit(state, log.announcing("learn", line_of(learnt, state)));
  const int version = committed.version;
  tell_left_files(committed.not_removed);
  if (request.json) {
    print_kept(report_as_json(learnt, state, version), version);
    return 0;
  }
  const std::size_t weights = 4 * network_of(*state.learner).state().size();
  print_kept(
      fmt::format("{}{}state: version {} in {}, {:.2f} MB ({:.2f} of them weights); the "
                  "folder has {:.2f} MB\n",
                  learnt_text(report, state), gate_text(learnt.verdict), version,
                  printable(folder.path().string()),
                  static_cast<double>(fs::file_size(folder.file(version))) / 1e6,
                  static_cast<double>(weights) / 1e6, static_cast<double>(folder.bytes()) / 1e6),
      version);
  return 0;
}

void print(const nlohmann::json& json) {
  fmt::print("{}\n", json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_status_as_json(const LearnState& state, const StateTests& tests,
                          const StateFolder& folder) {
  std::vector<int> earlier = folder.versions();
  earlier.pop_back();
  const int newest = folder.newest();
  nlohmann::json json = status_as_json(state, tests);
  json["state"] = folder.path().string();
  json["version"] = newest;
  json["earlier_versions"] = earlier;
  json["bytes"] = fs::file_size(folder.file(newest));
  json["folder_bytes"] = folder.bytes();
  if (const auto candidate = candidate_of(folder)) json["candidate"] = to_json(*candidate);
  print(json);
}

int show_state(const LearnRequest& request, const StateFolder& folder) {
  LearnState state = folder.load();
  if (request.wants_history) {
    if (request.json) {
      print(history_as_json(state));
    } else {
      fmt::print("{}", history_text(state));
    }
    return 0;
  }
  const StateTests tests{test_tasks(state), confusion_of_tests(state)};
  if (request.json) {
    print_status_as_json(state, tests, folder);
    return 0;
  }
  std::vector<std::string> versions;
  for (const int version : folder.versions()) versions.push_back(std::to_string(version));
  const int newest = folder.newest();
  fmt::print("{}: version {}, {:.2f} MB of {:.2f} MB in the folder; {}\n{}",
             printable(folder.path().string()), newest,
             static_cast<double>(fs::file_size(folder.file(newest))) / 1e6,
             static_cast<double>(folder.bytes()) / 1e6,
             versions.size() < 2 ? "no earlier version is kept"
                                 : fmt::format("kept versions: {}; --rollback goes back to {}",
                                               join(versions), versions[versions.size() - 2]),
             status_text(state, tests));
  if (const auto candidate = candidate_of(folder)) {
    fmt::print("\n{}\n  gpscl learn {} --accept keeps it; any other change drops it\n",
               candidate_text(*candidate), shell_quoted(request.state));
  }
  return 0;
}

// Does the work, and adds a line to the log if it fails. That it failed matters more than whether
// the log has room for it.
int logging_failures(StateLog& log, const std::function<int()>& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    try {
      log.add("fail", {{"error", with_dashes(error.what())}});
    } catch (const std::exception&) {
    }
    throw;
  }
}

int execute(const LearnRequest& request) {
  StateFolder folder(request.state);
  const bool learns = !request.data.empty();
  if (request.wants_status || request.wants_history) return show_state(request, folder);
  if (request.wants_list) return list_stored_images(request, folder);
  if (!request.images_folder.empty()) return write_stored_images(request, folder);
  StopFlag& stop = stop_on_signals();
  if (learns || changes_state(request) || erases(request)) ignore_broken_pipes();
  Executor executor(workers_for(request.jobs, nullptr));
  if (!request.evaluated.empty()) return evaluate_data(request, folder, executor, stop);

  // Check everything that can be refused before anything is created.
  ImageListing listing;
  if (learns) {
    listing = list_images(request.data);
    check_is_one_task(listing, request.data, request.state);
    check_task_name(task_name(request));
    if (!folder.has_state()) {
      folder.check_is_free();
      request.for_new_state(listing);
    }
  } else if (!request.accepts_candidate ||
             (!folder.has_state() && !fs::exists(folder.candidate_file()))) {
    folder.newest();  // throws if there is none
  }
  std::function<void()> wait;
  if (!request.does_not_wait) {
    wait = [&] {
      tell_user("gpscl: {}: waiting for another gpscl learn to finish", request.state);
    };
  }
  try {
    const FileLock lock = lock_state(folder.path(), wait, stop);
    folder.clean();
    StateLog log(folder, this_process(request.command()), time_now);
    for (const std::string& text : log.settle()) tell_user("gpscl: {}", printable(text));
    return logging_failures(log, [&] {
      if (learns) return learn_task(request, listing, folder, executor, stop, log);
      if (changes_state(request)) return change_state(request, folder, log);
      if (erases(request)) return erase(request, folder, executor, stop, log);
      return roll_back(request, folder, log);
    });
  } catch (const Interrupted&) {
    tell_user("gpscl: interrupted; {}",
              folder.has_state()
                  ? fmt::format("{} is unchanged at version {}", request.state, folder.newest())
                  : request.state + " has no state yet");
    return signal_exit_code();
  }
}

}  // namespace

void add_learn_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("learn", learn_help());
  command->set_help_flag();
  const auto request = std::make_shared<LearnRequest>();
  request->add_to(*command);
  command->callback([request, &exit_code] {
    if (request->wants_help || request->wants_all_help) {
      fmt::print("{}", request->wants_all_help ? learn_help_all() : learn_help());
      return;
    }
    if (request->state.empty()) throw UsageError("no STATE given; see gpscl learn --help");
    request->read_arguments();
    exit_code = execute(*request);
  });
}

}  // namespace gps::cli
