// A value in a file from outside, with the way that leads to it: asks what it is before it is
// taken, and says what is wrong and where: `reports[0].rows[2].trials: not a number`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hilsa {

// Nothing that is counted or timed is larger, and so sums of thousands of such do not overflow.
inline constexpr std::int64_t kWholeMax = std::int64_t{1} << 53;

class JsonField {
 public:
  // The whole file; `json` must outlive it.
  explicit JsonField(const nlohmann::json& json) : json_(json) {}
  // It refers to the field that it was found in.
  JsonField(const JsonField&) = delete;
  JsonField& operator=(const JsonField&) = delete;

  bool is_object() const;
  bool is_null() const;
  bool is(std::string_view text) const;  // that text

  // All of these throw ResultUnreadable where the value is another.
  std::string text() const;  // visible_lines() of it
  bool truth() const;
  double number() const;  // finite, at least 0
  std::int64_t whole(std::int64_t lowest, std::int64_t highest) const;
  std::uint64_t seed() const;  // any that there is
  std::size_t length() const;  // of an array

  // Of an object, and of an array by its place, which must be one.
  bool has(std::string_view name) const;
  JsonField operator[](std::string_view name) const;
  JsonField at(std::size_t place) const;
  // `read_one(name, field)` for each field of an object, by their names in order.
  template <typename Read>
  void each(const Read& read_one) const {
    for (const std::string& name : names()) read_one(name, (*this)[name]);
  }

  // What must be there; what may be missing and then stays as it is.
  template <typename T>
  void get(std::string_view name, T& to) const {
    read((*this)[name], to);
  }
  template <typename T>
  void get_if(std::string_view name, T& to) const {
    if (has(name)) get(name, to);
  }

  [[noreturn]] void fail(const std::string& what) const;

 private:
  JsonField(const nlohmann::json& json, const JsonField* parent, std::string_view name,
            std::size_t place)
      : json_(json), parent_(parent), name_(name), place_(place) {}
  std::vector<std::string> names() const;
  std::string path() const;

  const nlohmann::json& json_;
  const JsonField* parent_ = nullptr;
  std::string_view name_;  // in an object
  std::size_t place_ = 0;  // in an array
};

inline void read(const JsonField& json, std::string& to) { to = json.text(); }
inline void read(const JsonField& json, bool& to) { to = json.truth(); }
inline void read(const JsonField& json, double& to) { to = json.number(); }
// Counts and times: never negative.
inline void read(const JsonField& json, std::int64_t& to) { to = json.whole(0, kWholeMax); }
inline void read(const JsonField& json, int& to) {
  to = static_cast<int>(json.whole(0, std::numeric_limits<int>::max()));
}

template <typename T>
void read(const JsonField& json, std::vector<T>& to) {
  const std::size_t length = json.length();
  to.clear();
  for (std::size_t i = 0; i < length; ++i) {
    T one;
    read(json.at(i), one);
    to.push_back(std::move(one));
  }
}

template <typename T>
void read(const JsonField& json, std::optional<T>& to) {
  T one;
  read(json, one);
  to = std::move(one);
}

template <typename T>
void read(const JsonField& json, std::map<std::string, T>& to) {
  to.clear();
  json.each([&](const std::string& name, const JsonField& value) { read(value, to[name]); });
}

}  // namespace hilsa
