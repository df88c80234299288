#include "reports/html/figures.h"

#include <fmt/format.h>

namespace hilsa {

std::string grouped(std::int64_t number) {
  const std::string digits = fmt::format("{}", number);
  const std::size_t sign = number < 0 ? 1 : 0;
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > sign && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string grouped(double number) {
  constexpr double kExact = 9e15;
  if (!(number > -kExact && number < kExact)) return fmt::format("{:.3g}", number);
  return grouped(static_cast<std::int64_t>(number + (number < 0 ? -0.5 : 0.5)));
}

std::string count_or_blank(std::int64_t number) { return number == 0 ? "" : grouped(number); }

std::string milliseconds_of(Nanoseconds value) {
  const double number = static_cast<double>(value) / 1e6;
  if (number < 1) return fmt::format("{:.3f}", number);
  if (number >= 1000) return grouped(number);
  return fmt::format("{:.{}f}", number, number < 10 ? 2 : number < 100 ? 1 : 0);
}

std::string counted(std::int64_t number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped(number), number == 1 ? one : many);
}

}  // namespace hilsa
