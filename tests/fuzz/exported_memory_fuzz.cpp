// The exported memory of a run (safetensors), and the sheet of its images in a report.
#include "experiments/tiny_run.h"
#include "fuzz/fuzz.h"
#include "gps/experiments/export/export.h"
#include "gps/report/page/contact_sheet.h"

namespace gps::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Spec spec = testing::tiny_spec("reservoir");
  put(exported_memory_file(spec, 0, folder()), text_of(data, size));
  ExportedMemory memory;
  if (!is_readable([&] { memory = read_exported_memory(spec, 0, folder()); })) return 0;
  require(memory.images.size() == memory.tasks.size() * memory.shape.bytes(),
          "every example has an image");
  if (memory.tasks.empty()) return 0;
  is_readable([&] { contact_sheet(memory); });
  return 0;
}

}  // namespace gps::fuzz
