#include "learn/state_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "gps/core/tell_user.h"
#include "gps/core/text/printable.h"
#include "gps/data/images/remarks.h"
#include "gps/deployment/acceptance/candidate.h"
#include "gps/deployment/remove_class.h"
#include "gps/report/learning/gate_report.h"
#include "gps/report/learning/stored_images.h"
#include "learn/erase_actions.h"

namespace gps::cli {
namespace {

// What a call did: as text and as JSON.
struct Done {
  std::string text;
  nlohmann::json json;
  int version = 0;
};

std::string versions_text(const std::vector<int>& versions) {
  std::vector<std::string> texts;
  for (const int version : versions) texts.push_back(std::to_string(version));
  return fmt::format("version{} {}", versions.size() == 1 ? "" : "s", join(texts));
}

std::string images_text(std::size_t count) {
  return fmt::format("{} image{}", count, count == 1 ? "" : "s");
}

// Names may contain "=": the first one that leaves a known class before it divides the text.
Done rename_class_of(const LearnRequest& request, StateFolder& folder, StateLog& log) {
  LearnState state = folder.load();
  const std::string& text = request.renamed;
  std::size_t at = text.find('=');
  for (std::size_t next = at; next != std::string::npos; next = text.find('=', next + 1)) {
    if (!has_class(state, text.substr(0, next))) continue;
    at = next;
    break;
  }
  if (at == std::string::npos || at == 0 || at + 1 == text.size())
    throw OptionError("rename", fmt::format("must be OLD=NEW, got '{}'", text));
  const std::string before = text.substr(0, at);
  const std::string after = rename_class(state, before, text.substr(at + 1));
  std::vector<std::string> names = state.classes;  // the new name last
  names.erase(std::find(names.begin(), names.end(), after));
  names.push_back(after);
  const std::string remark = similar_names_text(names, names.size() - 1);
  if (!remark.empty()) tell_user("gpscl: {}", printable(remark));
  const Committed committed =
      folder.commit_change(state, log.announcing("rename", {{"renamed", before}, {"name", after}}));
  tell_left_files(committed.not_removed);
  return {fmt::format("class '{}' is now called '{}'", printable(before), printable(after)),
          {{"renamed", before}, {"name", after}, {"classes", state.classes}},
          committed.version};
}

Done remove_class_of(const LearnRequest& request, StateFolder& folder, StateLog& log) {
  const nlohmann::json what = {{"removed_class", request.removed_class}};
  const ClassRemoval removal =
      remove_class_for_good(folder, request.removed_class, log.announcing("remove class", what));
  if (!removal.is_new) log.add("remove class", what);
  tell_left_files(removal.untouched);
  std::string text =
      fmt::format("class '{}' is removed, with {} for replay and {} for testing",
                  printable(request.removed_class), images_text(removal.images.replayed),
                  images_text(removal.images.tests));
  if (!removal.is_new)
    text = fmt::format("class '{}' was removed before", printable(request.removed_class));
  if (!removal.rewritten.empty())
    text += fmt::format("; also from {}", versions_text(removal.rewritten));
  if (!removal.removed.empty())
    text += fmt::format("; {} had no other class and is removed", versions_text(removal.removed));
  text += "\nthe weights before the last layer stay as they were trained with its images";
  return {text,
          {{"removed_class", request.removed_class},
           {"images", {{"replay", removal.images.replayed}, {"test", removal.images.tests}}},
           {"rewritten_versions", removal.rewritten},
           {"removed_versions", removal.removed},
           {"not_changed", removal.untouched},
           {"classes", folder.load().classes}},
          removal.version};
}

Done change_options_alone(const LearnRequest& request, StateFolder& folder, StateLog& log) {
  LearnState state = folder.load();
  const nlohmann::json before = to_json(state.options);
  LearnOptions changed = state.options;
  request.change_state(changed);
  std::vector<std::string> lines = adopt(state, changed);
  const bool is_changed = to_json(state.options) != before;
  if (!is_changed && !request.was_given("keep-days"))
    throw UsageError(fmt::format("{}: has these options already", request.state));
  int version = folder.newest();
  if (is_changed) {
    const Committed committed =
        folder.commit_change(state, log.announcing("change", {{"changes", lines}}));
    tell_left_files(committed.not_removed);
    version = committed.version;
  }
  if (state.options.keep_days > 0) {  // also if the option is repeated, to be called every day
    const std::size_t expired = expire_images(time_now(), log);
    lines.push_back(fmt::format("{} older than {} days left the memory", images_text(expired),
                                state.options.keep_days));
  }
  nlohmann::json json = nlohmann::json::object();
  json["changes"] = lines;
  const std::string text = lines.empty() ? "the options are changed" : join(lines, "\n");
  return {text + "\n" + memory_text(folder.load()), json, version};
}

Done accept_candidate(StateFolder& folder, StateLog& log) {
  LearnState state = load_candidate(folder);
  const CandidateNote note = *candidate_of(folder);
  nlohmann::json json;
  json["accepted"] = to_json(note);
  const Committed committed = folder.commit(state, log.announcing("accept", json));
  tell_left_files(committed.not_removed);
  return {fmt::format("the candidate is kept: '{}', although {}", printable(note.task),
                      printable(join(note.problems, "; "))),
          json, committed.version};
}

}  // namespace

bool changes_state(const LearnRequest& request) {
  return request.changes_options || request.accepts_candidate || !request.renamed.empty() ||
         !request.removed_class.empty();
}

int change_state(const LearnRequest& request, StateFolder& folder, StateLog& log) {
  Done done = request.changes_options     ? change_options_alone(request, folder, log)
              : request.accepts_candidate ? accept_candidate(folder, log)
              : request.renamed.empty()   ? remove_class_of(request, folder, log)
                                          : rename_class_of(request, folder, log);
  if (request.json) {
    done.json["version"] = done.version;
    print_kept(done.json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n",
               done.version);
    return 0;
  }
  if (!done.text.ends_with('\n')) done.text += '\n';
  print_kept(fmt::format("{}state: version {} in {}\n", done.text, done.version,
                         printable(folder.path().string())),
             done.version);
  return 0;
}

int roll_back(const LearnRequest& request, StateFolder& folder, StateLog& log) {
  const int removed = folder.newest();
  const int version = folder.rollback(log.announcing("roll back", {{"removed_version", removed}}));
  if (request.json) {
    const nlohmann::json json = {{"version", version}, {"removed_version", removed}};
    print_kept(json.dump(1) + "\n", version);
  } else {
    print_kept(fmt::format("{}: went back to version {}; version {} is removed\n",
                           printable(request.state), version, removed),
               version);
  }
  return 0;
}

void change_options_of(LearnState& state, const LearnRequest& request) {
  LearnOptions changed = state.options;
  request.change_state(changed);
  for (const std::string& line : adopt(state, changed)) tell_user("gpscl: {}", line);
}

void tell_left_files(const std::vector<std::string>& files) {
  for (const std::string& text : files) {
    tell_user(
        "gpscl: {}; the file still contains images that the state no longer has; remove it "
        "yourself",
        text);
  }
}

void print_kept(const std::string& text, int version) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return;
  throw DataError(fmt::format(
      "standard output cannot be written to, so there is no report; version {} is kept", version));
}

}  // namespace gps::cli
