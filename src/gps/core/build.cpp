#include "gps/core/build.h"

#include <fmt/format.h>
#include <link.h>

#include <cstring>

#include "gps/core/simd_target.h"
#include "gps/core/version.h"

namespace gps {
namespace {

// The fields of an ELF note are padded to multiples of four bytes.
std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

std::string build_id_in(const char* notes, std::size_t size) {
  for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    ElfW(Nhdr) note{};
    std::memcpy(&note, notes + at, sizeof(note));
    const char* name = notes + at + sizeof(note);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
      std::string text;
      for (std::size_t k = 0; k < note.n_descsz; ++k)
        text += fmt::format("{:02x}", static_cast<unsigned char>(name[4 + k]));
      return text;
    }
    at += sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz);
  }
  return {};
}

// Called for each loaded object; stops at the object that contains this function.
int find_build_id(dl_phdr_info* object, std::size_t /*size*/, void* found) {
  const auto here = reinterpret_cast<ElfW(Addr)>(&find_build_id);
  bool is_ours = false;
  std::string id;
  for (int k = 0; k < object->dlpi_phnum; ++k) {
    const ElfW(Phdr)& part = object->dlpi_phdr[k];
    const ElfW(Addr) start = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && here >= start && here < start + part.p_memsz) is_ours = true;
    if (part.p_type == PT_NOTE && id.empty()) {
      // The loader gives addresses as numbers.
      const auto* note = reinterpret_cast<const char*>(start);  // NOLINT(performance-no-int-to-ptr)
      id = build_id_in(note, part.p_memsz);
    }
  }
  if (!is_ours) return 0;
  *static_cast<std::string*>(found) = id;
  return 1;
}

}  // namespace

std::string build_identity() {
  std::string id;
  dl_iterate_phdr(find_build_id, &id);
  return fmt::format("{} {} {}", kVersion, simd_target(), id.empty() ? __VERSION__ : id);
}

}  // namespace gps
