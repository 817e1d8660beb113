// Actions of a command, such as `gpscl data get`: which words and options each of them takes.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "gps/core/errors.h"
#include "gps/core/text/nearest.h"
#include "gps/core/text/text.h"

namespace gps::cli {

template <typename Options>
struct Action {
  std::string name;
  int (*execute)(const Options&);  // returns the exit code
  bool takes_words;
  std::vector<std::string> options = {};  // the options that this action accepts
};

template <typename Options>
struct Actions {
  std::string command;              // "data"
  std::string words_are;            // for messages: "names of sets"
  std::string without_words;        // for messages: how an action without words chooses
  std::vector<std::string> common;  // the options that all actions accept
  std::vector<Action<Options>> all;

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const Action<Options>& action : all) found.push_back(action.name);
    return found;
  }

  // Executes the action of this name. Throws UsageError for an unknown action, and for a word or
  // option that the action would ignore.
  int execute(const std::string& name, const std::vector<std::string>& words,
              const CLI::App& parsed, const Options& options) const {
    for (const Action<Options>& action : all) {
      if (action.name != name) continue;
      check_is_expected(action, words, parsed);
      return action.execute(options);
    }
    throw UsageError(name.empty() ? "no action given; known: " + join(names())
                                  : unknown_name_text("action", name, names()));
  }

 private:
  void check_is_expected(const Action<Options>& action, const std::vector<std::string>& words,
                         const CLI::App& parsed) const {
    const std::string takes_no = "gpscl " + command + " " + action.name + " takes no ";
    if (!action.takes_words && !words.empty())
      throw UsageError(takes_no + "'" + words.front() + "'; " + without_words);
    const auto has = [](const std::vector<std::string>& some, const std::string& one) {
      return std::find(some.begin(), some.end(), one) != some.end();
    };
    for (const CLI::Option* option : parsed.get_options()) {
      if (option->count() == 0 || option->get_positional() || option->get_lnames().empty())
        continue;
      const std::string flag = "--" + option->get_lnames().front();
      if (has(common, flag) || has(action.options, flag)) continue;
      throw UsageError(takes_no + flag + "; it takes " +
                       (action.options.empty() ? words_are : join(action.options)));
    }
  }
};

}  // namespace gps::cli
