// Where a reader's bytes come from: a file, standard input, a text in memory; as they are or
// through zstd.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

namespace hilsa {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // At most `max` bytes; 0: there are no more. Throws std::system_error when reading fails, and
  // Malformed when the bytes are not what zstd makes.
  virtual std::size_t read(char* into, std::size_t max) = 0;
  // After the end: it came too early, in the middle of compressed data.
  virtual bool broke_off() const { return false; }
};

// `-` is standard input. What begins as zstd does or is called `.zst` is decompressed. Throws
// std::system_error when the file cannot be opened.
std::unique_ptr<ByteSource> open_source(const std::filesystem::path& path);
// The text must outlive the source.
std::unique_ptr<ByteSource> source_of_text(std::string_view text);

}  // namespace hilsa
