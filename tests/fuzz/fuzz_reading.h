// What all fuzz targets do with their bytes: read them as a history. Either they are one, then it
// has to hold together and survive its own export; or they are not, and HistoryUnreadable says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hilsa {

// `start` is put before the bytes, so that they are taken for the format that is meant.
void fuzz_reading(std::string_view start, const std::uint8_t* bytes, std::size_t size);

}  // namespace hilsa
