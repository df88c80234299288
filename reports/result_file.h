// What the writer and the reader of result.json agree on.
#pragma once

#include <cstdint>
#include <string_view>

namespace hilsa {

inline constexpr std::string_view kResultFormat = "hilsa-result";
// Rises when a reader of the version before would get something wrong; not for further fields.
inline constexpr std::int64_t kResultVersion = 1;

inline constexpr std::string_view kRunKind = "run";
inline constexpr std::string_view kExploreKind = "explore";

}  // namespace hilsa
