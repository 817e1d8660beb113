// Saves state that must outlive the process as bytes. One function both writes and reads the state,
// so that the two cannot disagree: a writing archive copies the values, a reading archive sets
// them.
//
//   void persist(Archive& archive) { archive(slots_, oldest_); }
//
// Handles numbers, enumerators, strings, vectors, arrays, pairs, maps, optionals, and every type
// with its own persist(). Bytes are little-endian and sizes have 64 bits. Throws DataError when
// reading beyond the end, or when a size or name differs from the one written; the message says
// which.
//
// A checksum finds damage, but not bytes that somebody made. So what is read is checked before it
// is used: sizes against the bytes that are left, and by between(), sized() and require() whatever
// indexes something or is counted with.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "gps/core/errors.h"

namespace gps {

class Archive {
  static_assert(std::endian::native == std::endian::little);

 public:
  Archive() = default;                                                             // writes
  explicit Archive(std::string bytes) : reads_(true), bytes_(std::move(bytes)) {}  // reads

  bool is_reading() const { return reads_; }
  const std::string& bytes() const { return bytes_; }

  template <typename... Values>
  void operator()(Values&... values) {
    (exchange(values), ...);
  }

  // Writes a name between values. Reading another name there is an error, which tells where the
  // state went wrong.
  void section(std::string_view name) {
    std::string found(name);
    exchange(found);
    if (found != name) fail(std::string(name).append(" is not in its place"));
  }

  // Writes a value that both sides know. Reading another value is an error.
  template <typename T>
  void same(const T& value, std::string_view name) {
    T found = value;
    exchange(found);
    if (found != value) fail(std::string(name).append(" differs"));
  }

  // Writes or reads values in existing storage. The number of values must be the same.
  template <typename T>
  void in_place(std::span<T> values) {
    same(static_cast<std::uint64_t>(values.size()), "number of values");
    raw(values.data(), values.size_bytes());
  }

  // Writes or reads the number of elements that take at least `least` bytes each. Throws DataError
  // if the remaining bytes cannot hold that many, so that a damaged size cannot cause a huge
  // allocation.
  std::size_t count(std::size_t size, std::size_t least) {
    std::uint64_t found = size;
    exchange(found);
    expect(found, least);
    return found;
  }

  // When reading, throws DataError if the remaining bytes cannot hold `count` elements of at least
  // `least` bytes each. To be called before the elements get their memory.
  void expect(std::uint64_t count, std::uint64_t least) const {
    if (reads_ && least > 0 && count > (bytes_.size() - at_) / least) fail("cut short");
  }

  // Writes or reads a number or an enumerator. Throws DataError if it reads one that is not between
  // `least` and `most`.
  template <typename T>
  void between(T& value, std::type_identity_t<T> least, std::type_identity_t<T> most,
               std::string_view name) {
    exchange(value);
    if (!reads_ || (value >= least && value <= most)) return;  // NaN is not between them
    fail(std::string(name)
             .append(" is ")
             .append(text_of(value))
             .append(", must be between ")
             .append(text_of(least))
             .append(" and ")
             .append(text_of(most)));
  }

  // Writes or reads a list. Throws DataError if it reads one of another size.
  template <typename List>
  void sized(List& list, std::size_t size, std::string_view name) {
    exchange(list);
    if (!reads_ || list.size() == size) return;
    fail(std::string(name)
             .append(" has ")
             .append(text_of(list.size()))
             .append(" values, must have ")
             .append(text_of(size)));
  }

  // Throws DataError with this problem unless `is_right`, for what follows from several values.
  static void require(bool is_right, std::string_view problem) {
    if (!is_right) fail(std::string(problem));
  }

  // Throws DataError if a reading archive has bytes left over.
  void finish() const {
    if (reads_ && at_ != bytes_.size()) fail("longer than expected");
  }

 private:
  [[noreturn]] static void fail(const std::string& what) {
    throw DataError(std::string("saved state: ").append(what));
  }

  void raw(void* values, std::size_t size) {
    if (size == 0) return;
    if (!reads_) {
      bytes_.append(static_cast<const char*>(values), size);
      return;
    }
    if (size > bytes_.size() - at_) fail("cut short");
    std::memcpy(values, bytes_.data() + at_, size);
    at_ += size;
  }

  template <typename T>
  static constexpr bool kIsPlain = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

  template <typename T>
  static std::string text_of(T value) {
    if constexpr (std::is_enum_v<T>) {
      return std::to_string(static_cast<std::underlying_type_t<T>>(value));
    } else {
      return std::to_string(value);
    }
  }

  template <typename T>
  void exchange(T& value) {
    if constexpr (requires { value.persist(*this); }) {
      value.persist(*this);
    } else if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t byte = value ? 1 : 0;
      raw(&byte, 1);
      value = byte != 0;
    } else if constexpr (std::is_enum_v<T>) {
      auto number = static_cast<std::underlying_type_t<T>>(value);
      exchange(number);
      value = static_cast<T>(number);
    } else {
      static_assert(kIsPlain<T>, "give it a persist()");
      raw(&value, sizeof(value));
    }
  }

  void exchange(std::string& text) {
    text.resize(count(text.size(), 1));
    raw(text.data(), text.size());
  }

  template <typename T>
  void exchange(std::vector<T>& values) {
    const std::size_t size = count(values.size(), kIsPlain<T> ? sizeof(T) : 1);
    if constexpr (kIsPlain<T>) {
      values.resize(size);
      raw(values.data(), values.size() * sizeof(T));
    } else if constexpr (std::is_same_v<T, bool>) {
      values.resize(size);
      for (std::size_t k = 0; k < values.size(); ++k) {
        bool value = values[k];
        exchange(value);
        values[k] = value;
      }
    } else if (reads_) {
      // One by one, because an element can be much larger in memory than its bytes here.
      values.clear();
      for (std::size_t k = 0; k < size; ++k) exchange(values.emplace_back());
    } else {
      for (T& value : values) exchange(value);
    }
  }

  template <typename T, std::size_t size>
  void exchange(std::array<T, size>& values) {
    for (T& value : values) exchange(value);
  }

  template <typename A, typename B>
  void exchange(std::pair<A, B>& values) {
    exchange(values.first);
    exchange(values.second);
  }

  template <typename Key, typename Value>
  void exchange(std::map<Key, Value>& values) {
    std::vector<std::pair<Key, Value>> list(values.begin(), values.end());
    exchange(list);
    if (reads_) values = std::map<Key, Value>(list.begin(), list.end());
  }

  template <typename T>
  void exchange(std::optional<T>& value) {
    bool has_value = value.has_value();
    exchange(has_value);
    if (!has_value) {
      value.reset();
      return;
    }
    if (!value) value.emplace();
    exchange(*value);
  }

  bool reads_ = false;
  std::string bytes_;
  std::size_t at_ = 0;
};

}  // namespace gps
