#include "checkers/large_array.h"

#include <sys/mman.h>

#include <memory>

namespace hilsa {

void prefer_huge_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  // Whole huge pages only: what else is in the first and the last is not ours.
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  if (std::align(kHugePage, kHugePage, begin, bytes) == nullptr) return;
  // Where it is refused, ordinary pages do.
  madvise(begin, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
#endif
}

}  // namespace hilsa
