#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "gps/core/files/csv.h"
#include "gps/core/tell_user.h"
#include "gps/core/text/natural_order.h"
#include "gps/core/text/printable.h"
#include "gps/core/work/pace.h"
#include "gps/data/images/decode_image.h"
#include "gps/deployment/predict.h"
#include "gps/deployment/state_folder.h"
#include "gps/report/tables/table.h"
#include "run/run_setup.h"
#include "signals.h"
#include "terminal/load_display.h"
#include "terminal/output.h"

namespace gps::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string state;
  std::vector<std::string> images;
  std::string format = "text";
  std::size_t top = 1;
  int jobs = 0;
  bool wants_help = false;
};

const OptionTable<Arguments>& predict_options() {
  static const OptionTable<Arguments> table = {
      one_of("format", &Arguments::format, {"text", "csv", "json"}, "format of the answers"),
      option("top", &Arguments::top, "show the K most probable classes of each image")
          .at_least(1)
          .called("K"),
      jobs_option(&Arguments::jobs, "images"),
  };
  return table;
}

void add_folder(const fs::path& folder, std::vector<ImageFile>& files) {
  std::vector<std::string> found;
  std::vector<std::string> others;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    const bool is_folder = at->is_directory(ignored);
    if (at->path().filename().string().starts_with('.')) {  // hidden, as in learn and run
      if (is_folder) at.disable_recursion_pending();
      continue;
    }
    if (is_folder) continue;
    const bool is_called = is_called_like_an_image(at->path());
    (is_called ? found : others).push_back(at->path().native());
  }
  if (error) throw DataError(fmt::format("{}: {}", folder.string(), error.message()));
  std::sort(found.begin(), found.end(), natural_less);
  std::sort(others.begin(), others.end(), natural_less);
  if (found.empty()) throw DataError(fmt::format("{}: contains no images", folder.string()));
  for (const std::string& path : others)
    tell_user("gpscl: {}: skipped, because its name has no image extension", path);
  for (std::string& path : found) files.push_back({std::move(path), {}, {}});
}

// The images to classify: files, or one image read from standard input.
struct PredictInput {
  std::vector<ImageFile> files;
  std::vector<std::uint8_t> image;
};

PredictInput read_question(const std::vector<std::string>& images) {
  PredictInput question;
  for (const std::string& each : images) {
    std::error_code ignored;
    if (each == "-") {
      const std::string input(std::istreambuf_iterator<char>(std::cin), {});
      if (is_image({reinterpret_cast<const std::uint8_t*>(input.data()), input.size()})) {
        if (images.size() > 1)
          throw UsageError("an image on standard input cannot be combined with other images");
        question.image.assign(input.begin(), input.end());
        return question;
      }
      const std::size_t before = question.files.size();
      for (std::string& line : split(input, '\n')) {
        if (line.ends_with('\r')) line.pop_back();  // lists from Windows end lines with \r\n
        if (!line.empty()) question.files.push_back({line, {}, {}});
      }
      if (question.files.size() == before)
        throw DataError("standard input is empty; expected an image, or paths, one per line");
    } else if (fs::is_directory(each, ignored)) {
      add_folder(each, question.files);
    } else {
      question.files.push_back({each, {}, {}});
    }
  }
  return question;
}

// Shows how many images are classified, if that takes more than two seconds. Where the answers go
// to a terminal, they show it themselves.
class PredictProgress {
 public:
  explicit PredictProgress(std::size_t images)
      : images_(images), display_(isatty(STDERR_FILENO) != 0) {}

  void update(std::size_t done) {
    if (is_shown_ && pace_.elapsed() > Pace::kFirstLine)
      display_.update({"classifying images", done, images_});
  }

  void tell(const std::string& line) { display_.tell(line); }

 private:
  std::size_t images_;
  bool is_shown_ = isatty(STDOUT_FILENO) == 0;
  Pace pace_;
  LoadDisplay display_;
};

// Prints the results image by image, in the requested format.
class Printer {
 public:
  Printer(const Arguments& arguments, const LearnState& state, PredictProgress& progress)
      : format_(arguments.format), progress_(progress) {
    const std::size_t top = std::min(arguments.top, state.classes.size());
    if (format_ == "csv") {
      out_ = "image";
      for (std::size_t k = 1; k <= top; ++k) {
        const std::string suffix = k == 1 ? "" : fmt::format("_{}", k);
        out_ += fmt::format(",label{0},probability{0}", suffix);
      }
      out_ += "\n";
    } else if (format_ == "json") {
      out_ = "[";
    }
    for (const std::string& name : state.classes) quoted_.push_back(field(name));
  }

  void print(const std::string& image, const std::vector<Guess>& guesses) {
    auto to = std::back_inserter(out_);
    if (format_ == "json") {
      begin_object(image);
      out_ += ", \"guesses\": [";
      for (std::size_t k = 0; k < guesses.size(); ++k) {
        fmt::format_to(to, "{}{{\"label\": {}, \"probability\": {:.6g}}}", k == 0 ? "" : ", ",
                       quoted_[guesses[k].label], guesses[k].probability);
      }
      out_ += "]}";
    } else if (format_ == "csv") {
      // The path of the same file, which no spreadsheet executes and a manifest can name.
      out_ += field(guarded_text(image) == image ? image : "./" + image);
      for (const Guess& guess : guesses)
        fmt::format_to(to, ",{},{:.6g}", quoted_[guess.label], guess.probability);
      out_ += "\n";
    } else {
      out_ += field(image);
      for (const Guess& guess : guesses)
        fmt::format_to(to, "  {} {:.3f}", quoted_[guess.label], guess.probability);
      out_ += "\n";
    }
  }

  void print_error(const std::string& image, const std::string& reason) {
    if (format_ == "json") {
      begin_object(image);
      out_ += ", \"error\": " + field(reason) + "}";
    }
    flush();
    progress_.tell(printable(fmt::format("{}: {}", image, reason)));
    ++errors_;
  }

  void flush() {
    if (std::fwrite(out_.data(), 1, out_.size(), stdout) != out_.size())
      throw DataError(kOutputFailed);
    out_.clear();
  }

  void finish() {
    if (format_ == "json") out_ += "\n]\n";
    flush();
  }

  std::size_t errors() const { return errors_; }

 private:
  std::string field(const std::string& text) const {
    constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
    if (format_ == "json") return nlohmann::json(text).dump(-1, ' ', false, kReplace);
    return format_ == "csv" ? csv_field(guarded_text(text)) : printable(text);
  }
  void begin_object(const std::string& image) {
    out_ += is_first_ ? "\n " : ",\n ";
    is_first_ = false;
    out_ += "{\"image\": " + field(image);
  }

  std::string format_;
  PredictProgress& progress_;
  std::vector<std::string> quoted_;  // names of classes
  std::string out_;
  bool is_first_ = true;
  std::size_t errors_ = 0;
};

void predict_one(LearnState& state, const PredictInput& question, std::size_t top,
                 Printer& printer) {
  std::vector<std::uint8_t> pixels(state.options.shape.bytes());
  try {
    decode_image(question.image, "-", state.options.shape, pixels);
  } catch (const ImageError& error) {
    printer.print_error(error.name(), error.reason());
    return;
  }
  const std::uint8_t* const image = pixels.data();
  std::vector<std::uint8_t> storage;
  const auto rows = rows_for(state, {&image, 1}, storage, {});
  printer.print("-", predict(state, rows, top).front());
}

int execute(const Arguments& arguments) {
  std::error_code ignored;
  if (fs::is_regular_file(arguments.state, ignored) && is_called_like_an_image(arguments.state)) {
    throw UsageError(
        fmt::format("{}: is an image; the state comes first: gpscl predict STATE "
                    "IMAGES...",
                    arguments.state));
  }
  LearnState state = StateFolder(arguments.state).load();
  const PredictInput question = read_question(arguments.images);
  const StopFlag& stop = stop_on_signals();
  Executor executor(workers_for(arguments.jobs, nullptr));
  PredictProgress progress(question.files.size());
  Printer printer(arguments, state, progress);
  if (!question.image.empty()) predict_one(state, question, arguments.top, printer);

  // Work in parts, so that any number of images fits into memory and results appear early.
  constexpr std::size_t kPart = 1024;
  const std::size_t bytes = state.options.shape.bytes();
  const std::span<const ImageFile> all = question.files;
  for (std::size_t first = 0; first < all.size(); first += kPart) {
    const auto part = all.subspan(first, std::min(kPart, all.size() - first));
    const LoadHooks quiet{.executor = &executor, .stop = &stop, .progress = {}};
    LoadHooks shown = quiet;
    shown.progress = [&](const LoadProgress& now) { progress.update(first + now.done); };
    // A backbone takes longer than decoding does, and without one there are no features to wait
    // for.
    const bool has_backbone = state.options.has_backbone();
    const DecodedImages decoded =
        decode_images(part, state.options.shape, has_backbone ? quiet : shown);
    std::vector<const std::uint8_t*> images;
    for (std::size_t k = 0; k < decoded.good.size(); ++k)
      images.push_back(decoded.bytes.data() + k * bytes);
    std::vector<std::uint8_t> storage;
    const auto guesses = predict(state, rows_for(state, images, storage, shown), arguments.top);
    std::size_t good = 0;
    std::size_t bad = 0;
    for (std::size_t k = 0; k < part.size(); ++k) {
      if (good < decoded.good.size() && decoded.good[good] == k) {
        printer.print(part[k].path.native(), guesses[good++]);
      } else {
        printer.print_error(part[k].path.native(), decoded.bad[bad++].reason);
      }
    }
    printer.flush();
  }
  printer.finish();
  return printer.errors() == 0 ? 0 : 1;
}

}  // namespace

const CommandTable& predict_table() {
  static const CommandTable table = {
      R"(gpscl predict: classify images with a learnt state, with probabilities

Usage: gpscl predict STATE IMAGES... [OPTIONS]

IMAGES are JPEG, PNG, WebP or GIF files, folders (all files in them with an image extension, in
natural order), or - for standard input: one image, or paths of images, one per line.

Options:
)",
      {place("state", "DIR"), place("images", "FILE")},
      predict_options().rows(),
      R"(
If images cannot be read, they are named on standard error, the others are classified, and the exit
code is 1.

Example:
  gpscl predict state photo.png inbox/ --top 3
  find inbox -name '*.png' | gpscl predict state - --format csv
)"};
  return table;
}

void add_predict_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("predict", predict_table().help());
  command->set_help_flag();
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("state", arguments->state);
  command->add_option("images", arguments->images);
  command->add_flag("-h,--help", arguments->wants_help);
  bind(*command, predict_options(), *arguments);
  command->callback([arguments, &exit_code] {
    if (arguments->wants_help) {
      fmt::print("{}", predict_table().help());
      return;
    }
    if (arguments->state.empty() || arguments->images.empty())
      throw UsageError("expected gpscl predict STATE IMAGES...; see gpscl predict --help");
    exit_code = execute(*arguments);
  });
}

}  // namespace gps::cli
