#include "gps/experiments/scheduling/run_many.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <new>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <thread>

#include "gps/core/work/clock.h"
#include "gps/experiments/method_memory.h"
#include "gps/experiments/scheduling/cost.h"
#include "gps/experiments/spec/open_stream.h"
#include "gps/nn/catalog.h"

namespace gps {
namespace {

// Tells other hosts that this process is alive, as long as this object exists.
class Heartbeat {
 public:
  Heartbeat(Store& store, const ProcessId& self)
      : thread_([this, &store, &self](const std::stop_token& end) {
          std::unique_lock lock(mutex_);
          const auto interval = std::chrono::duration<double>(Store::kSilence / 10);
          while (!wakes_.wait_for(lock, end, interval, [&] { return end.stop_requested(); })) {
            try {
              store.beat(self, seconds_now());
            } catch (const DataError&) {  // the next beat may succeed, or recording reports it
            }
          }
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any wakes_;
  std::jthread thread_;  // must be the last member, so that it ends first
};

// Returns the result in the folder under the run's name, if there is one that can be read.
std::optional<RunResult> result_in(const std::filesystem::path& folder, const Job& job,
                                   const std::function<void(const std::string&)>& tell) {
  const std::filesystem::path file = folder / file_name(job.spec, job.seed);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::nullopt;
  try {
    return read_result(file, job.spec, job.seed);
  } catch (const DataError& error) {
    if (tell) tell(std::string(error.what()) + "; running it again");
    return std::nullopt;
  }
}

// Returns the whole time of the run, including the time before an interruption.
double seconds_of(const RunResult& result) {
  return result.seconds.training + result.seconds.simulation + result.seconds.evaluation;
}

// One call of run_many().
class Round {
 public:
  Round(const std::vector<Job>& jobs, Worker& worker, Store& store, StopFlag& stop,
        const RunManyOptions& options, const RunManyHooks& hooks)
      : jobs_(jobs),
        worker_(worker),
        store_(store),
        stop_(stop),
        options_(options),
        hooks_(hooks),
        ends_(jobs.size()) {}

  // Returns false if another process is doing the run. Throws DataError if something cannot be
  // written.
  bool carry_out(std::size_t k) {
    const Job& job = jobs_[k];
    CheckpointOptions keeping = options_.checkpoints.value_or(CheckpointOptions());
    if (hooks_.tell) keeping.tell = [&](const std::string& line) { hooks_.tell(k, line); };
    Checkpoints checkpoints(checkpoint_file(options_.out, job.spec, job.seed), keeping);
    const bool is_any = options_.what != Redo::missing;
    const ClaimRules rules{.redo_done = is_any, .redo_failed = is_any || options_.retry_failed};
    Claim claim{};
    try {
      claim = store_.claim(job.spec, job.seed, rules, self_, seconds_now());
    } catch (const DamagedResult& error) {  // the other runs can be done
      return end(k, {JobState::failed, error.what(), {}, 0}, nullptr);
    }
    if (claim == Claim::busy) {
      if (options_.what != Redo::all) return false;
      return end(k, {JobState::failed, "another process is doing this run", {}, 0}, nullptr);
    }
    if (!is_any) {
      if (claim == Claim::done) return end(k, {.state = JobState::was_done}, nullptr);
      if (claim == Claim::failed) return end(k, {.state = JobState::was_failed}, nullptr);
    }
    if (options_.what != Redo::all) {
      if (const auto result = result_in(options_.out, job, keeping.tell)) {
        store_.record_done(*result, self_, seconds_of(*result), seconds_now());
        if (options_.checkpoints) checkpoints.remove();
        if (options_.exported.any() && keeping.tell)
          keeping.tell(
              "was finished before, so nothing is exported; to export, run it again without "
              "`resume`");
        end(k, {.state = JobState::was_done, .file = options_.out / file_name(job.spec, job.seed)},
            &*result);
        show_again(job, *result);
        return true;
      }
    }
    if (hooks_.started) hooks_.started(k);
    const double start = seconds_now();
    std::optional<RunResult> result;
    std::string error;
    bool is_hopeless = false;
    std::exception_ptr not_exported;
    const auto attempt = [&](const auto& write) {
      try {
        write();
      } catch (const DataError&) {
        not_exported = std::current_exception();  // the result is saved nevertheless
      }
    };
    const TensorboardOptions& board = options_.tensorboard;
    std::optional<TensorboardRun> shown;
    if (!board.folder.empty())
      attempt([&] { shown.emplace(board.folder, job.spec, job.seed, start); });
    try {
      RunHooks hooks;
      hooks.stop = &stop_;
      if (options_.checkpoints) hooks.checkpoints = &checkpoints;
      if (options_.exported.any() || (shown && board.examples)) {
        hooks.finished = [&](const RunResult& ended, const Learner& learner, const Memory& memory,
                             const ImageShape& shape) {
          attempt(
              [&] { export_run(ended, learner, memory, shape, options_.exported, options_.out); });
          const auto stages = static_cast<int>(ended.accuracy.size());
          if (shown && board.examples)
            attempt([&] { shown->show(memory, shape, stages, seconds_now()); });
        };
      }
      hooks.progress = [&](const RunProgress& progress) {
        if (shown && progress.accuracy && !progress.is_simulating)
          attempt([&] { shown->end_task(progress.task, *progress.accuracy, seconds_now()); });
        if (hooks_.progress) hooks_.progress(k, progress);
      };
      if (hooks_.tell) {
        hooks.planned = [&](const RecipeChoice& choice) {
          for (const std::string& line : describe(choice)) hooks_.tell(k, line);
        };
      }
      result = worker_.run(job, hooks);
    } catch (const Interrupted&) {
      store_.release(job.spec, job.seed, self_, seconds_now());
      return end(k, {}, nullptr);
    } catch (const Diverged& exception) {
      error = exception.what();
      is_hopeless = true;  // from its last checkpoint it would diverge again
    } catch (const std::bad_alloc&) {
      error = "out of memory; use fewer `jobs`";
    } catch (const std::exception& exception) {
      error = exception.what();
    }
    const double seconds = seconds_now() - start;
    if (!result) {
      store_.record_failed(job.spec, job.seed, error, self_, seconds, seconds_now());
      if (options_.checkpoints && is_hopeless) checkpoints.remove();
      return end(k, {JobState::failed, error, {}, seconds}, nullptr);
    }
    if (shown) attempt([&] { shown->end(*result, seconds_now()); });
    // Save the file first: if the process is killed before the store is updated, the next call
    // finds it.
    const std::filesystem::path file = save(*result, options_.out);
    store_.record_done(*result, self_, seconds_of(*result), seconds_now());
    if (options_.checkpoints) checkpoints.remove();
    end(k, {JobState::done, "", file, seconds}, &*result);
    if (not_exported) std::rethrow_exception(not_exported);
    return true;
  }

  // Tells, once for each job, which process is doing it.
  void tell_of_wait(std::size_t k) {
    if (!hooks_.tell || !told_.insert(k).second) return;
    const std::optional<StoredRun> run = store_.find(jobs_[k].spec, jobs_[k].seed);
    if (!run || !Store::is_at_work(*run, self_, seconds_now())) return;
    const ProcessId& other = Store::worker_of(*run);
    hooks_.tell(k, fmt::format("waiting for process {} on {}, which is doing this run", other.pid,
                               other.host));
  }

  void remember(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    stop_.request();
  }

  const ProcessId& self() const { return self_; }

  std::vector<JobEnd> ends() {
    if (error_) std::rethrow_exception(error_);
    return std::move(ends_);
  }

 private:
  // Writes the events of a run that was finished before, unless they exist already.
  void show_again(const Job& job, const RunResult& result) const {
    const std::filesystem::path& folder = options_.tensorboard.folder;
    if (folder.empty() || std::filesystem::exists(tensorboard_file(folder, job.spec, job.seed)))
      return;
    TensorboardRun(folder, job.spec, job.seed, seconds_now()).end(result, seconds_now());
  }

  bool end(std::size_t k, JobEnd how, const RunResult* result) {
    ends_[k] = std::move(how);
    if (hooks_.ended) hooks_.ended(k, ends_[k], result);
    return true;
  }

  const std::vector<Job>& jobs_;
  Worker& worker_;
  Store& store_;
  StopFlag& stop_;
  const RunManyOptions& options_;
  const RunManyHooks& hooks_;
  const ProcessId self_ = this_process();
  std::vector<JobEnd> ends_;
  std::set<std::size_t> told_;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

std::filesystem::path checkpoint_file(const std::filesystem::path& folder, const Spec& spec,
                                      std::uint64_t seed) {
  return (folder / file_name(spec, seed)).replace_extension(".ckpt");
}

struct LocalWorker::Source {
  BenchmarkOptions options;
  NetworkOptions network;  // of which the backbone matters
  std::shared_ptr<const BenchmarkSource> data;
  std::size_t jobs = 0;  // number of jobs that still need it

  bool is_for(const Spec& spec) const {
    return options == spec.benchmark && see_the_same(network, spec.network);
  }
};

namespace {

void check_network(const Spec& spec, const BenchmarkSource& source) {
  if (spec.network.model == "mlp" && spec.network.weights.empty()) return;  // it can always be made
  const auto stream = source.stream(0);
  make_network(spec.network, stream->shape(), stream->classes(), stream->normalisation(), Rng(0));
}

void check_memory(const Spec& spec, const BenchmarkSource& source) {
  if (spec.memory_bytes == 0 && spec.codec == Spec().codec) return;  // it can always be made
  const auto stream = source.stream(0);
  make_memory(spec, stream->shape(), stream->augmentation(), stream->classes());
}

}  // namespace

LocalWorker::LocalWorker(std::span<const Job> jobs, const std::filesystem::path& data,
                         Executor& executor, const LoadHooks& loading)
    : executor_(executor) {
  std::vector<std::pair<BenchmarkOptions, NetworkOptions>> checked;
  std::set<std::string> with_memory;  // specs whose memory is checked
  for (const Job& job : jobs) {
    const BenchmarkOptions& options = job.spec.benchmark;
    auto at = std::find_if(sources_.begin(), sources_.end(),
                           [&](const Source& source) { return source.is_for(job.spec); });
    if (at == sources_.end()) {
      const NetworkOptions& network = job.spec.network;
      at = sources_.insert(at, {options, network, open_stream(options, network, data, loading), 0});
    }
    ++at->jobs;
    if (with_memory.insert(to_json(job.spec).dump()).second) check_memory(job.spec, *at->data);
    const std::pair network{options, job.spec.network};
    if (std::find(checked.begin(), checked.end(), network) != checked.end()) continue;
    check_network(job.spec, *at->data);
    checked.push_back(network);
  }
}

LocalWorker::~LocalWorker() = default;

RunResult LocalWorker::run(const Job& job, const RunHooks& hooks) {
  std::shared_ptr<const BenchmarkSource> data;
  {
    const std::lock_guard lock(mutex_);
    const auto at = std::find_if(sources_.begin(), sources_.end(),
                                 [&](const Source& source) { return source.is_for(job.spec); });
    data = at->data;
    if (--at->jobs == 0) at->data.reset();
  }
  return gps::run(job.spec, job.seed, *data, executor_, hooks);
}

std::vector<std::size_t> longest_first(const std::vector<Job>& jobs, std::size_t jobs_a_seed) {
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t first = 0; first < order.size(); first += jobs_a_seed) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
    std::stable_sort(begin, begin + static_cast<std::ptrdiff_t>(jobs_a_seed),
                     [&](std::size_t a, std::size_t b) {
                       return expected_cost(jobs[a].spec) > expected_cost(jobs[b].spec);
                     });
  }
  return order;
}

std::vector<JobEnd> run_many(const std::vector<Job>& jobs, std::span<const std::size_t> order,
                             Worker& worker, Executor& executor, Store& store, StopFlag& stop,
                             const RunManyOptions& options, const RunManyHooks& hooks) {
  Round round(jobs, worker, store, stop, options, hooks);
  const Heartbeat heartbeat(store, round.self());
  std::vector<std::size_t> waiting(order.begin(), order.end());
  while (!waiting.empty() && !stop.is_requested()) {
    std::mutex mutex;
    std::vector<std::size_t> elsewhere;
    executor.for_each(waiting.size(), [&](std::size_t nth) {
      if (stop.is_requested()) return;
      try {
        if (round.carry_out(waiting[nth])) return;
        const std::lock_guard lock(mutex);
        elsewhere.push_back(waiting[nth]);
      } catch (const std::exception&) {
        round.remember(std::current_exception());
      }
    });
    waiting = std::move(elsewhere);
    for (const std::size_t k : waiting) round.tell_of_wait(k);
    constexpr auto kPause = std::chrono::milliseconds(50);  // time between checks of `stop`
    for (auto left = options.patience; left.count() > 0 && !waiting.empty() && !stop.is_requested();
         left -= kPause)
      std::this_thread::sleep_for(std::min(kPause, left));
  }
  return round.ends();
}

}  // namespace gps
