#include "harness/history/output_file.h"

#include <zstd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace hilsa {

void OutputFile::Closer::operator()(ZSTD_CCtx_s* compressor) const { ZSTD_freeCCtx(compressor); }

OutputFile::OutputFile(const std::filesystem::path& path) : file_(std::fopen(path.c_str(), "wb")) {
  if (!file_) throw std::system_error(errno, std::generic_category(), path.string());
  if (path.extension() != ".zst") return;
  compressor_.reset(ZSTD_createCCtx());
  compressed_.resize(ZSTD_CStreamOutSize());
}

OutputFile::~OutputFile() { finish(); }

void OutputFile::write(std::string_view text) {
  if (compressor_) {
    compress(text, ZSTD_e_continue);
  } else {
    put(text.data(), text.size());
  }
}

void OutputFile::flush() {
  if (is_finished_) return;
  if (compressor_) compress({}, ZSTD_e_flush);
  if (std::fflush(file_.get()) != 0) failed_ = true;
}

void OutputFile::finish() {
  if (std::exchange(is_finished_, true)) return;
  if (compressor_) compress({}, ZSTD_e_end);
  if (std::fflush(file_.get()) != 0) failed_ = true;
}

void OutputFile::compress(std::string_view text, int directive) {
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  for (bool is_done = false; !is_done && !failed_;) {
    ZSTD_outBuffer out{compressed_.data(), compressed_.size(), 0};
    const std::size_t left = ZSTD_compressStream2(compressor_.get(), &out, &in,
                                                  static_cast<ZSTD_EndDirective>(directive));
    if (ZSTD_isError(left) != 0) failed_ = true;
    put(compressed_.data(), out.pos);
    is_done = directive == ZSTD_e_continue ? in.pos == in.size : left == 0;
  }
}

void OutputFile::put(const char* bytes, std::size_t size) {
  if (!failed_ && std::fwrite(bytes, 1, size, file_.get()) != size) failed_ = true;
}

}  // namespace hilsa
