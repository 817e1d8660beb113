// The options that a plug-in was given: values by key.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gps/core/option.h"

namespace gps {

// The values of a plug-in's options by key. An absent key means the default.
class Settings {
 public:
  OptionValue& operator[](const std::string& key) { return values_[key]; }
  const OptionValue* find(std::string_view key) const {
    const auto at = values_.find(key);
    return at == values_.end() ? nullptr : &at->second;
  }
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  void erase(std::string_view key) {
    if (const auto at = values_.find(key); at != values_.end()) values_.erase(at);
  }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  bool operator==(const Settings&) const = default;

 private:
  std::map<std::string, OptionValue, std::less<>> values_;
};

// Returns the value of the option in these settings, or its default.
const OptionValue& value_in(const Settings& settings, const Option& option);

// Returns whether the option applies in these settings (Option::needs_key). `all` are the options
// of its plug-in.
bool is_of_concern(const Option& option, const std::vector<Option>& all, const Settings& settings);

// Throws OptionError if a value is invalid for its option, or if a key is neither in `options` nor
// accepted by `is_known`.
void check(const Settings& settings, const std::vector<Option>& options,
           const std::function<bool(const std::string& key)>& is_known);

}  // namespace gps
