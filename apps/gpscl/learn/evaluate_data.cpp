#include "learn/evaluate_data.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "gps/core/text/printable.h"
#include "gps/deployment/confusion.h"
#include "gps/deployment/learn.h"
#include "gps/deployment/new_data.h"
#include "gps/report/learning/class_answers.h"
#include "gps/report/tables/table.h"
#include "learn/labelled_data.h"

namespace gps::cli {
namespace {

// One task of the data of --evaluate.
struct EvaluatedTask {
  std::string name;                  // "": all of the data is one task
  std::vector<std::string> classes;  // by label: those of the state, then others
  Dataset images;
};

// Returns the images whose class the state knows, or the others.
Dataset images_of(const EvaluatedTask& task, std::size_t known, bool is_known) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < task.images.size(); ++row) {
    if ((task.images.label(row) < known) == is_known) rows.push_back(row);
  }
  return task.images.subset(rows);
}

// Divides a listing into its tasks, all for testing. Throws UsageError if the state knows no class
// of any of them.
std::vector<ImageListing> tasks_of(const ImageListing& all, const LearnState& state,
                                   const std::string& path) {
  std::vector<ImageListing> tasks;
  for (const ImageFile& file : all.files) {
    if (tasks.empty() || tasks.back().files.back().task != file.task)
      tasks.push_back({all.root, {}});
    tasks.back().files.push_back(file);
  }
  const std::size_t known = state.classes.size();
  bool has_known = false;
  for (ImageListing& task : tasks) {
    ImageListing labelled = task;
    for (ImageFile& file : labelled.files) {
      file.task.clear();
      file.split = Split::train;
    }
    check_is_one_task(labelled, path);
    has_known =
        has_known || labels_of(labelled, classes_with(state.classes, labelled)).front() < known;
    for (ImageFile& file : task.files) file.split = Split::test;
  }
  if (!has_known) check_are_known(classes_with(state.classes, tasks.front()), known);
  return tasks;
}

std::vector<EvaluatedTask> evaluated_tasks(const LearnRequest& request, const LearnState& state,
                                           Executor& executor, const StopFlag& stop) {
  const ImageListing all = list_images(request.evaluated);
  std::vector<EvaluatedTask> tasks;
  std::vector<BadImage> bad;
  for (const ImageListing& listing : tasks_of(all, state, request.evaluated)) {
    EvaluatedTask task{listing.files.front().task, classes_with(state.classes, listing), {}};
    LoadDisplay display(isatty(STDERR_FILENO) != 0);
    LabelledImages images =
        read_images(listing, task.classes, state.options, hooks_for(executor, stop, display));
    bad.insert(bad.end(), images.bad.begin(), images.bad.end());
    task.images = std::move(images.test);
    tasks.push_back(std::move(task));
  }
  settle_bad(request.evaluated, bad, all.files.size(), request.skips_bad);
  for (const EvaluatedTask& task : tasks) {
    if (task.images.size() == 0)
      throw DataError(fmt::format("{}: no image to test on", request.evaluated));
  }
  return tasks;
}

// Shows how many images of all tasks are answered. Each is answered twice: among the classes of its
// task, and among all.
class AnswerCount {
 public:
  explicit AnswerCount(const std::vector<EvaluatedTask>& tasks)
      : display_(isatty(STDERR_FILENO) != 0) {
    for (const EvaluatedTask& task : tasks) all_ += 2 * task.images.size();
  }

  // Returns what confusion_of() returns, and shows the progress meanwhile.
  Confusion answers(LearnState& state, const Dataset& images, std::span<const Label> among,
                    const StopFlag& stop) {
    constexpr std::size_t kPart = 256;  // as many as go through the network at a time
    std::optional<Confusion> sum;
    for (std::uint32_t first = 0; first < images.size(); first += kPart) {
      display_.update({"testing", done_, all_});
      std::vector<std::uint32_t> rows(std::min<std::size_t>(kPart, images.size() - first));
      std::iota(rows.begin(), rows.end(), first);
      const Confusion part = confusion_of(state, images.subset(rows), among, &stop);
      if (sum) {
        sum->add(part);
      } else {
        sum = part;
      }
      done_ += rows.size();
    }
    return *sum;
  }

 private:
  LoadDisplay display_;
  std::size_t done_ = 0;
  std::size_t all_ = 0;
};

// Images by class and answer, for classes that the state has not learnt.
using UnknownClasses = std::map<std::string, std::map<std::string, std::size_t>>;

std::string unknown_text(const UnknownClasses& unknown) {
  constexpr std::size_t kMostNamed = 10;
  std::string text;
  std::size_t named = 0;
  std::size_t more = 0;  // images of classes that are not named
  for (const auto& [name, answers] : unknown) {
    if (named == kMostNamed) {
      for (const auto& [answer, count] : answers) more += count;
      continue;
    }
    ++named;
    std::size_t images = 0;
    std::vector<std::string> parts;
    for (const auto& [answer, count] : answers) {
      images += count;
      parts.push_back(fmt::format("'{}' {}", printable(answer), count));
    }
    text +=
        fmt::format("not counted: {} image{} of class '{}', which is not learnt; answered as {}\n",
                    images, images == 1 ? "" : "s", printable(name), join(parts));
  }
  if (more > 0) {
    text += fmt::format("not counted: {} images of {} more classes, which are not learnt\n", more,
                        unknown.size() - named);
  }
  return text;
}

}  // namespace

int evaluate_data(const LearnRequest& request, const StateFolder& folder, Executor& executor,
                  const StopFlag& stop) {
  LearnState state = folder.load();
  const std::size_t known = state.classes.size();
  Table table = {"accuracy %", "images", "all classes", "its own classes"};
  nlohmann::json json = nlohmann::json::array();
  UnknownClasses unknown;           // of all tasks
  Confusion answers(known, known);  // of all tasks
  double own = 0;
  double among_all = 0;
  int tested = 0;  // tasks
  const std::vector<EvaluatedTask> tasks = evaluated_tasks(request, state, executor, stop);
  std::optional<AnswerCount> shown(tasks);
  AnswerCount& counted = *shown;
  for (const EvaluatedTask& task : tasks) {
    const Dataset images = images_of(task, known, /*is_known=*/true);
    const Dataset others = images_of(task, known, /*is_known=*/false);
    Row row = {task.name.empty() ? request.evaluated : task.name, Cell::count(images.size()),
               Cell::missing(), Cell::missing()};
    nlohmann::json of_task = {{"name", task.name},       {"classes", nlohmann::json::array()},
                              {"images", images.size()}, {"accuracy", nullptr},
                              {"among_all", nullptr},    {"unknown", nlohmann::json::object()}};
    if (images.size() > 0) {
      const std::vector<Label> labels = labels_in(images);
      for (const Label label : labels) of_task["classes"].push_back(state.classes.at(label));
      const double accuracy = counted.answers(state, images, labels, stop).accuracy();
      const Confusion all = counted.answers(state, images, state.labels(), stop);
      row[2] = with_interval(all.accuracy(), images.size());
      row[3] = with_interval(accuracy, images.size());
      of_task["accuracy"] = accuracy;
      of_task["among_all"] = all.accuracy();
      of_task["per_class"] = per_class_as_json(all, task.classes);
      of_task["confusion"] = confusion_as_json(all, task.classes);
      own += accuracy;
      among_all += all.accuracy();
      ++tested;
      for (const Label label : labels) {
        for (std::size_t answer = 0; answer < known; ++answer)
          answers.add(label, answer, all.answers(label)[answer]);
      }
    }
    if (others.size() > 0) {
      of_task["unknown"] =
          confusion_as_json(counted.answers(state, others, state.labels(), stop), task.classes);
      for (const auto& [name, counts] : of_task.at("unknown").get<UnknownClasses>()) {
        for (const auto& [answer, count] : counts) unknown[name][answer] += count;
      }
    }
    table.rows.push_back(std::move(row));
    json.push_back(std::move(of_task));
  }
  shown.reset();  // takes the live line away
  if (tested > 1) {
    table.rows.push_back({"mean", Cell::nothing(), Cell::percent(among_all / tested, 1),
                          Cell::percent(own / tested, 1)});
  }
  if (request.json) {
    fmt::print("{}\n", json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{}95 % intervals in brackets\n\namong all classes, of all tasks\n{}{}",
               text_table(table), per_class_text(answers, state.classes), unknown_text(unknown));
  }
  return 0;
}

}  // namespace gps::cli
