// A store with any text in the row of a run, and in the row of an analysis.
#include "fuzz/stored_content.h"

namespace gps::fuzz {
namespace {

std::filesystem::path store_file() { return folder() / "runs.sqlite"; }

// A store with one run that is done, and a way to put anything into its rows.
struct Made {
  Store store{store_file()};
  Database database{store_file(), Database::Mode::read_write, std::chrono::milliseconds(0)};

  Made() {
    store.record_done(testing::tiny_run(testing::tiny_spec("reservoir")), this_process(),
                      /*seconds=*/1, /*now=*/100);
    database.execute("PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON");
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Made made;
  const std::vector<std::string> parts = parts_of(text_of(data, size), 8);
  Statement(made.database,
            "UPDATE runs SET spec = ?1, status = ?2, result = ?3, label = ?4, accuracy = ?5")
      .bind(1, parts[0])
      .bind(2, parts[1])
      .bind(3, parts[2])
      .bind(4, parts[3])
      .bind(5, parts[4])
      .run();
  made.database.execute("DELETE FROM analyses");
  StoredAnalysis analysis;
  analysis.kind = parts[5];
  analysis.options = parts[6];
  analysis.result = parts[7];
  made.store.record(analysis);
  Store::Options options;
  options.read_only = true;
  is_readable([&] {
    Store store(store_file(), options);
    read_store(store);
  });
  return 0;
}

}  // namespace gps::fuzz
