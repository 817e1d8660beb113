// Writes small valid inputs for every fuzz target: make_corpus FOLDER, which gets a folder for each
// target. Everything is made here, by the library and by what the tests use.
#include <fmt/format.h>

#include <array>
#include <exception>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "deployment/weeks.h"
#include "fuzz/archived_values.h"
#include "fuzz/cached_content.h"
#include "fuzz/checkpointed_runs.h"
#include "fuzz/fuzz.h"
#include "fuzz/small_network.h"
#include "fuzz/stored_images.h"
#include "gps/core/files/files.h"
#include "gps/core/files/framed.h"
#include "gps/data/sets/installed_sums.h"
#include "gps/experiments/export/export.h"
#include "gps/experiments/spec/spec_options.h"
#include "gps/experiments/store/store.h"
#include "gps/nn/safetensors.h"
#include "gps/probes/difficulty.h"
#include "support/gif_file.h"
#include "support/jpeg_file.h"
#include "support/png_file.h"
#include "support/served_sets.h"
#include "support/webp_file.h"

namespace gps::fuzz {
namespace {

namespace fs = std::filesystem;

class Corpus {
 public:
  explicit Corpus(fs::path folder) : folder_(std::move(folder)) {}

  void add(const std::string& target, const std::string& input) {
    put(folder_ / target / fmt::format("{:03}", ++counts_[target]), input);
  }

 private:
  fs::path folder_;
  std::map<std::string, int> counts_;
};

// The file as a text, once the library has written it.
std::string written(const std::string& name, const std::function<void(const fs::path&)>& write) {
  const fs::path file = folder() / "made" / name;
  fs::create_directories(file.parent_path());
  write(file);
  return gps::read_file(file);
}

// A drawing and a photograph, as every codec stores them.
void add_stored_images(Corpus& corpus) {
  const std::vector<StoredKind> kinds = stored_kinds();
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const auto& [codec, shape] = kinds[k];
    for (const bool is_drawing : {true, false}) {
      std::vector<std::uint8_t> image;
      for (std::size_t p = 0; p < shape.bytes(); ++p)
        image.push_back(static_cast<std::uint8_t>(is_drawing ? p / 40 % 3 * 100 : p * p / 50));
      std::vector<std::uint8_t> row(codec->stored_bytes(shape));
      codec->encode(image, shape, row);
      std::string input = {static_cast<char>(k % 256), static_cast<char>(k / 256)};
      input.append(row.begin(), row.end());
      corpus.add("stored_image", input);
    }
  }
}

void add_core(Corpus& corpus) {
  ArchivedValues values;
  corpus.add("archive", values.bytes());
  values.is_set = true;
  values.kind = ArchivedValues::Kind::second;
  values.real = 0.5;
  values.text = "text";
  values.numbers = {1, 2.5f};
  values.flags = {true, false};
  values.words = {"one", "two"};
  values.parts = {{1, "part"}, {2, ""}};
  values.pair = {3, "three"};
  values.map = {{"a", {1, 2}}, {"b", {}}};
  values.maybe = ArchivedPart{4, "maybe"};
  corpus.add("archive", values.bytes());

  constexpr FileKind kKind = {"a fuzzed file", "gpscl fuzz\n", 2};
  corpus.add("framed", framed(kKind, ""));
  corpus.add("framed", framed(kKind, "the body of a file"));

  for (const char* text :
       {"a,b\n1,2\n", "\xEF\xBB\xBFpath,label\r\n\"a, b\",\"say \"\"no\"\"\"\r\n",
        "one\n\n\"two\nlines\"\n"})
    corpus.add("csv", text);
  for (const char* text : {"path,label\na.png,cat\nb.png,dog\n",
                           "label,task,path,split,note\ncat,1,week1/a.png,train,\n"
                           "\"dog, brown\",2,week2/b.png,test,x\n",
                           "path\n a.png\n./b.png\n"})
    corpus.add("manifest", text);

  const std::vector<SpecOption>& options = spec_options();
  for (std::size_t k = 0; k < options.size(); ++k) {
    const Option& row = options[k].row;
    const std::string text = row.kind == OptionKind::flag ? "true" : gps::text_of(row.usual);
    const std::string index(1, static_cast<char>(k));
    corpus.add("options", index + text);
    if (row.kind == OptionKind::size) corpus.add("options", index + "784kB");
  }
}

void add_images(Corpus& corpus) {
  std::vector<std::string> files = {
      testing::jpeg_file({90}, 8, 8), testing::jpeg_file({200, 100, 50}, 16, 9),
      testing::jpeg_file({10, 20, 30}, 17, 8, /*is_progressive=*/true),
      testing::jpeg_file({1, 2, 3, 4}, 8, 8)};
  for (const std::string& file : files) corpus.add("jpeg", file);
  std::vector<std::string> others = {testing::plain_png({90}, 5, 4),
                                     testing::plain_png({200, 100, 50}, 3, 7)};
  others.push_back(testing::png_file(4, 2, {0x1B, 0xE4}, {.bit_depth = 2}));
  others.push_back(testing::png_file(2, 2, {0, 1, 0, 2, 0, 3, 0, 4}, {.bit_depth = 16}));
  testing::PngOptions interlaced;
  interlaced.is_interlaced = true;
  interlaced.text = "a comment";
  others.push_back(testing::png_file(3, 3, std::vector<std::uint8_t>(9, 7), interlaced));
  testing::PngOptions transparent;
  transparent.colour_type = PNG_COLOR_TYPE_RGB_ALPHA;
  others.push_back(testing::png_file(1, 2, {1, 2, 3, 4, 5, 6, 7, 8}, transparent));
  testing::PngOptions palette;
  palette.colour_type = PNG_COLOR_TYPE_PALETTE;
  palette.palette = {{1, 2, 3}, {250, 240, 230}};
  palette.palette_alpha = {0, 255};
  others.push_back(testing::png_file(2, 1, {0, 1}, palette));
  for (const std::string& file : others) corpus.add("png", file);
  files.insert(files.end(), others.begin(), others.end());
  const std::vector<std::string> webp = {
      testing::plain_webp({200, 100, 50, 255}, 9, 5),
      testing::plain_webp({200, 100, 50, 128}, 4, 4),
      testing::plain_webp({200, 100, 50, 128}, 17, 9, /*is_lossless=*/false)};
  for (const std::string& file : webp) corpus.add("webp", file);
  files.insert(files.end(), webp.begin(), webp.end());
  testing::GifOptions frames;
  frames.transparent = 2;
  frames.frames = 2;
  frames.is_interlaced = true;
  const std::vector<std::string> gif = {
      testing::gif_file(2, 2, {0, 1, 2, 3}),
      testing::gif_file(1, 9, {0, 1, 2, 3, 3, 2, 1, 0, 1}, frames)};
  for (const std::string& file : gif) corpus.add("gif", file);
  files.insert(files.end(), gif.begin(), gif.end());
  files.push_back(
      testing::with_segment(testing::jpeg_file({90}, 8, 16), 0xE1, testing::exif_segment(6)));
  for (const std::string& file : files) {
    corpus.add("decode_image", std::string("\0\x05\x06", 3) + file);
    corpus.add("decode_image", std::string("\x01\x1F\x02", 3) + file);
  }
  corpus.add("image_cache", written("decoded.images", [](const fs::path& file) {
               cached_images(file, cached_content(), {});
             }));
}

void add_sets(Corpus& corpus) {
  const std::string images = testing::idx_bytes(0x803, {2, 2, 3}, "abcdefghijkl");
  const std::string labels = testing::idx_bytes(0x801, {2}, std::string("\x01\x09", 2));
  corpus.add("idx", joined({images, labels}));
  corpus.add("idx", joined({testing::gzipped(images), testing::gzipped(labels)}));
  corpus.add("gzip", testing::gzipped("what a file contains"));
  corpus.add("gzip", "what a file contains");

  const std::string ten = testing::cifar_record("\x03", "abc");
  corpus.add("cifar", std::string(1, '\0') + joined({ten, ten}));
  const std::string hundred = testing::cifar_record("\x04\x17", "abc");
  corpus.add("cifar", std::string(1, '\x01') + joined({hundred, hundred}));

  corpus.add("tiny_imagenet", joined({"n1\nn2\n", "val_0.JPEG\tn1\t0\t0\t62\t62\nval_1.JPEG\tn2\n",
                                      testing::jpeg_file({1, 2, 3})}));
  corpus.add("tiny_imagenet", joined({"n2\r\nn1", "val_0.JPEG\tn2", testing::jpeg_file({9})}));

  const std::vector<testing::ArchiveEntry> entries = {
      {"set/", "", AE_IFDIR}, {"set/a.bin", "bytes"}, {"set/below/b.bin", "other bytes"}};
  for (const char* name : {"archive.zip", "archive.tar", "archive.tar.gz"}) {
    const std::string file =
        written(name, [&](const fs::path& path) { testing::write_archive(path, entries); });
    corpus.add("unpack", (name == std::string("archive.zip") ? '\0' : '\x01') + file);
  }

  const fs::path place = folder() / "set";
  put(place / "file", "content");
  write_sums(published_set("mnist"), place, {});
  corpus.add("sums", gps::read_file(place / kSumsFile));

  const std::string whole = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
  corpus.add("http", joined({"", whole, ""}));
  corpus.add("http", joined({"", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", ""}));
  corpus.add("http", joined({"he",
                             "HTTP/1.1 206 Partial Content\r\nContent-Length: 3\r\n"
                             "Content-Range: bytes 2-4/5\r\n\r\nllo",
                             ""}));
  corpus.add("http", joined({"hello",
                             "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */5\r\n"
                             "Content-Length: 0\r\n\r\n",
                             whole}));
  corpus.add("http", joined({"",
                             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                             "5\r\nhello\r\n0\r\n\r\n",
                             ""}));
}

void add_weights(Corpus& corpus) {
  std::vector<StoredTensor> weights;
  for (const NamedTensor& tensor : small_network()->tensors()) weights.push_back(stored(tensor));
  corpus.add("safetensors", written("weights.safetensors", [&](const fs::path& file) {
               write_safetensors(file, weights, {{"made_by", "a test"}});
             }));
  const std::vector<std::int64_t> numbers = {1, -2, 3};
  corpus.add("safetensors", written("numbers.safetensors", [&](const fs::path& file) {
               write_safetensors(file, {stored("numbers", "I64", {3}, numbers)});
             }));
}

// Sweeps are those of configs/.
void add_specs(Corpus& corpus) {
  for (const auto& entry : fs::directory_iterator(fs::path(GPSCL_SOURCE_DIR) / "configs")) {
    if (entry.path().extension() == ".toml") corpus.add("sweep", gps::read_file(entry.path()));
  }
  for (const Spec& spec : checkpointed_specs()) corpus.add("spec", to_json(spec).dump());
  for (const char* benchmark : {"p-mnist", "s-cifar-10", "tiny-imagenet"}) {
    for (const char* preset : {"paper", "mammoth"})
      corpus.add("spec", to_json(preset_spec(preset, benchmark, "er", 500)).dump());
  }
}

// Specs of runs whose results are a few kilobytes.
std::vector<Spec> short_specs() {
  std::vector<Spec> specs;
  for (const char* policy : {"reservoir", "gps"}) {
    Spec spec = testing::tiny_spec(policy);
    spec.benchmark.tasks = 2;
    spec.network.hidden = {4};
    spec.training = {/*epochs=*/1, /*batch=*/10};
    spec.memory = 8;
    specs.push_back(spec);
  }
  return specs;
}

void add_results(Corpus& corpus) {
  for (const Spec& spec : short_specs()) {
    RunHooks hooks;
    hooks.finished = [&](const RunResult& result, const Learner& learner, const Memory& memory,
                         const ImageShape& shape) {
      ExportOptions options;
      options.memory = true;
      export_run(result, learner, memory, shape, options, folder());
    };
    const RunResult result = testing::tiny_run(spec, /*seed=*/0, hooks);
    corpus.add("result", to_json(result).dump());
    corpus.add("exported_memory", gps::read_file(exported_memory_file(spec, 0, folder())));

    DifficultyOptions asked;
    asked.spec = spec;
    StoredAnalysis analysis;
    analysis.kind = DifficultyOptions::kKind;
    analysis.options = to_json(asked).dump();
    analysis.result = to_json(Difficulty{{{1, 0.5, 1.5, 0.6}}}).dump();
    corpus.add("runs", joined({to_json(spec).dump(), "done", to_json(result).dump(), "label", "0.5",
                               analysis.kind, analysis.options, analysis.result}));

    const fs::path file = folder() / (spec.policy.name + ".sqlite");
    {
      Store store(file);
      store.record_done(result, this_process(), /*seconds=*/1, /*now=*/100);
      store.claim(spec, /*seed=*/1, {}, this_process(), /*now=*/100);
      store.record(analysis);
    }
    corpus.add("store", std::string(1, '\0') + gps::read_file(file));
    corpus.add("store", std::string(1, '\x01') + gps::read_file(file));
  }
}

void add_states(Corpus& corpus) {
  const std::vector<std::array<std::string, 3>> methods = {
      {"er", "mixed", "raw"},        {"er", "gps", "raw"}, {"der", "reservoir", "raw"},
      {"icarl", "herding", "raw"},   {"sgd", "", "raw"},   {"er", "mixed", "pack:24"},
      {"der", "reservoir", "bits:2"}};
  Executor executor(1);
  for (const auto& [learner, policy, codec] : methods) {
    LearnOptions options = testing::tiny_options(learner, policy, /*memory=*/10);
    options.method.codec = codec;
    if (codec == "bits:2") options.method.learner.settings["logits"] = "int8";
    options.method.network.hidden = {3};
    options.method.training.epochs = 1;
    options.method.policy.settings["score_examples"] = 4;
    LearnState state(options);
    for (const int number : {1, 2}) {
      learn(state, testing::week(number, 2 * number - 2, 2 * number, /*per_class=*/10), executor);
      const std::uint32_t first = codec == "raw" ? 1 : kStateFormat;  // codecs are newer
      for (std::uint32_t format = first; format <= kStateFormat; ++format)
        corpus.add("state", static_cast<char>(format - 1) + to_bytes(state, format));
    }
  }
}

// Adds the state in the checkpoint of a run that stops once `is_time`.
void add_checkpoint(Corpus& corpus, std::size_t chosen,
                    const std::function<bool(const RunProgress&)>& is_time) {
  const Spec& spec = checkpointed_specs()[chosen];
  Executor executor(1);
  StopFlag stop;
  CheckpointOptions options;
  options.seconds = 1e9;
  Checkpoints checkpoints(folder() / "corpus.ckpt", options);
  checkpoints.remove();
  RunHooks hooks;
  hooks.stop = &stop;
  hooks.checkpoints = &checkpoints;
  hooks.progress = [&](const RunProgress& progress) {
    if (is_time(progress)) stop.request();
  };
  try {
    run(spec, /*seed=*/0, checkpointed_source(), executor, hooks);
  } catch (const Interrupted&) {
  }
  if (const auto state = checkpoints.load(checkpoint_identity(spec)))
    corpus.add("checkpoint", static_cast<char>(chosen) + *state);
}

void add_checkpoints(Corpus& corpus) {
  for (std::size_t chosen = 0; chosen < checkpointed_specs().size(); ++chosen) {
    add_checkpoint(corpus, chosen, [](const RunProgress& now) { return now.task == 3; });
    add_checkpoint(corpus, chosen, [](const RunProgress& now) {
      return now.task == 2 && now.is_simulating && now.futures_tried > 0;
    });
  }
}

void make_corpus(const fs::path& where) {
  Corpus corpus(where);
  add_core(corpus);
  add_stored_images(corpus);
  add_images(corpus);
  add_sets(corpus);
  add_weights(corpus);
  add_specs(corpus);
  add_results(corpus);
  add_states(corpus);
  add_checkpoints(corpus);
}

}  // namespace
}  // namespace gps::fuzz

int main(int count, char** words) {
  if (count != 2) {
    std::fputs("usage: make_corpus FOLDER\n", stderr);
    return 2;
  }
  try {
    gps::fuzz::make_corpus(words[1]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_corpus: %s\n", error.what());
    return 1;
  }
}
