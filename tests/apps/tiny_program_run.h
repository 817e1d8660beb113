// `gpscl run` on a made-up data set, small enough for milliseconds, in a folder of its own.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/program.h"
#include "support/temporary_folder.h"
#include "support/tiny_data.h"

namespace gps::testing {

class TinyProgramRun : public ::testing::Test {
 protected:
  TinyProgramRun() { write_tiny_mnist(folder_.path() / "data"); }

  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }

  // Arguments of a run over two tasks of 400 examples into the folder `out`, and what is added.
  std::vector<std::string> arguments(const std::vector<std::string>& added,
                                     const std::string& out = "out") const {
    std::vector<std::string> all = {
        "run", "p-mnist",  "--data", path("data").string(), "--out", path(out).string(), "--epochs",
        "1",   "--hidden", "16"};
    const bool has_tasks = std::find(added.begin(), added.end(), "--tasks") != added.end();
    if (!has_tasks) all.insert(all.end(), {"--tasks", "2"});
    all.insert(all.end(), added.begin(), added.end());
    return all;
  }

  // The JSON files that a run has left behind beside its store, by name.
  std::map<std::string, nlohmann::json> files_in(const std::string& out) const {
    std::map<std::string, nlohmann::json> found;
    for (const auto& entry : std::filesystem::directory_iterator(path(out))) {
      if (entry.path().filename().string().starts_with("runs.sqlite")) continue;
      if (entry.path().filename().string().find(".ckpt") != std::string::npos) continue;
      EXPECT_EQ(entry.path().extension(), ".json") << entry.path();
      std::ifstream in(entry.path());
      found[entry.path().filename().string()] = nlohmann::json::parse(in);
    }
    return found;
  }

  static nlohmann::json without_times(nlohmann::json results) {
    for (nlohmann::json& result : results) {
      for (const char* key : {"seconds", "peak_memory_bytes", "checksum"}) result.erase(key);
    }
    return results;
  }

 private:
  TemporaryFolder folder_{in_memory()};
};

}  // namespace gps::testing
