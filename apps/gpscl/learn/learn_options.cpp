#include "learn/learn_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gps/benchmarks/own_stream.h"
#include "gps/core/text.h"
#include "gps/deployment/new_data.h"

namespace gps::cli {
namespace {

constexpr int kUsualMemory = 500;
constexpr int kMostSide = 1024;

void set_size(ImageShape& shape, const std::string& text) {
  const auto size = parse_image_size(text);
  if (!size || std::max(size->first, size->second) > kMostSide) {
    throw UsageError(fmt::format(
        "--image-size must be N or HxW, with sides of 1 to {} pixels, got '{}'", kMostSide, text));
  }
  shape.height = size->first;
  shape.width = size->second;
}

// Returns the number of channels, or 0 to use that of the images.
int parse_channels(const std::string& text) {
  if (text == "auto") return 0;
  if (text == "grey") return 1;
  if (text == "rgb") return 3;
  throw UsageError(fmt::format("--colour must be auto, grey or rgb, got '{}'", text));
}

// Sets one option of the network by its key.
void set_network(NetworkOptions& network, const std::string& key, const std::string& text) {
  for (const BoundOption<NetworkOptions>& each : network_options()) {
    if (each.row.key != key) continue;
    const OptionValue value = parse(each.row, text);
    check(each.row, value);
    each.set(network, value);
  }
}

std::vector<int> parse_hidden(const std::string& text) {
  NetworkOptions network;
  set_network(network, "hidden", text);
  return network.hidden;
}

// Returns how many images fit into this many megabytes.
int images_in(double megabytes, const ImageShape& shape) {
  const double images = std::floor(megabytes * 1e6 / static_cast<double>(shape.bytes()));
  if (!(megabytes > 0 && images < 1e9))
    throw UsageError(fmt::format("--memory-mb must be a positive number, got {}", megabytes));
  if (images < 1) {
    throw UsageError(fmt::format(
        "--memory-mb {} is less than one image: {} x {} in {} take {} bytes", megabytes,
        shape.height, shape.width, shape.channels == 1 ? "grey" : "colour", shape.bytes()));
  }
  return static_cast<int>(images);
}

std::string label_of(const std::string& policy) {
  PolicyOptions options;
  set_policy(options, policy);
  return policy_label(options);
}

}  // namespace

void LearnArguments::add_to(CLI::App& command) {
  command.add_option("state", state);
  command.add_option("data", data);
  command.add_flag("-h,--help", wants_help);
  command.add_flag("--status", wants_status);
  command.add_flag("--history", wants_history);
  command.add_flag("--rollback", wants_rollback);
  command.add_option("--evaluate", evaluated);
  command.add_option("--model", model);
  command.add_option("--hidden", hidden);
  command.add_option("--width", width);
  command.add_option("--init", init);
  command.add_option("--precision", precision);
  command.add_option("--image-size", image_size);
  command.add_option("--colour", colour);
  command.add_option("--memory", memory);
  command.add_option("--memory-mb", memory_mb);
  command.add_option("--held-out", held_out);
  command.add_option("--learner", learner);
  command.add_option("--policy", policy);
  command.add_option("--seed", seed);
  command.add_option("--epochs", epochs);
  command.add_option("--batch", batch);
  command.add_option("--lr", learning_rate);
  command.add_option("--keep", keep);
  command.add_option("--name", name);
  command.add_flag("--skip-bad", skips_bad);
  command.add_flag("--again", again);
  command.add_flag("--no-new-classes", refuses_new_classes);
  command.add_flag("--no-wait", does_not_wait);
  command.add_flag("--json", json);
  command.add_option("--jobs", jobs)->check(CLI::Range(1, 1024));
}

std::vector<std::string> given_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 0 && option->get_name().starts_with("--"))
      names.push_back(option->get_name());
  }
  return names;
}

void LearnArguments::check_mean_something() const {
  std::vector<std::string> known;
  if (wants_status) known = {"--status"};
  if (wants_history) known = {"--history"};
  if (wants_rollback) known = {"--rollback", "--no-wait"};
  if (!evaluated.empty()) known = {"--evaluate", "--skip-bad", "--json", "--jobs"};
  if (known.empty()) return;
  for (const std::string& option : options_given) {
    if (std::find(known.begin(), known.end(), option) == known.end())
      throw UsageError(fmt::format("{} cannot be used with {}", option, known.front()));
  }
}

void LearnArguments::set_lasting(LearnOptions& options) const {
  Method& method = options.method;
  if (epochs) method.training.epochs = *epochs;
  if (batch) method.training.batch = method.learner.memory_batch = *batch;
  if (learning_rate) method.learner.learning_rate = *learning_rate;
  if (keep) options.keep = *keep;
}

LearnOptions LearnArguments::for_new_state(const ImageListing& listing) const {
  if (memory && memory_mb) throw UsageError("--memory and --memory-mb cannot be used together");
  LearnOptions options =
      learn_options(learner.value_or("er"), policy.value_or(""), model.value_or("mlp"));
  if (memory_mb && options.method.learner.name.starts_with("der")) {
    throw UsageError(
        fmt::format("--memory-mb cannot be used with learner '{}': it also stores four bytes for "
                    "each class with every image, and the number of classes is not known; use "
                    "--memory N",
                    options.method.learner.name));
  }
  NetworkOptions& network = options.method.network;
  if (hidden) set_network(network, "hidden", *hidden);
  if (width) set_network(network, "width", std::to_string(*width));
  if (init) network.weights = *init;
  if (precision) set_network(network, "precision", *precision);
  // With the project's own backend, the logits of old classes stay bit-identical when the head
  // grows.
  if (network.model == "resnet18") network.backend = "own";
  if (seed) options.seed = *seed;
  if (held_out) options.held_out = *held_out;
  options.memory = memory.value_or(kUsualMemory);
  set_lasting(options);
  settle(options);  // refuses bad options before any image is read

  const int channels = parse_channels(colour.value_or("auto"));
  if (!image_size || channels == 0) options.shape = shape_of(listing);
  if (image_size) set_size(options.shape, *image_size);
  if (channels > 0) options.shape.channels = channels;
  if (memory_mb) options.memory = images_in(*memory_mb, options.shape);
  network = identified(network);
  settle(options);
  return options;
}

void LearnArguments::change(LearnOptions& options) const {
  const auto same = [](const char* option, const auto& given, const auto& has) {
    if (!given || *given == has) return;
    throw UsageError(fmt::format(
        "{} is {} in this state and cannot change, got {}; only --epochs, --batch, --lr "
        "and --keep can",
        option, has, *given));
  };
  const NetworkOptions& network = options.method.network;
  const ImageShape& shape = options.shape;
  if (model && is_file(*model) && is_file(network.model)) {
    if (fingerprint(*model) != network.model_fingerprint)
      throw UsageError(fmt::format(
          "--model {} differs from the model file that this state was made with", *model));
  } else {
    same("--model", model, is_file(network.model) ? "a file" : network.model);
  }
  if (hidden && parse_hidden(*hidden) != network.hidden) {
    std::vector<std::string> units;
    for (const int each : network.hidden) units.push_back(std::to_string(each));
    same("--hidden", hidden, join(units, ","));
  }
  same("--width", width, network.width);
  if (init)
    throw UsageError(
        "--init can only be used when a state is made; this state has weights already");
  same("--precision", precision, name_of(network.precision));
  if (image_size) {
    ImageShape wanted = shape;
    set_size(wanted, *image_size);
    if (!(wanted == shape))
      same("--image-size", image_size, fmt::format("{}x{}", shape.height, shape.width));
  }
  if (colour && parse_channels(*colour) != 0)
    same("--colour", colour, std::string(shape.channels == 1 ? "grey" : "rgb"));
  same("--memory", memory, options.memory);
  if (memory_mb && images_in(*memory_mb, shape) != options.memory) {
    same("--memory-mb", memory_mb,
         static_cast<double>(options.memory) * static_cast<double>(shape.bytes()) / 1e6);
  }
  same("--held-out", held_out, options.held_out);
  same("--learner", learner, options.method.learner.name);
  if (policy && (options.method.policy.name == "none" ||
                 label_of(*policy) != policy_label(options.method.policy)))
    same("--policy", policy,
         options.method.policy.name == "none" ? "none" : policy_label(options.method.policy));
  same("--seed", seed, options.seed);
  set_lasting(options);
  settle(options);
}

}  // namespace gps::cli
