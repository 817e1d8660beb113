// The bytes of a state are checked before they are used: a right checksum does not say who wrote
// them.
#include "gps/deployment/learn_state.h"

#include <gmock/gmock.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "deployment/weeks.h"
#include "gps/core/files/framed.h"

namespace gps {
namespace learn_state_test {

using ::testing::HasSubstr;
using testing::tiny_options;
using testing::week;

LearnState learnt(const LearnOptions& options, int weeks = 2) {
  Executor executor(1);
  LearnState state(options);
  for (int k = 1; k <= weeks; ++k) learn(state, week(k), executor);
  return state;
}

std::string body_of(const LearnOptions& options) {
  LearnState state = learnt(options);
  return to_bytes(state);
}

std::string complaint(const std::string& body) {
  try {
    state_from(body, ".");
  } catch (const DataError& error) {
    return error.what();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "(fine)";
}

// The same body with other options.
std::string with_options(const std::string& body,
                         const std::function<void(nlohmann::json&)>& change) {
  std::string options;
  Archive archive(body);
  archive(options);
  nlohmann::json json = nlohmann::json::parse(options);
  change(json);
  Archive changed;
  std::string text = json.dump();
  changed(text);
  return changed.bytes() + body.substr(sizeof(std::uint64_t) + options.size());
}

TEST(SavedState, WithOtherOptionsIsRefused) {
  const std::string body = body_of(tiny_options("er", "mixed"));
  const auto said = [&](const std::function<void(nlohmann::json&)>& change) {
    return complaint(with_options(body, change));
  };
  EXPECT_EQ(said([](auto&) {}), "(fine)");
  const int large = 1 << 20;
  EXPECT_THAT(said([&](auto& json) {
                json["shape"] = {large, large, large};
              }),
              HasSubstr("images of 1048576 x 1048576 pixels in 1048576 channels"));
  for (const nlohmann::json& shape : std::vector<nlohmann::json>{
           {1, 0, 6}, {1, 6, -6}, {0, 6, 6}, {2, 6, 6}, {1, 6, 2000}, {-1, -6, 6}}) {
    EXPECT_THAT(said([&](auto& json) { json["shape"] = shape; }), HasSubstr("channels")) << shape;
  }
  EXPECT_NE(said([](auto& json) { json["shape"] = {1, 6, 7}; }), "(fine)");
  EXPECT_NE(said([](auto& json) { json["shape"] = {1, 6}; }), "(fine)");
  EXPECT_NE(said([](auto& json) { json["shape"] = "6x6"; }), "(fine)");
  EXPECT_THAT(said([](auto& json) { json["memory"] = -1; }), HasSubstr("`memory`"));
  for (const int bytes : {-1, 0, 10})
    EXPECT_THAT(said([&](auto& json) { json["memory_bytes"] = bytes; }), HasSubstr("`memory`"));
  EXPECT_THAT(said([](auto& json) {
                json["spec"].erase("memory");
                json["spec"]["memory_bytes"] = 5000;
              }),
              HasSubstr("its method counts bytes"));
  EXPECT_THAT(said([](auto& json) { json["spec"]["codec"] = "zip"; }), HasSubstr("`codec`"));
  EXPECT_THAT(said([](auto& json) { json["spec"]["codec"] = "down:4"; }), HasSubstr("`codec`"));
  EXPECT_THAT(said([](auto& json) { json["held_out"] = 7.5; }), HasSubstr("`held-out`"));
  EXPECT_THAT(said([](auto& json) { json["mean"] = {0.5, 0.5}; }), HasSubstr("mean and deviation"));
  EXPECT_THAT(said([](auto& json) { json["mean"] = {0.5}, json["deviation"] = {0.0}; }),
              HasSubstr("mean and deviation"));
  EXPECT_THAT(said([](auto& json) { json["spec"]["batch"] = 0; }), HasSubstr("`batch`"));
  EXPECT_THAT(said([](auto& json) { json["spec"]["hidden"] = {-16}; }), HasSubstr("`hidden`"));
  EXPECT_THAT(said([](auto& json) {
                json["spec"]["hidden"] = {65536, 65536};
              }),
              HasSubstr("cut short"))
      << "before the network gets its memory";
  EXPECT_THAT(said([](auto& json) {
                json["spec"]["model"] = "../other.pt";
                for (const char* key : {"hidden", "initialisation"}) json["spec"].erase(key);
              }),
              HasSubstr("its network is in ../other.pt, not in model.pt"));
  EXPECT_NE(said([](auto& json) { json["spec"]["weights"] = "/tmp/other.pt"; }), "(fine)");
  EXPECT_NE(said([](auto& json) { json = nlohmann::json::array(); }), "(fine)");
}

TEST(SavedState, WithOptionsOfVeryManyLevelsIsRefused) {
  const std::string body = body_of(tiny_options("er", "mixed"));
  std::string options;
  Archive archive(body);
  archive(options);
  std::string text = "{\"memory\":" + std::string(1 << 20, '[') + std::string(1 << 20, ']') + "}";
  Archive changed;
  changed(text);
  EXPECT_THAT(complaint(changed.bytes() + body.substr(sizeof(std::uint64_t) + options.size())),
              HasSubstr("too many levels"));
}

// What reading says after `change`, which puts into the state what learning never does.
std::string complaint_after(const std::function<void(LearnState&)>& change,
                            const std::string& learner = "er") {
  LearnState state = learnt(tiny_options(learner, "mixed"));
  change(state);
  return complaint(to_bytes(state));
}

void change_first(Memory& memory, const std::function<void(Example&)>& change) {
  Example example = memory[0];
  change(example);
  memory.replace(0, example);
}

TEST(SavedState, WithNumbersThatItDoesNotHaveIsRefused) {
  EXPECT_EQ(complaint_after([](LearnState&) {}), "(fine)");
  const std::string label = "saved state: a stored example has a label that no class has";
  const auto changed = [](Memory LearnState::*memory, const std::function<void(Example&)>& change) {
    return complaint_after([&](LearnState& state) { change_first(state.*memory, change); });
  };
  for (Memory LearnState::*memory : {&LearnState::memory, &LearnState::tests}) {
    EXPECT_EQ(changed(memory, [](Example& example) { example.label = 3; }), "(fine)");
    EXPECT_EQ(changed(memory, [](Example& example) { example.label = 4; }), label);
    EXPECT_EQ(changed(memory, [](Example& example) { example.label = 65535; }), label);
    for (const int task : {0, -1, 3}) {
      EXPECT_EQ(changed(memory, [&](Example& example) { example.task = task; }),
                fmt::format("saved state: task of a stored example is {}, must be between 1 and 2",
                            task));
    }
  }
  const std::string classes = "saved state: a task has classes that the state does not have";
  EXPECT_EQ(complaint_after([](LearnState& state) { state.tasks[1].labels = {3, 4}; }), classes);
  EXPECT_EQ(complaint_after([](LearnState& state) { state.tasks[1].new_classes = 5; }), classes);
  EXPECT_THAT(complaint_after([](LearnState& state) { state.tasks[0].when = 1LL << 60; }),
              HasSubstr("time of a task"));
  EXPECT_THAT(complaint_after([](LearnState& state) { state.tasks[0].accuracy = 2; }),
              HasSubstr("accuracy of a task"));
  EXPECT_EQ(complaint_after([](LearnState& state) { state.tasks.clear(); }),
            "saved state: it has learnt no task");
  EXPECT_EQ(complaint_after([](LearnState& state) { state.classes.resize(5); }),
            "saved state: more classes than outputs");
  EXPECT_NE(complaint_after([](LearnState& state) { state.classes.resize(1); }), "(fine)");
}

TEST(SavedState, WithAPolicyThatDoesNotFitItsMemoryIsNotTaught) {
  LearnState state = learnt(tiny_options("er", "reservoir"));
  std::size_t first = std::size_t{1} << 63;
  std::size_t capacity = first;
  std::uint64_t seen = 1000;
  double fraction = 0;
  Archive policy;
  policy(first, capacity, seen, fraction);
  ASSERT_EQ(policy.bytes().size(), state.policy.size());
  state.policy = policy.bytes();
  LearnState read = state_from(to_bytes(state), ".");
  Executor executor(1);
  EXPECT_THROW(learn(read, week(3), executor), DataError);
}

// Whichever byte is another one, reading ends with a state or with one line.
TEST(SavedState, WithAnyOtherByteIsReadOrRefused) {
  for (const char* learner : {"der++", "icarl"}) {
    const std::string body = body_of(tiny_options(learner, "mixed", 20));
    for (std::size_t at = 0; at < body.size(); at += 17) {
      for (const int change : {0x81, 0xFF}) {
        std::string other = body;
        other[at] = static_cast<char>(other[at] ^ change);
        EXPECT_NO_THROW(complaint(other)) << "byte " << at;
      }
    }
  }
}

}  // namespace learn_state_test
}  // namespace gps
