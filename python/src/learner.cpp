#include "learner.h"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <thread>

#include "beside.h"
#include "bindings.h"
#include "gps/benchmarks/own_stream.h"
#include "gps/core/text/nearest.h"
#include "gps/core/text/normal_form.h"
#include "gps/core/text/printable.h"
#include "gps/deployment/change_state.h"
#include "gps/deployment/export_state.h"
#include "gps/deployment/learn.h"
#include "gps/deployment/learn_rows.h"
#include "gps/deployment/new_data.h"
#include "gps/deployment/predict.h"
#include "gps/deployment/state_folder.h"
#include "gps/experiments/spec/fit_to_data.h"
#include "gps/report/learning/history.h"
#include "gps/report/learning/learnt.h"
#include "gps/report/learning/status.h"
#include "new_images.h"
#include "option_rows.h"

namespace py = pybind11;

namespace gps::python {
namespace {

namespace fs = std::filesystem;

using Bytes = py::array_t<std::uint8_t, py::array::c_style>;  // n x channels x height x width

std::string json_text(const nlohmann::json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

int cores(int jobs) {
  return jobs > 0 ? jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::string shape_text(const ImageShape& shape) {
  return fmt::format("{}x{} in {}", shape.height, shape.width,
                     shape.channels == 1 ? "grey" : "colour");
}

// The package has no LibTorch, so that the torch of the user is the only one in the process.
void check_has_no_backbone(const LearnOptions& options) {
  if (!options.has_backbone()) return;
  throw OptionError("backbone",
                    "needs LibTorch, which this package does not have; use the program gpscl");
}

class LearnerHandle {
 public:
  explicit LearnerHandle(std::string folder)
      : folder_(fs::path(folder)), name_(std::move(folder)) {}

  const std::string& name() const { return name_; }
  bool has_state() const { return folder_.has_state(); }
  std::vector<int> versions() const { return folder_.versions(); }

  // Returns the report as JSON, with its keys "committed", "version" and "text".
  std::string learn_files(const std::string& path, const LearnCall& call,
                          const py::object& listener) {
    return learn_new(
        [&] {
          NewImages images;
          images.path = path;
          images.listing = list_images(path);
          check_is_one_task(*images.listing, path, name_);
          return images;
        },
        call, listener);
  }

  std::string learn_rows(const Bytes& train, const std::vector<std::string>& train_classes,
                         const Bytes& test, const std::vector<std::string>& test_classes,
                         const LearnCall& call, const py::object& listener) {
    const py::buffer_info rows = train.request();
    NewImages images;
    images.shape = shape_of_rows(rows);
    images.train = copied(rows);
    images.test = copied(test.request());
    images.train_classes = normalised_names(train_classes);
    images.test_classes = normalised_names(test_classes);
    return learn_new([&] { return std::move(images); }, call, listener);
  }

  // Returns for each path a list of (class, probability), or the reason why it cannot be read.
  py::list predict_files(const std::vector<std::string>& paths, std::size_t top, int jobs,
                         const py::object& listener) {
    std::vector<std::vector<Guess>> guesses;
    std::vector<std::optional<std::string>> bad(paths.size());
    std::vector<std::string> classes;
    StopFlag stop;
    News news;
    do_beside(stop, news, listener, [&] {
      Executor executor(cores(jobs));
      const std::lock_guard lock(mutex_);
      LearnState& state = newest_state();
      classes = state.classes;
      // In parts, so that any number of images fits into memory.
      constexpr std::size_t kPart = 1024;
      std::vector<ImageFile> files;
      for (const std::string& path : paths) files.push_back({path, {}, {}});
      const std::span<const ImageFile> all = files;
      for (std::size_t first = 0; first < all.size(); first += kPart) {
        const auto part = all.subspan(first, std::min(kPart, all.size() - first));
        const DecodedImages decoded =
            decode_images(part, state.options.shape, {.executor = &executor, .stop = &stop});
        for (std::vector<Guess>& each :
             guess(state, decoded.bytes.data(), decoded.good.size(), top))
          guesses.push_back(std::move(each));
        std::size_t next_bad = 0;
        std::size_t next_good = 0;
        for (std::size_t k = 0; k < part.size(); ++k) {
          if (next_good < decoded.good.size() && decoded.good[next_good] == k) {
            ++next_good;
          } else {
            bad[first + k] = decoded.bad[next_bad++].reason;
          }
        }
      }
    });
    py::list answers;
    std::size_t good = 0;
    for (const auto& reason : bad) {
      if (reason) {
        answers.append(py::str(*reason));
      } else {
        answers.append(as_guesses(guesses[good++], classes));
      }
    }
    return answers;
  }

  py::list predict_rows(const Bytes& rows, std::size_t top) {
    const py::buffer_info info = rows.request();
    std::vector<std::vector<Guess>> guesses;
    std::vector<std::string> classes;
    {
      const py::gil_scoped_release release;
      const std::lock_guard lock(mutex_);
      LearnState& state = newest_state();
      check_shape(state, shape_of_rows(info));
      classes = state.classes;
      guesses = guess(state, static_cast<const std::uint8_t*>(info.ptr),
                      static_cast<std::size_t>(info.shape[0]), top);
    }
    py::list answers;
    for (const std::vector<Guess>& each : guesses) answers.append(as_guesses(each, classes));
    return answers;
  }

  // Returns (accuracy among the classes of the rows, accuracy among all classes).
  std::pair<double, double> test_rows(const Bytes& rows, const std::vector<std::string>& names) {
    const py::buffer_info info = rows.request();
    const std::vector<std::string> said = normalised_names(names);
    const py::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    LearnState& state = newest_state();
    check_shape(state, shape_of_rows(info));
    check_has_no_backbone(state.options);
    const std::vector<std::string> classes = known_and_new(state.classes, said);
    check_are_known(classes, state.classes.size());
    const Dataset data(state.options.shape, copied(info), labels_among(said, classes),
                       static_cast<int>(classes.size()));
    const Tested found = test(state, data, labels_in(data));
    return {found.accuracy, found.among_all};
  }

  // One JSON object, as `gpscl learn --status --json` prints.
  std::string status() {
    const py::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    LearnState& state = newest_state();
    const StateTests tests{test_tasks(state), confusion_of_tests(state)};
    nlohmann::json json = status_as_json(state, tests);
    std::vector<int> earlier = folder_.versions();
    earlier.pop_back();
    json["state"] = folder_.path().string();
    json["version"] = loaded_;
    json["earlier_versions"] = earlier;
    json["bytes"] = fs::file_size(folder_.file(loaded_));
    json["folder_bytes"] = folder_.bytes();
    json["text"] = status_text(state, tests);
    return json_text(json);
  }

  std::string history() {
    const py::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    return json_text(history_as_json(newest_state()));
  }

  int rollback(bool waits) {
    StopFlag stop;
    News news;
    int version = 0;
    do_beside(stop, news, py::none(), [&] {
      folder_.newest();  // throws if there is no state
      const FileLock lock = locked(waits, news, stop);
      folder_.clean();
      version = folder_.rollback();
      forget();
    });
    return version;
  }

  void save(const std::string& file, const std::string& format) {
    const py::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    export_state(newest_state(), export_format_from(format), file);
  }

 private:
  static py::list as_guesses(const std::vector<Guess>& guesses,
                             const std::vector<std::string>& classes) {
    py::list all;
    for (const Guess& each : guesses)
      all.append(py::make_tuple(classes.at(each.label), static_cast<double>(each.probability)));
    return all;
  }

  static std::vector<std::vector<Guess>> guess(LearnState& state, const std::uint8_t* bytes,
                                               std::size_t count, std::size_t top) {
    check_has_no_backbone(state.options);
    std::vector<const std::uint8_t*> rows;
    for (std::size_t k = 0; k < count; ++k) rows.push_back(bytes + k * state.options.shape.bytes());
    if (rows.empty()) return {};
    return predict(state, rows, top);
  }

  static void check_shape(const LearnState& state, const ImageShape& shape) {
    if (shape == state.options.shape) return;
    throw UsageError(fmt::format("images of {} cannot be used: this state has images of {}",
                                 shape_text(shape), shape_text(state.options.shape)));
  }

  // Reads the newest version unless it is the one that was read last. Another process may have gone
  // back and learnt something else under the same number: then the time of the file differs.
  // REQUIRES: mutex_.
  LearnState& newest_state() {
    const int newest = folder_.newest();
    const fs::file_time_type written = fs::last_write_time(folder_.file(newest));
    if (!state_ || loaded_ != newest || written_ != written) {
      state_.reset();
      state_.emplace(folder_.load());
      loaded_ = newest;
      written_ = written;
    }
    return *state_;
  }

  void forget() {
    const std::lock_guard lock(mutex_);
    state_.reset();
  }

  FileLock locked(bool waits, News& news, const StopFlag& stop) const {
    std::function<void()> wait;
    if (waits) {
      wait = [&] {
        news.add("", [this] {
          return py::make_tuple("tell", name_ + ": waiting for another learner to finish");
        });
      };
    }
    return lock_state(folder_.path(), wait, stop);
  }

  std::string learn_new(const std::function<NewImages()>& read, const LearnCall& call,
                        const py::object& listener) {
    StopFlag stop;
    News news;
    std::string report;
    do_beside(stop, news, listener, [&] {
      Executor executor(cores(call.jobs));
      NewImages images = read();
      if (!folder_.has_state()) {  // refuse before anything is made
        folder_.check_is_free();
        options_of_new(call, images);
      }
      const FileLock lock = locked(call.wait, news, stop);
      folder_.clean();
      report = learn_locked(std::move(images), call, executor, news, stop);
    });
    return report;
  }

  static LearnOptions options_of_new(const LearnCall& call, const NewImages& images) {
    LearnOptions shaped;
    set_shape(shaped, call, images);
    const auto model = call.given.find("model");
    LearnOptions options = new_learn_options(
        call.given, images.facts(shaped.shape, model == call.given.end() ? "" : model->second));
    options.shape = shaped.shape;
    check_has_no_backbone(options);
    options.method.network = identified(options.method.network);
    settle(options);
    return options;
  }

  std::string learn_locked(NewImages images, const LearnCall& call, Executor& executor, News& news,
                           const StopFlag& stop) {
    const bool is_new = !folder_.has_state();
    LearnState state = is_new ? LearnState(options_of_new(call, images)) : folder_.load();
    check_has_no_backbone(state.options);
    if (!is_new) {
      LearnOptions changed = state.options;
      change_options(changed, call.given);
      adopt(state, changed);
      if (!images.listing) check_shape(state, images.shape);
    }
    NewTask task{.name = call.name};
    std::vector<Label> trained;
    if (images.listing) {
      task.classes = classes_with(state.classes, *images.listing);
      trained = labels_of(*images.listing, task.classes);
    } else {
      task.classes =
          known_and_new(known_and_new(state.classes, images.train_classes), images.test_classes);
      trained = ascending(labels_among(images.train_classes, task.classes));
    }
    if (!call.new_classes) check_are_known(task.classes, state.classes.size());
    check_classes(state, task.classes, trained);
    fill(task, std::move(images), state, call, loading_news(news, executor, stop));
    if (const std::optional<int> earlier = learnt_as(state, task); earlier && !call.again) {
      throw UsageError(fmt::format(
          "{}: already learnt as task {} {}; use `again`=True to learn it again", task.name,
          *earlier, state.tasks.at(static_cast<std::size_t>(*earlier) - 1).name));
    }
    task.when = std::chrono::duration_cast<std::chrono::seconds>(
                    std::chrono::system_clock::now().time_since_epoch())
                    .count();
    const LearnReport report = gps::learn(
        state, task, executor, {.stop = &stop, .progress = [&](const LearnProgress& now) {
                                  news.add("learn", [now] {
                                    return py::make_tuple("learn", now.steps_done,
                                                          now.steps_expected, now.is_choosing);
                                  });
                                }});
    nlohmann::json json = to_json(report, state);
    const bool is_kept = report.problems.empty() || call.accept;
    json["committed"] = is_kept;
    json["text"] = learnt_text(report, state);
    if (is_kept) {
      const Committed committed = folder_.commit(state);
      json["version"] = committed.version;
      json["not_removed"] = committed.not_removed;
      forget();
    }
    return json_text(json);
  }

  StateFolder folder_;
  std::string name_;
  std::mutex mutex_;
  std::optional<LearnState> state_;
  int loaded_ = 0;  // version of state_
  fs::file_time_type written_;
};

py::list learner_options() {
  py::list all;
  for (const LearnOption& option : gps::learn_rows()) {
    if (!option.row.flag.empty()) all.append(as_dict(option.row, option.group));
  }
  return all;
}

}  // namespace

void bind_learner(py::module_& m) {
  py::class_<LearnCall>(m, "LearnCall", "What a call of learn says besides its data.")
      .def(py::init<>())
      .def_readwrite("name", &LearnCall::name)
      .def_readwrite("given", &LearnCall::given)
      .def_readwrite("image_size", &LearnCall::image_size)
      .def_readwrite("colour", &LearnCall::colour)
      .def_readwrite("skip_bad", &LearnCall::skip_bad)
      .def_readwrite("again", &LearnCall::again)
      .def_readwrite("accept", &LearnCall::accept)
      .def_readwrite("new_classes", &LearnCall::new_classes)
      .def_readwrite("wait", &LearnCall::wait)
      .def_readwrite("jobs", &LearnCall::jobs);
  py::class_<LearnerHandle>(m, "LearnerHandle", "A state folder of gpscl learn.")
      .def(py::init<std::string>(), py::arg("folder"))
      .def_property_readonly("name", &LearnerHandle::name)
      .def("has_state", &LearnerHandle::has_state)
      .def("versions", &LearnerHandle::versions)
      .def("learn_files", &LearnerHandle::learn_files, py::arg("path"), py::arg("call"),
           py::arg("listener"))
      .def("learn_rows", &LearnerHandle::learn_rows, py::arg("train"), py::arg("train_classes"),
           py::arg("test"), py::arg("test_classes"), py::arg("call"), py::arg("listener"))
      .def("predict_files", &LearnerHandle::predict_files, py::arg("paths"), py::arg("top"),
           py::arg("jobs"), py::arg("listener"))
      .def("predict_rows", &LearnerHandle::predict_rows, py::arg("rows"), py::arg("top"))
      .def("test_rows", &LearnerHandle::test_rows, py::arg("rows"), py::arg("names"))
      .def("status", &LearnerHandle::status)
      .def("history", &LearnerHandle::history)
      .def("rollback", &LearnerHandle::rollback, py::arg("waits"))
      .def("save", &LearnerHandle::save, py::arg("file"), py::arg("format"));
  m.def("learner_options", &learner_options, "The options of a state.");
}

}  // namespace gps::python
