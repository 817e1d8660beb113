#include "gps/data/images/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>

#include "gps/core/text/normal_form.h"
#include "gps/core/text/text.h"

namespace gps {
namespace {

constexpr std::size_t kMostNamed = 5;

// "a, b, c", and how many more there are.
std::string some_of(std::vector<std::string> words) {
  const std::size_t all = words.size();
  words.resize(std::min(all, kMostNamed));
  return join(words) + (all > kMostNamed ? fmt::format(" and {} more", all - kMostNamed) : "");
}

}  // namespace

std::string similar_names_text(const std::vector<std::string>& classes, std::size_t first_new) {
  std::map<std::string, std::vector<std::size_t>> alike;
  for (std::size_t k = 0; k < classes.size(); ++k) alike[without_case(classes[k])].push_back(k);
  std::vector<std::string> names;
  for (const auto& [name, group] : alike) {
    if (group.size() < 2 || group.back() < first_new) continue;
    for (const std::size_t k : group) names.push_back(fmt::format("'{}'", classes[k]));
  }
  if (names.empty()) return {};
  return fmt::format(
      "different classes have names that differ only in letter case or blanks: {}; rename them if "
      "they are one class",
      some_of(names));
}

std::string same_images_text(std::span<const ImageFile> files,
                             std::span<const std::uint64_t> hashes) {
  assert(files.size() == hashes.size());
  std::map<std::uint64_t, std::size_t> first;  // the first file with each content
  std::map<std::uint64_t, std::size_t> other;  // the first with another label
  for (std::size_t k = 0; k < files.size(); ++k) {
    if (hashes[k] == 0) continue;
    const auto [at, is_new] = first.emplace(hashes[k], k);
    if (!is_new && files[at->second].label != files[k].label) other.emplace(hashes[k], k);
  }
  if (other.empty()) return {};
  const auto example = std::min_element(
      other.begin(), other.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return fmt::format("{} appear{} under more than one label, for example {} and {}",
                     other.size() == 1 ? "1 image" : fmt::format("{} images", other.size()),
                     other.size() == 1 ? "s" : "", files[first.at(example->first)].path.string(),
                     files[example->second].path.string());
}

std::string single_images_text(const std::vector<std::string>& classes) {
  if (classes.empty()) return {};
  if (classes.size() == 1)
    return classes[0] + " has one image, which is used for training and not for testing";
  return fmt::format(
      "{} classes have one image each, which is used for training and not for "
      "testing: {}",
      classes.size(), some_of(classes));
}

}  // namespace gps
