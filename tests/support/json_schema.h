// Checks JSON against a JSON Schema (draft 2020-12), as far as the schemas of this project go: a
// keyword that is not known here is an error, so that no schema says what nobody checks.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace gps::testing {

class JsonSchema {
 public:
  explicit JsonSchema(nlohmann::json root) : root_(std::move(root)) {}

  // What does not fit the definition of this name, one line each: "/scores/0/task: …".
  std::vector<std::string> problems(const nlohmann::json& value, const std::string& name) const {
    return problems_with(value, root_.at("$defs").at(name), "");
  }
  // The same for the whole schema.
  std::vector<std::string> problems(const nlohmann::json& value) const {
    return problems_with(value, root_, "");
  }

 private:
  using Json = nlohmann::json;

  static bool is_of_type(const Json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    if (type == "number") return value.is_number();
    if (type == "integer") return value.is_number_integer();
    throw std::runtime_error("unknown type " + type);
  }

  static void check_keywords(const Json& schema) {
    static const std::set<std::string> known = {
        "$schema", "$defs", "$ref",     "title",      "description",
        "anyOf",   "enum",  "type",     "minimum",    "maximum",
        "pattern", "items", "required", "properties", "additionalProperties"};
    for (const auto& [key, value] : schema.items()) {
      if (!known.contains(key)) throw std::runtime_error("unknown keyword " + key);
    }
  }

  std::vector<std::string> problems_with(const Json& value, const Json& schema,
                                         const std::string& at) const {
    std::vector<std::string> found;
    if (schema.is_boolean()) {
      if (!schema.get<bool>()) found.push_back(at + ": is not allowed");
      return found;
    }
    check_keywords(schema);
    const auto add = [&](const std::string& problem) { found.push_back(at + ": " + problem); };
    const auto join = [&](const std::vector<std::string>& more) {
      found.insert(found.end(), more.begin(), more.end());
    };
    if (schema.contains("$ref")) {
      const std::string name = schema.at("$ref");
      join(problems_with(value, root_.at(Json::json_pointer(name.substr(1))), at));
    }
    if (schema.contains("anyOf")) {
      const auto& all = schema.at("anyOf");
      if (std::none_of(all.begin(), all.end(),
                       [&](const Json& one) { return problems_with(value, one, at).empty(); }))
        add("fits none of the forms");
    }
    if (schema.contains("enum")) {
      const auto& all = schema.at("enum");
      if (std::find(all.begin(), all.end(), value) == all.end())
        add(value.dump() + " is no member");
    }
    if (schema.contains("type")) {
      const Json& type = schema.at("type");
      const std::vector<std::string> types =
          type.is_array() ? type.get<std::vector<std::string>>()
                          : std::vector<std::string>{type.get<std::string>()};
      if (std::none_of(types.begin(), types.end(),
                       [&](const std::string& one) { return is_of_type(value, one); })) {
        add(value.dump() + " is not of type " + type.dump());
        return found;
      }
    }
    if (value.is_number()) {
      if (schema.contains("minimum") && value < schema.at("minimum"))
        add(value.dump() + " too small");
      if (schema.contains("maximum") && value > schema.at("maximum"))
        add(value.dump() + " too large");
    }
    if (value.is_string() && schema.contains("pattern") &&
        !std::regex_search(value.get<std::string>(),
                           std::regex(schema.at("pattern").get<std::string>())))
      add(value.dump() + " does not match");
    if (value.is_array() && schema.contains("items")) {
      for (std::size_t k = 0; k < value.size(); ++k)
        join(problems_with(value[k], schema.at("items"), fmt::format("{}/{}", at, k)));
    }
    if (!value.is_object()) return found;
    for (const Json& key : schema.value("required", Json::array())) {
      if (!value.contains(key.get<std::string>())) add("lacks " + key.dump());
    }
    const Json properties = schema.value("properties", Json::object());
    for (const auto& [key, member] : value.items()) {
      const std::string below = at + "/" + key;
      if (properties.contains(key)) {
        join(problems_with(member, properties.at(key), below));
      } else if (schema.contains("additionalProperties")) {
        join(problems_with(member, schema.at("additionalProperties"), below));
      }
    }
    return found;
  }

  Json root_;
};

}  // namespace gps::testing
