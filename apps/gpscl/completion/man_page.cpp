// The man page, made from the help of all commands.
#include <fmt/format.h>

#include "completion/command_words.h"
#include "gps/core/text/text.h"
#include "gps/core/version.h"

namespace gps::cli {
namespace {

std::string man_escaped(const std::string& text) {
  std::string result;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const bool starts_line = k == 0 || text[k - 1] == '\n';
    if (starts_line && (text[k] == '.' || text[k] == '\'')) result += "\\&";
    if (text[k] == '\\') {
      result += "\\e";
    } else if (text[k] == '-') {
      result += "\\-";
    } else {
      result += text[k];
    }
  }
  return result;
}

// Removes empty lines at the start and at the end.
std::string trimmed(std::string text) {
  while (text.starts_with('\n')) text.erase(0, 1);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string man_pieces(const std::vector<HelpPiece>& pieces) {
  std::string text;
  for (const HelpPiece& piece : pieces) {
    const std::string lines = trimmed(piece.text);
    if (!piece.head.empty()) {
      text += fmt::format(".TP\n.B {}\n{}\n", man_escaped(piece.head),
                          lines.empty() ? "\\&" : man_escaped(lines));
    } else if (!lines.empty()) {
      text += fmt::format(".PP\n.nf\n{}\n.fi\n", man_escaped(lines));
    }
  }
  return text;
}

constexpr const char* kManEnd = R"(.SH ENVIRONMENT
.TP
.B GPSCL_DATA
A folder with data sets, searched after that of \-\-data.
.TP
.B GPSCL_MIRROR
The source of gpscl data get, like \-\-mirror.
.TP
.B GPSCL_SIMD
The largest instruction set that gpscl's own kernels use: avx3, avx2, sse4, ssse3 or scalar.
.TP
.B XDG_CACHE_HOME
Data sets are kept in its folder gpscl; without it, in ~/.cache/gpscl.
.SH "EXIT STATUS"
0 on success, 2 for a wrong command line, 1 for other errors, 130 and 143 after SIGINT and SIGTERM.
.SH FILES
.TP
.I results/runs.sqlite
The store of all runs, unless \-\-out or \-\-store names another one.
)";

}  // namespace

std::string man_page(const std::string& help, const std::vector<CommandWords>& commands) {
  const std::string title = help.substr(0, help.find('\n'));
  std::string text = fmt::format(
      ".\\\" Made by: gpscl completion man\n.TH GPSCL 1 \"\" \"gpscl {}\" \"User Commands\"\n.SH "
      "NAME\n"
      "gpscl \\- {}\n.SH SYNOPSIS\n.B gpscl\n.I COMMAND\n[\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n",
      kVersion, man_escaped(title.substr(title.find(": ") + 2)));
  text += man_pieces(help_pieces(help));
  text += ".SH COMMANDS\n";
  for (const CommandWords& command : commands) {
    if (command.path.find(' ') != std::string::npos) continue;  // see the help of `probe`
    text += fmt::format(".SS \"gpscl {}\"\n{}.\n", command.path, man_escaped(command.summary));
    text += man_pieces(command.pieces);
  }
  return text + kManEnd;
}

}  // namespace gps::cli
