#include "checkers/versions.h"

namespace hilsa {

void Findings::add(Finding finding) {
  const auto at = static_cast<std::size_t>(finding.anomaly);
  ++counts_[at];
  if (kept_[at].size() < keep_) kept_[at].push_back(std::move(finding));
}

Place Versions::next_by_another(ObjectIndex object, Place at) const {
  const Place last = last_place(object);
  const TxnIndex own = at == 0 ? kNone : writer_at(object, at);
  for (Place next = at + 1; next <= last; ++next) {
    if (writer_at(object, next) != own) return next;
  }
  return kNone;
}

}  // namespace hilsa
