#include "harness/history/readers/byte_source.h"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/history/readers/malformed.h"

namespace hilsa {
namespace {

class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path) {
    if (path == "-") return;
    file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ < 0) throw std::system_error(errno, std::generic_category());
  }
  ~FileSource() override {
    if (file_ != STDIN_FILENO) close(file_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::size_t read(char* into, std::size_t max) override {
    for (;;) {
      const ssize_t got = ::read(file_, into, max);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) throw std::system_error(errno, std::generic_category());
    }
  }

 private:
  int file_ = STDIN_FILENO;
};

class TextSource : public ByteSource {
 public:
  explicit TextSource(std::string_view text) : rest_(text) {}
  std::size_t read(char* into, std::size_t max) override {
    const std::size_t size = std::min(max, rest_.size());
    if (size > 0) std::memcpy(into, rest_.data(), size);
    rest_.remove_prefix(size);
    return size;
  }

 private:
  std::string_view rest_;
};

// Gives back first what somebody looked at to see what it is.
class PeekedSource : public ByteSource {
 public:
  PeekedSource(std::string peeked, std::unique_ptr<ByteSource> rest)
      : peeked_(std::move(peeked)), front_(peeked_), rest_(std::move(rest)) {}
  std::size_t read(char* into, std::size_t max) override {
    const std::size_t size = front_.read(into, max);
    return size > 0 ? size : rest_->read(into, max);
  }

 private:
  std::string peeked_;
  TextSource front_;
  std::unique_ptr<ByteSource> rest_;
};

class ZstdSource : public ByteSource {
 public:
  explicit ZstdSource(std::unique_ptr<ByteSource> compressed)
      : compressed_(std::move(compressed)), stream_(ZSTD_createDStream()) {}
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;

  std::size_t read(char* into, std::size_t max) override {
    ZSTD_outBuffer out{into, max, 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size && !refill()) return 0;
      const std::size_t left = ZSTD_decompressStream(stream_, &out, &in_);
      if (ZSTD_isError(left) != 0) {
        throw Malformed{std::string("damaged zstd data (") + ZSTD_getErrorName(left) + ")",
                        "what zstd writes"};
      }
      frame_open_ = left != 0;
      all_given_ = out.pos < out.size;
    }
    return out.pos;
  }
  bool broke_off() const override { return frame_open_; }

 private:
  bool refill() {
    in_ = {block_.data(), compressed_->read(block_.data(), block_.size()), 0};
    // At the end there may still be something to give back that did not fit before.
    return in_.size > 0 || !std::exchange(all_given_, true);
  }

  std::unique_ptr<ByteSource> compressed_;
  ZSTD_DStream* stream_;
  std::vector<char> block_ = std::vector<char>(ZSTD_DStreamInSize());
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool frame_open_ = false;
  bool all_given_ = true;
};

constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

// The source again, and whether it starts as zstd does.
std::pair<std::unique_ptr<ByteSource>, bool> look_for_zstd(std::unique_ptr<ByteSource> source) {
  std::string start(kZstdMagic.size(), '\0');
  std::size_t size = 0;
  while (size < start.size()) {
    const std::size_t got = source->read(start.data() + size, start.size() - size);
    if (got == 0) break;
    size += got;
  }
  start.resize(size);
  const bool is_zstd = start == kZstdMagic;
  return {std::make_unique<PeekedSource>(std::move(start), std::move(source)), is_zstd};
}

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> source, bool named_zst) {
  auto [whole, is_zstd] = look_for_zstd(std::move(source));
  if (is_zstd || named_zst) return std::make_unique<ZstdSource>(std::move(whole));
  return std::move(whole);
}

}  // namespace

std::unique_ptr<ByteSource> open_source(const std::filesystem::path& path) {
  return decompressed(std::make_unique<FileSource>(path), path.extension() == ".zst");
}

std::unique_ptr<ByteSource> source_of_text(std::string_view text) {
  return decompressed(std::make_unique<TextSource>(text), false);
}

}  // namespace hilsa
