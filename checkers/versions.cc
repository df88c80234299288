#include "checkers/versions.h"

#include <algorithm>

namespace hilsa {

void Findings::add(Finding finding) {
  const auto at = static_cast<std::size_t>(finding.anomaly);
  ++counts_[at];
  if (kept_[at].size() < keep_) kept_[at].push_back(std::move(finding));
}

std::span<const Versions::Unread> Versions::unread_of(ObjectIndex object) const {
  const auto before = [](const Unread& one, ObjectIndex wanted) { return one.object < wanted; };
  const auto begin = std::lower_bound(unread.begin(), unread.end(), object, before);
  auto end = begin;
  while (end != unread.end() && end->object == object) ++end;
  return {begin, end};
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
