#include "gps/report/learning/image_list.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gps/core/text/printable.h"
#include "gps/core/text/text.h"

namespace gps {
namespace {

std::string counted_images(std::size_t count) {
  return fmt::format("{} image{}", count, count == 1 ? "" : "s");
}

const std::string& task_name_of(const LearnState& state, const StoredImageRecord& image) {
  return state.tasks.at(static_cast<std::size_t>(image.task) - 1).name;
}

Cell moment(std::int64_t when) {
  if (when == 0) return Cell::missing();
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(static_cast<std::time_t>(when)));
}

nlohmann::json accuracies(const Tested& tested) {
  return {{"accuracy", tested.accuracy}, {"among_all", tested.among_all}};
}

}  // namespace

Table image_table(const LearnState& state, const std::vector<StoredImageRecord>& images) {
  Table table = {"hash", "class", "task", "role", "first seen (UTC)"};
  for (const StoredImageRecord& image : images) {
    table.rows.push_back({hash_text(image.hash), state.classes.at(image.label),
                          fmt::format("{} {}", image.task, task_name_of(state, image)),
                          name_of(image.role), moment(image.when)});
  }
  return table;
}

nlohmann::json image_list_as_json(const LearnState& state,
                                  const std::vector<StoredImageRecord>& images) {
  nlohmann::json list = nlohmann::json::array();
  for (const StoredImageRecord& image : images) {
    nlohmann::json row = {{"hash", hash_text(image.hash)},
                          {"class", state.classes.at(image.label)},
                          {"task", image.task},
                          {"name", task_name_of(state, image)},
                          {"role", name_of(image.role)},
                          {"first_seen", nullptr}};
    if (image.when != 0) row["first_seen"] = image.when;
    list.push_back(std::move(row));
  }
  return list;
}

std::string erasure_text(const Erasure& erasure, std::size_t asked, std::size_t unseen) {
  std::string text = fmt::format(
      "erased: {} of {} that {} named; in the newest version {} for replay and {} for testing",
      erasure.erased, counted_images(asked), asked == 1 ? "is" : "are", erasure.images.replayed,
      erasure.images.tests);
  std::vector<std::string> versions;
  for (const int version : erasure.rewritten) versions.push_back(std::to_string(version));
  if (!versions.empty())
    text += fmt::format("; rewritten: version{} {}{}", versions.size() == 1 ? "" : "s",
                        join(versions), erasure.is_candidate_rewritten ? " and the candidate" : "");
  text += "\n";
  if (asked == 1 && unseen == 1)
    return text + "it is not stored and was never trained on; it is barred from now on\n";
  if (unseen == asked)
    return text + "none is stored, and none was ever trained on; all are barred from now on\n";
  if (unseen > 0) {
    text += fmt::format("{} of them {} not stored and {} never trained on\n", unseen,
                        unseen == 1 ? "is" : "are", unseen == 1 ? "was" : "were");
  }
  return text + (asked == 1 ? "it cannot be learnt again\n" : "none can be learnt again\n");
}

nlohmann::json to_json(const Erasure& erasure, std::size_t asked, std::size_t unseen) {
  return {{"asked", asked},
          {"erased", erasure.erased},
          {"never_seen", unseen},
          {"images", {{"replay", erasure.images.replayed}, {"test", erasure.images.tests}}},
          {"rewritten_versions", erasure.rewritten},
          {"candidate_rewritten", erasure.is_candidate_rewritten},
          {"not_changed", erasure.untouched}};
}

std::string relearnt_text(const Relearnt& relearnt) {
  std::string text = fmt::format("trained anew on {} in {} steps", counted_images(relearnt.trained),
                                 relearnt.steps);
  std::size_t images = 0;
  double before = 0;
  double now = 0;
  for (const TaskStanding& score : relearnt.scores) {
    images += score.examples;
    now += static_cast<double>(score.examples) * score.now.among_all;
    before += static_cast<double>(score.examples) * score.before->among_all;
  }
  if (images == 0) return text + "\n";
  const auto all = static_cast<double>(images);
  return text + fmt::format("; accuracy on {} held out: {:.1f} % before, {:.1f} % now\n",
                            counted_images(images), 100 * before / all, 100 * now / all);
}

nlohmann::json to_json(const Relearnt& relearnt, const LearnState& state) {
  nlohmann::json scores = nlohmann::json::array();
  for (const TaskStanding& score : relearnt.scores) {
    scores.push_back({{"task", score.task},
                      {"last_task", score.last},
                      {"name", state.tasks.at(static_cast<std::size_t>(score.task) - 1).name},
                      {"examples", score.examples},
                      {"before", accuracies(*score.before)},
                      {"now", accuracies(score.now)}});
  }
  nlohmann::json json = {
      {"trained_on", relearnt.trained}, {"steps", relearnt.steps}, {"scores", std::move(scores)}};
  if (!relearnt.problems.empty()) json["problems"] = relearnt.problems;
  return json;
}

}  // namespace gps
