#include "gps/benchmarks/own_outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "gps/core/errors.h"
#include "gps/core/text/natural_order.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

// The names in natural order, and the number of each.
class Numbering {
 public:
  explicit Numbering(const std::set<std::string>& names) : names_(names.begin(), names.end()) {
    std::sort(names_.begin(), names_.end(), natural_less);
    for (std::size_t k = 0; k < names_.size(); ++k) numbers_[names_[k]] = k;
  }
  const std::vector<std::string>& names() const { return names_; }
  std::size_t operator[](const std::string& name) const { return numbers_.at(name); }

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::size_t> numbers_;
};

// The images of a class in a task.
struct Count {
  std::size_t all = 0;
  std::size_t test = 0;
};

// By task and class. Without tasks, all images are in one.
std::vector<std::vector<Count>> counts_of(const Outline& outline) {
  std::vector<std::vector<Count>> counts(std::max<std::size_t>(outline.task_names.size(), 1),
                                         std::vector<Count>(outline.class_names.size()));
  for (std::size_t i = 0; i < outline.labels.size(); ++i) {
    Count& count = counts[outline.tasks[i]][outline.labels[i]];
    ++count.all;
    if (outline.splits[i] == Split::test) ++count.test;
  }
  return counts;
}

}  // namespace

Outline outline_of(const fs::path& path, const std::vector<ImageFile>& files) {
  std::set<std::string> labels;
  std::set<std::string> tasks;
  const ImageFile& first = files.front();
  for (const ImageFile& file : files) {
    if (file.label.empty()) {
      refuse(path, fmt::format("{} has no class; expected class/image, "
                               "task/class/image, or a column 'label'",
                               file.path.string()));
    }
    if (file.task.empty() != first.task.empty())
      refuse(path, fmt::format(
                       "{} has a task but {} has none; expected a task for all images or for none",
                       (file.task.empty() ? first : file).path.string(),
                       (file.task.empty() ? file : first).path.string()));
    if ((file.split == Split::unsaid) != (first.split == Split::unsaid))
      refuse(path, fmt::format("marks some images as training or test images, but not {}",
                               (file.split == Split::unsaid ? file : first).path.string()));
    labels.insert(file.label);
    if (!file.task.empty()) tasks.insert(file.task);
  }
  check_names(path, files);
  constexpr std::size_t kMostClasses = 65535;
  if (labels.size() > kMostClasses)
    refuse(path, fmt::format("has {} classes; expected at most {}", labels.size(), kMostClasses));
  const Numbering label_numbers(labels);
  const Numbering task_numbers(tasks);
  Outline outline;
  outline.class_names = label_numbers.names();
  outline.task_names = task_numbers.names();
  outline.has_split = first.split != Split::unsaid;
  for (const ImageFile& file : files) {
    outline.labels.push_back(static_cast<Label>(label_numbers[file.label]));
    outline.tasks.push_back(file.task.empty() ? 0 : task_numbers[file.task]);
    outline.splits.push_back(file.split);
  }
  return outline;
}

void check_examples(const fs::path& path, const Outline& outline, std::size_t tasks) {
  const auto counts = counts_of(outline);
  const bool has_tasks = !outline.task_names.empty();
  for (std::size_t t = 0; t < counts.size(); ++t) {
    const std::string of_task =
        has_tasks ? fmt::format(" of task '{}'", outline.task_names[t]) : std::string();
    std::size_t all = 0;
    std::size_t test = 0;
    std::string single;         // the first class with one image
    std::size_t divisible = 0;  // classes with images for training and for testing
    for (std::size_t c = 0; c < counts[t].size(); ++c) {
      const Count& count = counts[t][c];
      all += count.all;
      test += count.test;
      if (count.all > 1) ++divisible;
      const std::string what = fmt::format("class '{}'{}", outline.class_names[c], of_task);
      if (count.all == 1 && single.empty()) single = what;
      if (count.all == 0 && !has_tasks) refuse(path, what + " has no image that can be read");
      if (count.all > 0 && count.all == count.test)
        refuse(path, what + " has only test images; expected some to train on");
    }
    if (all == 0) refuse(path, fmt::format("no image{} can be read", of_task));
    if (outline.has_split && test == 0)
      refuse(path, fmt::format("has no test images{}; mark some, or remove the mark train from all",
                               of_task));
    if (!outline.has_split && divisible < (has_tasks ? 1 : tasks)) {
      refuse(path, single +
                       " has one image; expected a class with at least two in each task, for "
                       "training and for testing");
    }
  }
}

std::vector<std::string> single_images(const Outline& outline) {
  std::vector<std::string> found;
  if (outline.has_split) return found;
  const auto counts = counts_of(outline);
  for (std::size_t t = 0; t < counts.size(); ++t) {
    for (std::size_t c = 0; c < counts[t].size(); ++c) {
      if (counts[t][c].all != 1) continue;
      found.push_back(fmt::format("class '{}'", outline.class_names[c]));
      if (!outline.task_names.empty())
        found.back() += fmt::format(" of task '{}'", outline.task_names[t]);
    }
  }
  return found;
}

}  // namespace gps
