// What can be typed after gpscl, for completion and for the man page: commands, their options, and
// what the values of these may be. It is read out of the commands as they are registered, out of
// their help, and out of the tables of options and catalogs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gps::cli {

// What may stand at a place of the command line.
struct Values {
  enum class Files { none, files, folders };
  std::vector<std::string> names = {};
  bool is_list = false;  // several of the names, with commas
  Files files = Files::none;

  bool operator==(const Values&) const = default;
};

struct OptionWords {
  std::vector<std::string> spellings;  // "-o", "--output"
  bool takes_value = false;
  Values values = {};
  std::string help = {};  // one line

  const std::string& name() const { return spellings.back(); }
};

struct CommandWords {
  std::string path;     // "run", "probe ring-size"
  std::string summary;  // one line
  std::string help;     // all of it; of a kind of probe: its summary
  std::vector<OptionWords> options;
  std::vector<Values> places = {};  // what stands there without an option, in order
  bool repeats_last = false;        // does the last place take any number of words?
};

// All commands but hidden ones, in the order of the main help; kinds of probe after `probe`.
std::vector<CommandWords> command_words(const CLI::App& app);

// A piece of a help text: an option or a command with its explanation, or lines as they stand.
struct HelpPiece {
  std::string head;  // "--memory N"; empty: lines
  std::string text;
};
std::vector<HelpPiece> help_pieces(const std::string& help);

std::string bash_completion(const std::vector<CommandWords>& commands);
std::string zsh_completion(const std::vector<CommandWords>& commands);
std::string fish_completion(const std::vector<CommandWords>& commands);

// gpscl.1, in the macros of man(7). `help` is the program's.
std::string man_page(const std::string& help, const std::vector<CommandWords>& commands);

}  // namespace gps::cli
