// A file to write lines to; compressed with zstd when it is called `.zst`.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

struct ZSTD_CCtx_s;

namespace hilsa {

// Not thread-safe. A failed write (a full disk) is remembered, and nothing is written after it: the
// file stays good up to there.
class OutputFile {
 public:
  // Creates or replaces the file. Throws std::system_error when it cannot be opened.
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  // Hands everything to the operating system, in a form that can be read even if nothing follows.
  void flush();
  // As flush(); compressed data get their end. Nothing may be written afterwards.
  void finish();
  bool failed() const { return failed_; }

 private:
  void compress(std::string_view text, int directive);
  void put(const char* bytes, std::size_t size);

  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
    void operator()(ZSTD_CCtx_s* compressor) const;
  };
  std::unique_ptr<std::FILE, Closer> file_;
  std::unique_ptr<ZSTD_CCtx_s, Closer> compressor_;  // none: as it is
  std::vector<char> compressed_;
  bool is_finished_ = false;
  bool failed_ = false;
};

}  // namespace hilsa
