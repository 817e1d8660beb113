// Files as version 0.1.0 (commit caf207f) wrote them, as text. The rows of the store are its own,
// but for host, process and times:
//
//   gpscl run p-fashion-mnist --tasks 2 --policy gps …
//   gpscl run s-fashion-mnist --tasks 2 --learner der …
//   gpscl run p-fashion-mnist --tasks 2 --lr 1e30 …
//   gpscl probe ring-size p-fashion-mnist --tasks 2 --points 2 --seeds 1 --score-examples 10 …
//
// with --hidden 4 --epochs 1 --examples-per-task 40 --memory 10. The options of the state are its
// own, too. Its numbers are chosen; gpscl 0.1.0 read it, and predicted what the tests expect.
#pragma once

#include <zlib.h>

#include <bit>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gps/core/files/sqlite.h"

namespace gps::testing {
namespace version_010 {

inline constexpr const char* kSchema =
    "CREATE TABLE runs (id INTEGER PRIMARY KEY, hash TEXT NOT NULL, spec TEXT NOT NULL, seed "
    "INTEGER NOT NULL, version TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('running', "
    "'done', 'failed', 'interrupted')), benchmark TEXT NOT NULL, learner TEXT NOT NULL, policy "
    "TEXT NOT NULL, label TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, process_start "
    "TEXT NOT NULL, heartbeat REAL NOT NULL, error TEXT, result TEXT, accuracy REAL, seconds REAL, "
    "started REAL NOT NULL, finished REAL, UNIQUE (spec, seed));"
    "CREATE INDEX runs_by_status ON runs (status);"
    "CREATE INDEX runs_by_kind ON runs (benchmark, learner, policy);"
    "CREATE TABLE analyses (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, hash TEXT NOT NULL, "
    "options TEXT NOT NULL, seed INTEGER NOT NULL, version TEXT NOT NULL, result TEXT NOT NULL, "
    "seconds REAL NOT NULL, finished REAL NOT NULL, UNIQUE (kind, options, seed));"
    "PRAGMA application_id = 1735422819; PRAGMA user_version = 2";

inline constexpr const char* kPermutedRun =
    R"(INSERT INTO runs VALUES(1, '93eeb24b', '{"batch":10,"benchmark":"p-fashion-mnist",)"
    R"("epochs":1,"er_loss":"sum","examples_per_task":40,"future":"permutation","hidden":[4],)"
    R"("imbalance":1.0,"in_task":"strict","initialisation":"xavier","knows_length":true,)"
    R"("lambda":1.0,"largest_stride":0,"learner":"er","learning_rate":0.1,"memory":10,)"
    R"("memory_batch":10,"objective":"accuracy","policy":"gps","reuse":0.25,"score":"natural",)"
    R"("score_examples":2000,"simulation_epochs":1,"simulation_examples":10,)"
    R"("smallest_stride":0,"stride":0,"tasks":2,"window":0}', 0, '0.1.0', 'done', )"
    R"('p-fashion-mnist', 'er', 'gps', 'gps:permutation', 'host', 1, 'start', 1700000001.5, )"
    R"(NULL, '{"accuracy":[[0.1,0.1],[0.1002,0.098]],"accuracy_at_initialisation":[0.1191,)"
    R"(0.105],"class_accuracy":[[0.1,0.1],[0.1002,0.098]],"memory":[{"after_task":1,)"
    R"("tasks":[{"reservoir":[0,2,0,0,1,1,0,1,1,0],"ring":[0,0,0,1,1,0,0,0,1,1],"task":1}]},)"
    R"({"after_task":2,"tasks":[{"reservoir":[0,0,0,0,0,0,0,0,1,0],"ring":[0,0,0,1,1,0,0,0,1,)"
    R"(1],"task":1},{"reservoir":[1,0,0,0,0,0,0,2,0,0],"ring":[0,0,0,1,0,1,0,0,0,0],)"
    R"("task":2}]}],"metrics":{"average_accuracy":0.0991,"average_class_accuracy":0.0991,)"
    R"("average_incremental_accuracy":0.09955,"backward_transfer":0.00019999999999999185,)"
    R"("forgetting":-0.00019999999999999185,"forward_transfer":-0.0049999999999999906,)"
    R"("learning_accuracy":0.099},"peak_memory_bytes":97452032,)"
    R"("scenario":"domain-incremental","schema":1,"seconds":{"evaluation":0.196273991,)"
    R"("simulation":0.000282711,"training":0.000214321},"seed":0,"spec":{"batch":10,)"
    R"("benchmark":"p-fashion-mnist","epochs":1,"er_loss":"sum","examples_per_task":40,)"
    R"("future":"permutation","hidden":[4],"imbalance":1.0,"in_task":"strict",)"
    R"("initialisation":"xavier","knows_length":true,"lambda":1.0,"largest_stride":0,)"
    R"("learner":"er","learning_rate":0.1,"memory":10,"memory_batch":10,)"
    R"("objective":"accuracy","policy":"gps","reuse":0.25,"score":"natural",)"
    R"("score_examples":2000,"simulation_epochs":1,"simulation_examples":10,)"
    R"("smallest_stride":0,"stride":0,"tasks":2,"window":0},"steps":8,)"
    R"("switching_points":[{"probes":[{"accuracy":0.2,"loss":2.2985549569129944,)"
    R"("ring_size":5},{"accuracy":0.2,"loss":2.2969736456871033,"ring_size":4},)"
    R"({"accuracy":0.2,"loss":2.2985308527946473,"ring_size":6}],"quota":10,"ring_size":4,)"
    R"("task":1},{"probes":[],"quota":5,"ring_size":2,"task":2}],"version":"0.1.0"}', 0.0991, )"
    R"(1.0, 1700000000.5, 1700000001.5);)";

inline constexpr const char* kSplitRun =
    R"(INSERT INTO runs VALUES(2, '07dd4ff5', '{"alpha":0.5,"batch":10,)"
    R"("benchmark":"s-fashion-mnist","der_logits":"step","epochs":1,"examples_per_task":40,)"
    R"("hidden":[4],"imbalance":1.0,"initialisation":"xavier","learner":"der",)"
    R"("learning_rate":0.1,"memory":10,"memory_batch":10,"policy":"reservoir","tasks":2}', 0, )"
    R"('0.1.0', 'done', 's-fashion-mnist', 'der', 'reservoir', 'reservoir', 'host', 1, )"
    R"('start', 1700000001.5, NULL, '{"accuracy":[[0.1976,0.2196],[0.1502,0.2176]],)"
    R"("accuracy_at_initialisation":[0.199,0.225],"class_accuracy":[[0.1976,)"
    R"(0.21959999999999996],[0.1502,0.21760000000000002]],)"
    R"("class_incremental":{"accuracy":[[0.1976,0.0002],[0.0336,0.0556]],)"
    R"("accuracy_at_initialisation":[0.1932,0.045],"metrics":{"average_accuracy":0.0446,)"
    R"("average_incremental_accuracy":0.1211,"backward_transfer":-0.164,"forgetting":0.164,)"
    R"("forward_transfer":-0.0448,"learning_accuracy":0.1266}},"labels":[[0,1,2,3,4],[5,6,7,8,)"
    R"(9]],"memory":[{"after_task":1,"tasks":[{"reservoir":[2,4,1,3,0,0,0,0,0,0],"ring":[0,0,)"
    R"(0,0,0,0,0,0,0,0],"task":1}]},{"after_task":2,"tasks":[{"reservoir":[2,1,1,0,0,0,0,0,0,)"
    R"(0],"ring":[0,0,0,0,0,0,0,0,0,0],"task":1},{"reservoir":[0,0,0,0,0,2,1,2,0,1],"ring":[0,)"
    R"(0,0,0,0,0,0,0,0,0],"task":2}]}],"metrics":{"average_accuracy":0.1839,)"
    R"("average_class_accuracy":0.1839,"average_incremental_accuracy":0.19075,)"
    R"("backward_transfer":-0.0474,"forgetting":0.0474,)"
    R"("forward_transfer":-0.005400000000000016,"learning_accuracy":0.2076},)"
    R"("peak_memory_bytes":97599488,"scenario":"task-incremental","schema":1,)"
    R"("seconds":{"evaluation":0.075279419,"simulation":2.8012000000000002e-05,)"
    R"("training":0.000264644},"seed":0,"spec":{"alpha":0.5,"batch":10,)"
    R"("benchmark":"s-fashion-mnist","der_logits":"step","epochs":1,"examples_per_task":40,)"
    R"("hidden":[4],"imbalance":1.0,"initialisation":"xavier","learner":"der",)"
    R"("learning_rate":0.1,"memory":10,"memory_batch":10,"policy":"reservoir","tasks":2},)"
    R"("steps":8,"switching_points":[],"version":"0.1.0"}', 0.1839, 1.0, 1700000000.5, )"
    R"(1700000001.5);)";

inline constexpr const char* kFailedRun =
    R"(INSERT INTO runs VALUES(3, 'b6732db8', '{"batch":10,"benchmark":"p-fashion-mnist",)"
    R"("epochs":1,"er_loss":"sum","examples_per_task":40,"hidden":[4],"imbalance":1.0,)"
    R"("initialisation":"xavier","lambda":1.0,"learner":"er","learning_rate":1e+30,)"
    R"("memory":10,"memory_batch":10,"policy":"reservoir","tasks":2}', 0, '0.1.0', 'failed', )"
    R"('p-fashion-mnist', 'er', 'reservoir', 'reservoir', 'host', 1, 'start', 1700000001.5, )"
    R"('the loss is no longer a finite number in task 1, epoch 1, step 2; try a smaller --lr, )"
    R"(or smaller weights of what the learner adds to the loss', NULL, NULL, 1.0, )"
    R"(1700000000.5, 1700000001.5);)";

inline constexpr const char* kAnalysis =
    R"(INSERT INTO analyses VALUES(1, 'ring-size', 'c866223f', '{"epochs":1,"examples":0,)"
    R"("future":"rotation","ratios":[0.0,1.0],"score_examples":10,"spec":{"batch":10,)"
    R"("benchmark":"p-fashion-mnist","epochs":1,"er_loss":"sum","examples_per_task":40,)"
    R"("hidden":[4],"imbalance":1.0,"in_task":"strict","initialisation":"xavier","lambda":1.0,)"
    R"("learner":"er","learning_rate":0.1,"memory":10,"memory_batch":10,"policy":"mixed",)"
    R"("ring":[0.5],"tasks":2},"task":1,"window":1}', 0, '0.1.0', )"
    R"('{"points":[{"path":[{"accuracy":0.2,"loss":1.9768874168395996,"test_accuracy":0.1,)"
    R"("test_loss":2.8673189593195914},{"accuracy":0.3,"loss":1.9823547959327699,)"
    R"("test_accuracy":0.1076,"test_loss":2.501751632797718}],"ring_size":0},)"
    R"({"path":[{"accuracy":0.2,"loss":1.9768874168395996,"test_accuracy":0.1,)"
    R"("test_loss":2.8673189593195914},{"accuracy":0.1,"loss":2.2929081201553343,)"
    R"("test_accuracy":0.0981,"test_loss":2.30358231010437}],"ring_size":10}],"quota":10}', )"
    R"(1.0, 1700000001.5);)";

inline constexpr const char* kStateOptions =
    R"({"deviation":[],"held_out":0.2,"keep":1,"mean":[],"memory":5,"seed":0,"shape":[1,1,2],)"
    R"("spec":{"alpha":0.5,"batch":10,"benchmark":"s-mnist","der_logits":"step","epochs":5,)"
    R"("examples_per_task":0,"future":"permutation","hidden":[],"imbalance":1.0,)"
    R"("in_task":"strict","initialisation":"xavier","knows_length":false,"largest_stride":0,)"
    R"("learner":"der","learning_rate":0.03,"memory":4,"memory_batch":10,)"
    R"("objective":"accuracy","policy":"gps","reuse":0.25,"score":"natural",)"
    R"("score_examples":2000,"simulation_epochs":1,"simulation_examples":4,)"
    R"("smallest_stride":0,"stride":0,"tasks":5,"window":0}})";

// Bytes, one value after another.
class Bytes {
 public:
  Bytes& number(std::uint64_t value, std::size_t size = 8) {
    for (std::size_t k = 0; k < size; ++k, value >>= 8) all_.push_back(static_cast<char>(value));
    return *this;
  }
  Bytes& real(double value) { return number(std::bit_cast<std::uint64_t>(value)); }
  Bytes& floats(const std::vector<float>& values) {
    number(values.size());
    for (const float value : values) number(std::bit_cast<std::uint32_t>(value), 4);
    return *this;
  }
  Bytes& text(const std::string& value) {
    number(value.size());
    all_ += value;
    return *this;
  }
  const std::string& all() const { return all_; }

 private:
  std::string all_;
};

inline void put_example(Bytes& bytes, std::uint64_t label, std::uint64_t part, std::uint64_t id,
                        const std::vector<std::uint8_t>& image, const std::vector<float>& logits) {
  bytes.number(label, 2).number(part, 1).number(1, 4).number(id, 4);  // of task 1
  bytes.number(logits.empty() ? 0 : 1, 1).text({image.begin(), image.end()});
  if (!logits.empty()) bytes.floats(logits);
}

}  // namespace version_010

// A store with a run of gps, one of der on a stream that divides the classes, one that failed, and
// an analysis.
inline void write_store_010(const std::filesystem::path& file) {
  using namespace version_010;
  Database database(file, Database::Mode::read_write, std::chrono::milliseconds(0));
  for (const char* text : {kSchema, kPermutedRun, kSplitRun, kFailedRun, kAnalysis})
    database.execute(text);
}

// A state that has learnt `left` and `right`, images of two pixels: a linear network whose scores
// are 2 a + b and 0.5 b - a + 0.5, if a and b are the two pixels, from 0 to 1.
inline std::string state_010() {
  version_010::Bytes body;
  body.text(version_010::kStateOptions);
  body.text("classes").number(2).text("left").text("right");
  body.text("tasks").number(1).text("week1").number(1700000000).number(11);
  body.number(2).number(0, 2).number(1, 2);         // labels
  body.number(2, 4).number(1).real(1.0).real(0.5);  // new classes; tested, accuracies
  body.number(3).number(4).text("12-0-d424ae72");   // ring part and quota; fingerprint
  body.number(2).text("network").floats({2, 1, -1, 0.5f, 0, 0.5f});
  body.text("memory").number(4).number(2).number(2);  // capacity, bytes of an image, size
  version_010::put_example(body, 0, 1, 2, {249, 10}, {2.0f, -0.5f});
  version_010::put_example(body, 1, 0, 8, {6, 245}, {1.0f, 1.0f});
  body.text("memory").number(1).number(2).number(1);  // for testing
  version_010::put_example(body, 1, 1, 10, {12, 235}, {});
  body.text("policy").text("");
  version_010::Bytes file;
  const auto* start = reinterpret_cast<const Bytef*>(body.all().data());
  file.number(2, 4).number(crc32_z(0, start, body.all().size()), 4).text(body.all());
  return "gpscl state\n" + file.all();
}

inline void write_state_010(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "000001.state", std::ios::binary) << state_010();
}

}  // namespace gps::testing
