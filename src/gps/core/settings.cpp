#include "gps/core/settings.h"

namespace gps {

const OptionValue& value_in(const Settings& settings, const Option& option) {
  const OptionValue* value = settings.find(option.key);
  return value != nullptr ? *value : option.usual;
}

bool is_of_concern(const Option& option, const std::vector<Option>& all, const Settings& settings) {
  if (option.needs_key.empty()) return true;
  const Option* needed = find_option(all, option.needs_key);
  return needed != nullptr && value_in(settings, *needed) == option.needs_value;
}

void check(const Settings& settings, const std::vector<Option>& options,
           const std::function<bool(const std::string& key)>& is_known) {
  for (const auto& [key, value] : settings) {
    if (const Option* option = find_option(options, key)) {
      check(*option, value);
    } else if (!is_known(key)) {
      throw OptionError(detail::flag_for(key), "is not an option");
    }
  }
}

}  // namespace gps
