// The words that can be typed after gpscl, for completion and for the man page: commands, their
// options, and the possible values of the options. They are read from the tables of the commands
// (command_table.h; run_options.h and learn_options.h for gpscl run and learn) and the catalogs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gps::cli {

// The possible values at one place of the command line.
struct Values {
  enum class Files { none, files, folders };
  std::vector<std::string> names = {};
  bool is_list = false;  // whether several names, separated by commas, are allowed
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

// A piece of a help text: an option with its explanation, or lines copied as they are.
struct HelpPiece {
  std::string head;  // "--memory N"; empty for copied lines
  std::string text;
};

struct CommandWords {
  std::string path;     // "run", "probe ring-size"
  std::string summary;  // one line
  std::vector<OptionWords> options;
  std::vector<Values> places = {};     // the values of the positional arguments, in order
  bool repeats_last = false;           // whether the last place takes any number of words
  std::vector<HelpPiece> pieces = {};  // the help below its heading, for the man page
};

// Returns all commands except hidden ones, in the order of the main help. The kinds of probe follow
// `probe`.
std::vector<CommandWords> command_words(const CLI::App& app);

// Reads the pieces back from a help text, without its first line, which is the heading.
std::vector<HelpPiece> help_pieces(const std::string& help);

std::string bash_completion(const std::vector<CommandWords>& commands);
std::string zsh_completion(const std::vector<CommandWords>& commands);
std::string fish_completion(const std::vector<CommandWords>& commands);

// Returns gpscl.1, in the macros of man(7). `help` is the help of the program.
std::string man_page(const std::string& help, const std::vector<CommandWords>& commands);

}  // namespace gps::cli
