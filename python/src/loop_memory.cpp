#include "loop_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "gps/core/hash.h"
#include "gps/policies/catalog.h"

namespace gps::python {
namespace {

constexpr std::uint32_t kFormat = 1;
constexpr std::size_t kMostRowBytes = std::size_t{1} << 40;
constexpr const char* kForeign =
    "the state is damaged, or is not one of a memory (its checksum differs)";

// Policies see no pixels here, so images have no size.
constexpr ImageShape kNoShape{1, 0, 0};

std::unique_ptr<MemoryPolicy> make(const LoopOptions& options) {
  const PolicyOptions& policy = options.policy;
  if (policy.name != "gps") return make_policy(policy, {options.batch, nullptr});
  SimulationNeeds needs;
  needs.tasks = options.tasks;
  needs.memory = 0;
  needs.training.batch = options.batch;
  return std::make_unique<AskedGps>(simulation_options(policy.settings, needs));
}

void check_options(const LoopOptions& options) {
  validate(options.policy);
  const std::string& name = options.policy.name;
  const auto text = [&](const std::string& key) {
    return std::get<std::string>(setting_of(options.policy, key));
  };
  const bool rebuilds = name == "mixed" || name == "gps";
  if (rebuilds && text("base") == "curriculum")
    throw UsageError(fmt::format(
        "policy '{}' with `base` curriculum looks at the network, which a gpscl.Memory does not "
        "see; use `base` random",
        name));
  if (name == "gps" && text("future") == "offline")
    throw UsageError(
        "the future 'offline' is that of a benchmark; give Simulation a callable instead");
  if (name == "gps" && text("in_task") == "running")
    throw UsageError("policy 'gps' with `in_task` running is not available here; use strict");
  if (options.examples == 0 && options.bytes == 0)
    throw UsageError("budget must be at least 1 example, got 0");
  if (options.examples > std::numeric_limits<std::uint32_t>::max())
    throw UsageError(fmt::format("budget must be below 2^32 examples, got {}", options.examples));
}

}  // namespace

std::uint64_t budget_in_bytes(const std::string& text) {
  const auto count = parse_byte_count(text);
  if (!count || count->bytes == 0)
    throw UsageError(fmt::format(
        "budget must be a number of examples or of bytes such as '784kB', '2MB' or '64MiB', got "
        "'{}'",
        text));
  return count->bytes;
}

LoopMemory::LoopMemory(LoopOptions options)
    : options_(std::move(options)), rng_(options_.seed), for_learner_(0), for_policy_(0) {
  check_options(options_);
  policy_ = make(options_);
  asked_ = dynamic_cast<AskedGps*>(policy_.get());
  has_usual_examples_ = asked_ != nullptr && asked_->options().examples == 0;
  const auto* const rebuilding = dynamic_cast<RebuildingPolicy*>(policy_.get());
  const std::string& name = options_.policy.name;
  if (policy_->as_watching() != nullptr && rebuilding == nullptr)
    throw UsageError(
        fmt::format("policy '{}' looks at the network, which a gpscl.Memory does not see; use "
                    "reservoir, ring-full, hybrid, mixed, one-batch or gps",
                    name));
  rebuilds_ = rebuilding != nullptr || name == "one-batch";
  watches_steps_ = !rebuilds_ || (name == "mixed" && setting_of(options_.policy, "in_task") ==
                                                         OptionValue(std::string("running")));
  grows_ = name == "hybrid" || (name == "ring-full" && setting_of(options_.policy, "ring_quota") ==
                                                           OptionValue(std::string("deal")));
  begin_epoch();
}

std::string LoopMemory::policy_text() const { return policy_label(options_.policy); }

std::optional<std::size_t> LoopMemory::capacity() const {
  if (memory_) return memory_->capacity();
  if (options_.examples > 0) return options_.examples;
  return std::nullopt;
}

std::uint64_t LoopMemory::bytes() const {
  if (!memory_) return 0;
  const std::size_t each = holds_ == Holds::rows ? row_bytes_ : options_.row_bytes;
  return memory_->size() * (each + kBookkeepingBytes);
}

const std::vector<Example>& LoopMemory::examples() const {
  static const std::vector<Example> none;
  return memory_ ? memory_->examples() : none;
}

std::vector<std::uint32_t> LoopMemory::order(std::size_t n) const {
  return task_rng().fork("order", epoch_).permutation(n);
}

void LoopMemory::begin_epoch() {
  for_learner_ = task_rng().fork("learner", epoch_);
  for_policy_ = task_rng().fork("policy", epoch_);
}

int LoopMemory::classes() const {
  return options_.classes > 0 ? options_.classes : static_cast<int>(labels_seen_);
}

// Makes the memory, as soon as the size of a row is known.
void LoopMemory::open(Holds holds, std::size_t row_bytes) {
  if (memory_) return;
  std::size_t capacity = options_.examples;
  if (capacity == 0) {
    const std::size_t counted = holds == Holds::rows ? row_bytes : options_.row_bytes;
    if (holds == Holds::indices && counted == 0)
      throw UsageError(fmt::format(
          "a budget of {} needs the size of a row: give observe() the rows x, or the memory "
          "row_bytes",
          text_of(ByteCount{options_.bytes})));
    const std::size_t each = counted + kBookkeepingBytes;
    if (options_.bytes < each)
      throw UsageError(
          fmt::format("budget must be at least {}, got {}: one example takes {} bytes for its row "
                      "and {} for its label, task and number",
                      text_of(ByteCount{each}), text_of(ByteCount{options_.bytes}), counted,
                      kBookkeepingBytes));
    capacity = static_cast<std::size_t>(options_.bytes / each);
  }
  holds_ = holds;
  row_bytes_ = holds == Holds::rows ? row_bytes : 0;
  memory_.emplace(capacity, row_bytes_);
  if (has_usual_examples_) asked_->set_examples(capacity);
}

// Rows are in the order of begin_task(); without it, in that of their indices.
Task LoopMemory::known_task() const {
  std::vector<std::pair<std::uint32_t, Label>> rows;
  for (std::size_t row = 0; row < ids_.size(); ++row) rows.emplace_back(ids_[row], labels_[row]);
  if (!is_known_) std::sort(rows.begin(), rows.end());
  std::vector<std::uint32_t> ids;
  std::vector<Label> labels;
  for (const auto& [id, label] : rows) {
    ids.push_back(id);
    labels.push_back(label);
  }
  return {task_, Dataset::without_images(kNoShape, labels, ids, classes())};
}

// Stands for a task of which only the classes are known: each has enough examples for any share.
Task LoopMemory::growing_task() const {
  std::vector<Label> labels;
  const auto present = static_cast<std::size_t>(
      std::count(is_class_of_task_.begin(), is_class_of_task_.end(), true));
  const std::size_t each = present == 0 ? 0 : memory_->capacity() / present + 1;
  for (std::size_t label = 0; label < is_class_of_task_.size(); ++label) {
    if (is_class_of_task_[label]) labels.insert(labels.end(), each, static_cast<Label>(label));
  }
  std::vector<std::uint32_t> ids(labels.size());
  std::iota(ids.begin(), ids.end(), 0u);
  return {task_, Dataset::without_images(kNoShape, labels, ids, classes())};
}

Task LoopMemory::task_so_far() const {
  return grows_ && !is_known_ ? growing_task() : known_task();
}

void LoopMemory::begin(Memory& memory) {
  policy_->begin_task(memory, task_so_far(), task_rng().fork("begin"));
}

void LoopMemory::check_can_change() const {
  if (ending_ || is_choosing_)
    throw UsageError(fmt::format("task {} is about to end: wait until end_task() returns", task_));
}

void LoopMemory::check_labels(std::span<const Label> labels) const {
  if (options_.classes == 0) return;
  for (const Label label : labels) {
    if (label >= options_.classes)
      throw UsageError(fmt::format("label {} is not below classes ({})", label, options_.classes));
  }
}

void LoopMemory::begin_task(std::vector<Label> labels, std::vector<std::uint32_t> ids) {
  check_can_change();
  if (has_begun_)
    throw UsageError(fmt::format("task {} has begun: call end_task() before begin_task()", task_));
  if (labels.empty()) throw UsageError("begin_task() needs at least one label");
  check_labels(labels);
  std::vector<std::uint32_t> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    throw UsageError(fmt::format("index {} is there twice in begin_task()", *twice));
  is_known_ = true;
  labels_ = std::move(labels);
  ids_ = std::move(ids);
  for (const Label label : labels_) {
    labels_seen_ = std::max<std::uint32_t>(labels_seen_, label + 1u);
    if (label >= is_class_of_task_.size()) is_class_of_task_.resize(label + 1u, false);
    is_class_of_task_[label] = true;
  }
  if (rebuilds_) {
    for (std::size_t row = 0; row < ids_.size(); ++row) row_of_[ids_[row]] = row;
  }
  has_begun_ = true;
  if (!memory_) return;
  begin(*memory_);  // now, so that what is sampled before the first step is what a run replays
  has_started_ = true;
}

void LoopMemory::check_rows(const Offered& batch) const {
  const bool has_rows = batch.rows != nullptr;
  if (holds_ == Holds::indices && has_rows)
    throw UsageError(
        "this memory holds indices: its first batch came without rows, so x must be left out");
  if (holds_ == Holds::rows && has_rows && batch.row_bytes != row_bytes_)
    throw UsageError(
        fmt::format("a row of x has {} bytes, those before had {}", batch.row_bytes, row_bytes_));
  if (holds_ == Holds::rows && !has_rows && watches_steps_)
    throw UsageError("this memory holds rows: observe() needs the rows x of every batch");
}

// Labels and ids of the batch must be those that are known already.
void LoopMemory::check_known(const Offered& batch) const {
  for (std::size_t k = 0; k < batch.ids.size(); ++k) {
    const Label label = batch.labels[k];
    if (is_known_ && (label >= is_class_of_task_.size() || !is_class_of_task_[label]))
      throw UsageError(
          fmt::format("label {} is not among the labels given to begin_task()", label));
    if (!rebuilds_) continue;
    const auto at = row_of_.find(batch.ids[k]);
    if (at == row_of_.end()) {
      if (is_known_)
        throw UsageError(
            fmt::format("index {} is not among those given to begin_task()", batch.ids[k]));
    } else if (labels_[at->second] != label) {
      throw UsageError(fmt::format("index {} has the label {} now, and had {} before", batch.ids[k],
                                   label, labels_[at->second]));
    }
  }
}

void LoopMemory::record(const Offered& batch) {
  for (std::size_t k = 0; k < batch.ids.size(); ++k) {
    const std::uint32_t id = batch.ids[k];
    if (!is_known_ && row_of_.try_emplace(id, ids_.size()).second) {
      ids_.push_back(id);
      labels_.push_back(batch.labels[k]);
    }
    if (batch.rows == nullptr || staged_.contains(id)) continue;
    staged_[id] = store_image({batch.rows + k * batch.row_bytes, batch.row_bytes});
  }
}

// Tells the policy of classes that this batch brings.
void LoopMemory::make_room_for(std::span<const Label> labels) {
  bool is_new = false;
  for (const Label label : labels) {
    if (label >= is_class_of_task_.size()) is_class_of_task_.resize(label + 1u, false);
    is_new = is_new || !is_class_of_task_[label];
    is_class_of_task_[label] = true;
  }
  if (is_new && has_started_ && grows_ && !is_known_) begin(*memory_);
}

void LoopMemory::observe(const Offered& batch) {
  check_can_change();
  if (batch.ids.size() != batch.labels.size())
    throw UsageError(fmt::format("observe() got {} indices for {} labels", batch.ids.size(),
                                 batch.labels.size()));
  if (batch.ids.empty()) return;
  check_labels(batch.labels);
  check_rows(batch);
  check_known(batch);
  const bool must_know = watches_steps_ && !grows_ && options_.policy.name != "reservoir";
  if (must_know && !is_known_)
    throw UsageError(fmt::format(
        "policy '{}' must know the labels of a task before it begins: call begin_task(labels)",
        policy_text()));
  if (batch.rows != nullptr) {
    open(Holds::rows, batch.row_bytes);
  } else if (watches_steps_ || holds_ == Holds::indices) {
    open(Holds::indices, 0);
  }
  has_begun_ = true;
  observed_ += batch.ids.size();
  for (const Label label : batch.labels)
    labels_seen_ = std::max<std::uint32_t>(labels_seen_, label + 1u);
  make_room_for(batch.labels);
  if (rebuilds_) record(batch);
  if (!watches_steps_) return;
  if (!has_started_) begin(*memory_);
  has_started_ = true;
  Batch rows;
  rows.task = task_;
  rows.labels.assign(batch.labels.begin(), batch.labels.end());
  rows.ids.assign(batch.ids.begin(), batch.ids.end());
  rows.images.resize(batch.ids.size());
  for (std::size_t k = 0; k < rows.images.size(); ++k)
    rows.images[k] = batch.rows == nullptr ? nullptr : batch.rows + k * batch.row_bytes;
  policy_->observe(*memory_, rows, for_policy_);
}

void LoopMemory::end_epoch() {
  check_can_change();
  if (!has_begun_)
    throw UsageError(fmt::format("task {} has not begun: nothing was observed", task_));
  ++epoch_;
  begin_epoch();
}

std::uint32_t LoopMemory::first_id() const {
  if (ids_.empty())
    throw UsageError(fmt::format("task {} has no example: nothing was observed", task_));
  return *std::min_element(ids_.begin(), ids_.end());
}

void LoopMemory::undo(const Ending& ending) {
  if (asked_ != nullptr) asked_->ask({});
  Archive archive(ending.policy_before);
  policy_->persist(archive);
  if (ending.was_open) return;
  memory_.reset();
  holds_ = Holds::unknown;
  row_bytes_ = 0;
}

std::vector<std::uint32_t> LoopMemory::choose(Holds holds, std::size_t row_bytes,
                                              const AskOutcome& ask) {
  check_can_change();
  if (!has_begun_)
    throw UsageError(fmt::format("task {} has no example: nothing was observed", task_));
  if (searches() && !ask)
    throw UsageError(
        "policy 'gps' chooses by simulation: give end_task() one, such as "
        "gpscl.torch.Simulation(model, make_optimizer, criterion)");
  const bool was_open = memory_.has_value();
  open(was_open ? holds_ : holds, row_bytes);
  Archive before;
  policy_->persist(before);
  Ending ending{*memory_, {}, before.bytes(), was_open};
  is_choosing_ = true;
  try {
    if (asked_ != nullptr) asked_->ask(ask);
    if (!has_started_) begin(ending.memory);
    const NoLearner learner;
    tell_end(*policy_, ending.memory, task_so_far(), learner, task_rng().fork("end"));
  } catch (...) {
    is_choosing_ = false;
    undo(ending);
    throw;
  }
  is_choosing_ = false;
  if (asked_ != nullptr) asked_->ask({});
  std::vector<std::uint32_t> missing;
  for (std::size_t slot = 0; holds_ == Holds::rows && slot < ending.memory.size(); ++slot) {
    const Example& example = ending.memory[slot];
    if (example.image != nullptr) continue;
    const auto at = staged_.find(example.id);
    if (at == staged_.end()) {
      ending.missing.push_back(slot);
      missing.push_back(example.id);
      continue;
    }
    Example complete = example;
    complete.image = at->second;
    ending.memory.replace(slot, std::move(complete));
  }
  ending_ = std::move(ending);
  return missing;
}

void LoopMemory::finish(std::span<const std::uint8_t> rows) {
  Ending& ending = ending_.value();
  if (rows.size() != ending.missing.size() * row_bytes_) {
    const std::size_t wanted = ending.missing.size() * row_bytes_;
    cancel();
    throw UsageError(
        fmt::format("the rows of task {} have {} bytes, must have {}", task_, rows.size(), wanted));
  }
  for (std::size_t k = 0; k < ending.missing.size(); ++k) {
    Example complete = ending.memory[ending.missing[k]];
    complete.image = store_image(rows.subspan(k * row_bytes_, row_bytes_));
    ending.memory.replace(ending.missing[k], std::move(complete));
  }
  memory_ = std::move(ending.memory);
  ending_.reset();
  ++task_;
  epoch_ = 1;
  begin_epoch();
  has_begun_ = false;
  has_started_ = false;
  observed_ = 0;
  is_known_ = false;
  ids_.clear();
  labels_.clear();
  row_of_.clear();
  is_class_of_task_.clear();
  staged_.clear();
}

void LoopMemory::cancel() {
  if (!ending_) return;
  undo(*ending_);
  ending_.reset();
}

std::vector<std::uint32_t> LoopMemory::draw(std::size_t n) {
  if (size() == 0) throw UsageError("the memory is empty: there is nothing to sample");
  std::vector<std::uint32_t> slots;
  for_learner_.distinct(std::min(n, size()), size(), slots);
  return slots;
}

void LoopMemory::gather(std::span<const std::int64_t> slots, std::span<std::uint8_t> out) const {
  for (std::size_t k = 0; k < slots.size(); ++k) {
    if (slots[k] < 0 || static_cast<std::size_t>(slots[k]) >= size())
      throw UsageError(fmt::format("slot {} is not between 0 and {}", slots[k], size()));
    std::memcpy(out.data() + k * row_bytes_,
                (*memory_)[static_cast<std::size_t>(slots[k])].image.get(), row_bytes_);
  }
}

void LoopMemory::gather_staged(std::span<const std::uint32_t> ids,
                               std::span<std::uint8_t> out) const {
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const auto at = staged_.find(ids[k]);
    if (at == staged_.end())
      throw UsageError(fmt::format(
          "the row of index {} is not known: give end_task() the examples of the task, or "
          "observe() the rows x",
          ids[k]));
    std::memcpy(out.data() + k * row_bytes_, at->second.get(), row_bytes_);
  }
}

void LoopMemory::persist(Archive& archive) {
  archive.section("loop memory");
  archive.same(kFormat, "format");
  archive.between(holds_, Holds::unknown, Holds::rows, "what the memory holds");
  archive.between(row_bytes_, 0, kMostRowBytes, "size of a row");
  archive.between(task_, 1, std::numeric_limits<int>::max() - 1, "task");
  archive.between(epoch_, 1, std::numeric_limits<int>::max() - 1, "epoch");
  archive(for_learner_, for_policy_, has_begun_, has_started_, observed_);
  archive.between(labels_seen_, 0, 65536, "number of labels");
  archive(is_known_, ids_);
  archive.sized(labels_, ids_.size(), "list of labels");
  for (const Label label : labels_)
    Archive::require(label < labels_seen_, "a label of the task was not seen");
  archive(is_class_of_task_);
  Archive::require(is_class_of_task_.size() <= labels_seen_, "a class of the task was not seen");
  bool is_open = memory_.has_value();
  archive(is_open);
  if (archive.is_reading() && is_open) {
    Archive::require(holds_ != Holds::unknown, "a memory that holds nothing");
    const std::size_t row_bytes = row_bytes_;
    open(holds_, row_bytes);
  }
  if (is_open) memory_->persist(archive, {0, 65536, task_});
  policy_->persist(archive);
  if (archive.is_reading() && is_open) policy_->check_fits(*memory_);

  std::vector<std::uint32_t> staged;
  for (const auto& [id, row] : staged_) staged.push_back(id);
  std::sort(staged.begin(), staged.end());  // the same bytes for the same state
  archive(staged);
  std::vector<std::uint8_t> row(row_bytes_);
  for (const std::uint32_t id : staged) {
    if (!archive.is_reading()) std::copy_n(staged_.at(id).get(), row.size(), row.data());
    archive.in_place(std::span(row));
    if (archive.is_reading()) staged_[id] = store_image(row);
  }
  if (archive.is_reading() && rebuilds_) {
    for (std::size_t k = 0; k < ids_.size(); ++k) row_of_[ids_[k]] = k;
    Archive::require(row_of_.size() == ids_.size(), "an index is there twice");
  }
}

std::string LoopMemory::save() const {
  check_can_change();
  Archive archive;
  const_cast<LoopMemory*>(this)->persist(archive);  // writing changes nothing
  std::uint64_t checksum = hash64(archive.bytes());
  Archive whole;
  std::string bytes = archive.bytes();
  whole(checksum, bytes);
  return whole.bytes();
}

LoopMemory LoopMemory::restored(const LoopOptions& options, const std::string& bytes) {
  Archive whole(bytes);
  std::uint64_t checksum = 0;
  std::string inner;
  whole(checksum, inner);
  whole.finish();
  if (hash64(inner) != checksum) throw DataError(kForeign);
  LoopMemory memory(options);
  Archive archive(std::move(inner));
  memory.persist(archive);
  archive.finish();
  return memory;
}

}  // namespace gps::python
