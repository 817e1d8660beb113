// Options as data. An option is one row of a table: its key, flag, kind, range, default and help.
// The row determines how the option is read (from the command line, a sweep or a result), checked,
// printed and explained. option_table.h makes rows of the members of a struct.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gps/core/errors.h"
#include "gps/core/text/byte_count.h"

namespace gps {

using OptionValue = std::variant<bool, int, double, std::string, std::vector<int>,
                                 std::vector<double>, std::uint64_t, ByteCount>;

// Returns the spelling on the command line and in sweeps: "0.1", "100,100", "none" for an empty
// list, "784kB" for a number of bytes.
std::string text_of(const OptionValue& value);

enum class OptionKind {
  flag,    // bool
  whole,   // int
  large,   // std::uint64_t: whole numbers that need 64 bits, such as seeds
  real,    // double
  name,    // std::string, one of `names`
  text,    // std::string
  wholes,  // std::vector<int>
  reals,   // std::vector<double>
  size,    // int, a number of things, or ByteCount, the bytes that they may take
};

// A default that the paper gives for some streams or learners, where it is not the usual one.
struct PaperValue {
  std::string stream;   // such as "s-cifar-10"; "": every stream
  std::string learner;  // such as "der++"; "": every learner
  OptionValue value;
};

struct Option {
  std::string key;   // in results: "learning_rate"
  std::string flag;  // on the command line and in sweeps, without dashes: "lr"
  OptionKind kind = OptionKind::whole;
  OptionValue usual = {};
  std::string help = {};
  // Where the paper has another default than `usual`. The first row that fits is the one that
  // holds.
  std::vector<PaperValue> in_paper = {};
  // The default shown in the help, if it is none of these: "= `batch`".
  std::string usual_text = {};
  std::string value_name = {};  // for the help: "N", "X", "sum|concat"
  std::vector<std::string> names = {};
  std::map<std::string, std::string> short_names = {};  // for tight spaces: {"cur", "curriculum"}
  double least = -std::numeric_limits<double>::infinity();  // of a number or of each list element
  double most = std::numeric_limits<double>::infinity();
  bool excludes_least = false;
  bool excludes_most = false;
  bool is_single = false;  // a real number stored in single precision
  bool is_silent = false;  // results mention it only if it is not the default
  // The option applies only if another option of the same plug-in has this value. Empty: always.
  std::string needs_key = {};
  OptionValue needs_value = {};
  std::string letter = {};  // short form on the command line, without its dash: "o"
  // The names that shells offer where not only `names` are possible, and whether the value may be
  // several names with commas between them.
  std::vector<std::string> offered = {};
  bool is_list = false;
};

// An option has an invalid value or does not apply. All messages of the library name options
// between backticks: "`memory` must be at least 1, got 0". The program prints --memory instead.
class OptionError : public UsageError {
 public:
  OptionError(const std::string& flag, const std::string& problem)
      : UsageError("`" + flag + "` " + problem), flag_(flag), problem_(problem) {}
  const std::string& flag() const { return flag_; }
  const std::string& problem() const { return problem_; }

 private:
  std::string flag_;
  std::string problem_;
};

// Parses the text as a value of the option. For a flag, "true" stands for the opposite of the
// default. Throws OptionError if the text is not a value of this kind. Does not check the range;
// check() does.
OptionValue parse(const Option& option, const std::string& text);

// Throws OptionError for a value of the wrong kind or out of range.
void check(const Option& option, const OptionValue& value);

// Returns the same form for all equal values: 1 and 1.0 are the same real number, and a real number
// in single precision becomes its shortest decimal.
OptionValue normalised(const Option& option, const OptionValue& value);

nlohmann::json to_json(const OptionValue& value);
// Returns the key of a value in JSON. That of a ByteCount ends in "_bytes", so that a number under
// the option's own key is always a number of things.
std::string key_of(const Option& option, const OptionValue& value);
// Throws OptionError for a value of the wrong kind.
OptionValue value_from(const Option& option, const nlohmann::json& json);

// Parse the whole text as a whole number or a finite number, in the C locale. A whole number may
// have an exponent: 1e3 is 1000. `what` is for the message: "{flag} must be {what}, got '…'".
int parse_whole(const std::string& flag, std::string_view text,
                const char* what = "a whole number");
double parse_real(const std::string& flag, std::string_view text, const char* what = "a number");

// Returns the default of the option in the paper, for this stream and learner: `usual` if no row of
// in_paper fits.
const OptionValue& paper_value(const Option& option, const std::string& stream,
                               const std::string& learner);

// Returns the row with this key, or null.
const Option* find_option(const std::vector<Option>& options, std::string_view key);

namespace detail {

// Returns the shortest decimal that rounds to the same float: 0.1, not 0.10000000149.
double shortest(float value);

std::string flag_for(const std::string& key);

}  // namespace detail

// Concatenates the rows of several tables.
inline std::vector<Option> operator+(std::vector<Option> some, const std::vector<Option>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

}  // namespace gps
