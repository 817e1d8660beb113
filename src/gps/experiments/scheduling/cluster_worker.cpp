#include "gps/experiments/scheduling/cluster_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <list>
#include <nlohmann/json.hpp>
#include <numeric>

#include "gps/core/tell_user.h"

namespace gps {
namespace {

using nlohmann::json;

// Time between checks for messages. A check costs the run on the same core about ten microseconds.
constexpr auto kNap = std::chrono::milliseconds(10);
constexpr auto kProgressInterval = std::chrono::milliseconds(200);

// Rank 0 sends requests. The others send a ticket with its progress or outcome, or "stop".
constexpr const char* kPlan = "plan";          // followed by Team::tell()
constexpr const char* kTogether = "together";  // likewise

json to_json(const Job& job) { return {{"spec", gps::to_json(job.spec)}, {"seed", job.seed}}; }

Job job_from(const json& message) {
  return {spec_from_json(message.at("spec")), message.at("seed").get<std::uint64_t>(), ""};
}

json to_json(const RunProgress& p) {
  json message = {{"task", p.task},
                  {"tasks", p.tasks},
                  {"epoch", p.epoch},
                  {"epochs", p.epochs},
                  {"is_simulating", p.is_simulating},
                  {"futures_tried", p.futures_tried},
                  {"is_testing", p.is_testing},
                  {"tested", p.tested},
                  {"tests", p.tests},
                  {"steps_done", p.steps_done},
                  {"steps_expected", p.steps_expected}};
  if (p.accuracy) message["accuracy"] = *p.accuracy;
  if (p.among_all) message["among_all"] = *p.among_all;
  return message;
}

RunProgress progress_from(const json& message) {
  RunProgress p;
  message.at("task").get_to(p.task);
  message.at("tasks").get_to(p.tasks);
  message.at("epoch").get_to(p.epoch);
  message.at("epochs").get_to(p.epochs);
  message.at("is_simulating").get_to(p.is_simulating);
  message.at("futures_tried").get_to(p.futures_tried);
  message.at("is_testing").get_to(p.is_testing);
  message.at("tested").get_to(p.tested);
  message.at("tests").get_to(p.tests);
  message.at("steps_done").get_to(p.steps_done);
  message.at("steps_expected").get_to(p.steps_expected);
  if (message.contains("accuracy")) p.accuracy = message.at("accuracy").get<double>();
  if (message.contains("among_all")) p.among_all = message.at("among_all").get<double>();
  return p;
}

// Opens the data on all ranks, and returns the number of workers of each.
std::vector<std::size_t> open(Cluster& cluster, std::span<const Job> jobs,
                              const std::filesystem::path& data, int workers, Executor& executor,
                              const StopFlag& stop, std::unique_ptr<LocalWorker>& local) {
  return cluster.together([&] {
    LoadHooks loading{.executor = &executor, .stop = &stop};
    if (cluster.rank() == 0)  // all ranks would print the same lines
      loading.tell = [](const std::string& lines) { tell_user_lines("gpscl: " + lines); };
    local = std::make_unique<LocalWorker>(jobs, data, executor, loading);
    std::vector<std::size_t> all;
    for (const Team::Words& words : cluster.gather({static_cast<std::uint64_t>(workers)}))
      all.push_back(words.at(0));
    return all;
  });
}

// In a search that is done alone, candidates are simulated one after another, because the other
// workers have their own runs.
int workers_for_candidates(Searches searches, int workers) {
  return searches == Searches::together ? workers : 1;
}

// A rank that serves rank 0.
class Server {
 public:
  Server(Cluster& cluster, const std::filesystem::path& data, int workers, StopFlag& stop)
      : cluster_(cluster), data_(data), workers_(workers), stop_(stop) {}

  void run() {
    bool has_told = false;
    while (!cluster_.is_closed() || !running_.empty()) {
      while (const auto message = cluster_.receive()) obey(message->text);
      if (cluster_.is_closed()) stop_.request();
      if (stop_.is_requested() && !has_told && !cluster_.is_closed()) {
        cluster_.send(0, json{{"stop", true}}.dump());
        has_told = true;
      }
      running_.remove_if([&](std::future<std::string>& run) {
        if (run.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
        cluster_.send(0, run.get());
        return true;
      });
      std::this_thread::sleep_for(kNap);
    }
  }

 private:
  void obey(const std::string& text) {
    if (text == kPlan) {
      prepare(json::parse(cluster_.tell()));
    } else if (text == kTogether) {
      join(job_from(json::parse(cluster_.tell())));
    } else {
      running_.push_back(std::async(std::launch::async, [this, message = json::parse(text)] {
        return carry_out(message).dump();
      }));
    }
  }

  void prepare(const json& plan) {
    std::vector<Job> jobs;
    for (const json& job : plan.at("jobs")) jobs.push_back(job_from(job));
    const Searches searches =
        plan.at("together").get<bool>() ? Searches::together : Searches::alone;
    executor_ = std::make_unique<Executor>(workers_for_candidates(searches, workers_));
    try {
      open(cluster_, jobs, data_, workers_, *executor_, stop_, local_);
    } catch (const std::exception&) {  // rank 0 knows the error and will leave
    }
  }

  void join(const Job& job) {
    RunHooks hooks;
    hooks.stop = &stop_;
    hooks.team = &cluster_;
    try {
      cluster_.together([&] { return local_->run(job, hooks); });
    } catch (const std::exception&) {  // rank 0 knows the error
    }
  }

  json carry_out(const json& message) {
    const json& ticket = message.at("ticket");
    RunHooks hooks;
    hooks.stop = &stop_;
    auto last = std::chrono::steady_clock::time_point();
    hooks.progress = [&](const RunProgress& progress) {
      const auto now = std::chrono::steady_clock::now();
      if (!progress.accuracy && now - last < kProgressInterval) return;
      last = now;
      cluster_.send(0, json{{"ticket", ticket}, {"progress", to_json(progress)}}.dump());
    };
    // Useful if the folder is shared. Otherwise checkpoints are not written, or cannot be found
    // later.
    std::optional<Checkpoints> checkpoints;
    if (message.contains("checkpoint")) {
      CheckpointOptions options;
      message.at("seconds").get_to(options.seconds);
      message.at("steps").get_to(options.steps);
      options.tell = [&](const std::string& line) {
        cluster_.send(0, json{{"ticket", ticket}, {"tell", line}}.dump());
      };
      hooks.checkpoints =
          &checkpoints.emplace(message.at("checkpoint").get<std::string>(), options);
    }
    try {
      const RunResult result = local_->run(job_from(message), hooks);
      // The checkpoint stays until rank 0 has saved the result.
      return {{"ticket", ticket}, {"result", gps::to_json(result)}};
    } catch (const Interrupted&) {
      return {{"ticket", ticket}, {"interrupted", true}};
    } catch (const Diverged& error) {
      return {{"ticket", ticket}, {"diverged", error.what()}};
    } catch (const std::bad_alloc&) {
      return {{"ticket", ticket}, {"memory", true}};
    } catch (const std::exception& error) {
      return {{"ticket", ticket}, {"error", error.what()}};
    }
  }

  Cluster& cluster_;
  const std::filesystem::path& data_;
  int workers_;
  StopFlag& stop_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<LocalWorker> local_;
  std::list<std::future<std::string>> running_;
};

}  // namespace

// A run on another rank.
struct ClusterWorker::Pending {  // NOLINT(bugprone-exception-escape): null takes no memory
  const RunHooks* hooks = nullptr;
  json answer = nullptr;
};

ClusterWorker::ClusterWorker(Cluster& cluster, std::span<const Job> jobs,
                             const std::filesystem::path& data, int workers, Searches searches,
                             StopFlag& stop)
    : cluster_(cluster),
      searches_(searches),
      stop_(stop),
      executor_(workers_for_candidates(searches, workers)),
      load_(cluster.size(), 0) {
  json plan = {{"jobs", json::array()}, {"together", searches == Searches::together}};
  for (const Job& job : jobs) plan["jobs"].push_back(to_json(job));
  for (std::size_t rank = 1; rank < cluster.size(); ++rank) cluster.send(rank, kPlan);
  cluster.tell(plan.dump());
  room_ = open(cluster, jobs, data, workers, executor_, stop, local_);
  workers_ = static_cast<int>(std::reduce(room_.begin(), room_.end()));
  thread_ = std::jthread([this](const std::stop_token& end) { communicate(end); });
}

ClusterWorker::~ClusterWorker() = default;

RunResult ClusterWorker::run(const Job& job, const RunHooks& hooks) {
  if (searches_ == Searches::together && simulates(job.spec.policy))
    return run_together(job, hooks);
  // Choose the rank with the most idle workers, so that machines share the load. Of equals, choose
  // the last: rank 0 also has the store. So rank 1 gets the first run however slowly it started.
  std::size_t rank = 0;
  {
    std::unique_lock lock(mutex_);
    const auto room = [&](std::size_t r) { return room_[r] - load_[r]; };
    // hooks.finished works only on this rank: other ranks send back only the result.
    const std::size_t ranks = hooks.finished ? 1 : room_.size();
    const auto find = [&] {
      rank = 0;
      for (std::size_t r = 1; r < ranks; ++r) {
        if (room(r) >= room(rank)) rank = r;
      }
      return room(rank) > 0;
    };
    changed_.wait(lock, find);
    ++load_[rank];
  }
  const auto leave = [&] {
    const std::lock_guard lock(mutex_);
    --load_[rank];
    changed_.notify_all();
  };
  try {
    RunResult result = rank == 0 ? local_->run(job, hooks) : run_on(rank, job, hooks);
    leave();
    return result;
  } catch (...) {
    leave();
    throw;
  }
}

RunResult ClusterWorker::run_together(const Job& job, RunHooks hooks) {
  for (std::size_t rank = 1; rank < cluster_.size(); ++rank) cluster_.send(rank, kTogether);
  cluster_.tell(to_json(job).dump());
  hooks.team = &cluster_;
  hooks.checkpoints = nullptr;  // the other ranks could not continue from them
  try {
    return cluster_.together([&] { return local_->run(job, hooks); });
  } catch (const Interrupted&) {
    stop_.request();  // it may have been requested on another rank
    throw;
  }
}

RunResult ClusterWorker::run_on(std::size_t rank, const Job& job, const RunHooks& hooks) {
  std::unique_lock lock(mutex_);
  const std::uint64_t ticket = ++tickets_;
  Pending& pending = pending_[ticket];
  pending.hooks = &hooks;
  json message = to_json(job);
  message["ticket"] = ticket;
  if (hooks.checkpoints != nullptr) {
    message["checkpoint"] = std::filesystem::absolute(hooks.checkpoints->file()).string();
    message["seconds"] = hooks.checkpoints->options().seconds;
    message["steps"] = hooks.checkpoints->options().steps;
  }
  cluster_.send(rank, message.dump());
  // A rank that is gone does not answer, so a stop does not wait for it.
  changed_.wait(lock, [&] { return !pending.answer.is_null() || stop_.is_requested(); });
  const json answer = std::move(pending.answer);
  pending_.erase(ticket);
  lock.unlock();
  if (answer.is_null() || answer.contains("interrupted")) throw Interrupted();
  if (answer.contains("diverged")) throw Diverged(answer.at("diverged").get<std::string>());
  if (answer.contains("memory")) throw std::bad_alloc();
  if (answer.contains("error")) throw std::runtime_error(answer.at("error").get<std::string>());
  return result_from_json(answer.at("result"));
}

void ClusterWorker::communicate(const std::stop_token& end) {
  while (!end.stop_requested()) {
    while (const auto message = cluster_.receive()) {
      json content = json::parse(message->text);
      if (content.contains("stop")) {
        stop_.request();
        continue;
      }
      const std::lock_guard lock(mutex_);
      const auto at = pending_.find(content.at("ticket").get<std::uint64_t>());
      if (at == pending_.end()) continue;  // nobody waits for it any longer
      if (content.contains("tell")) {
        at->second.hooks->checkpoints->tell(content.at("tell").get<std::string>());
      } else if (!content.contains("progress")) {
        at->second.answer = std::move(content);
        changed_.notify_all();
      } else if (at->second.hooks->progress) {
        at->second.hooks->progress(progress_from(content.at("progress")));
      }
    }
    if (stop_.is_requested()) {
      const std::lock_guard lock(mutex_);
      changed_.notify_all();
    }
    std::this_thread::sleep_for(kNap);
  }
}

void serve(Cluster& cluster, const std::filesystem::path& data, int workers,
           StopFlag& stop) noexcept {
  try {
    Server(cluster, data, workers, stop).run();
  } catch (const std::exception& error) {
    tell_user("gpscl: {}: {}", cluster.name_of(cluster.rank()), error.what());
    std::abort();  // mpirun then ends the other ranks
  }
}

}  // namespace gps
