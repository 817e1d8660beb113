#include "gps/core/text/normal_form.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>
#include <new>

#include "gps/core/text/printable.h"

namespace gps {
namespace {

std::string mapped(std::string_view text, int options) {
  if (!is_utf8(text)) return std::string(text);
  utf8proc_uint8_t* bytes = nullptr;
  const utf8proc_ssize_t length = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
      static_cast<utf8proc_ssize_t>(text.size()), &bytes, static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(bytes, &std::free);
  if (length == UTF8PROC_ERROR_NOMEM) throw std::bad_alloc();
  if (length < 0) return std::string(text);
  return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length)};
}

}  // namespace

std::string normal_form(std::string_view text) {
  return mapped(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
}

std::string without_case(std::string_view text) {
  const std::string same = mapped(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
  constexpr const char* kBlank = " \t\r\n\v\f";
  const std::size_t first = same.find_first_not_of(kBlank);
  if (first == std::string::npos) return {};
  return same.substr(first, same.find_last_not_of(kBlank) + 1 - first);
}

}  // namespace gps
