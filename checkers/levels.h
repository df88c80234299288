// Isolation levels of a verdict: all of them, in every form, and how they are ordered.
#pragma once

#include <span>

#include "checkers/verdict.h"

namespace hilsa {

// Every level in every form that it has, weakest first: plain ones, then strong session, then
// strict. Read uncommitted has no other form than the plain one: it says nothing about reads.
std::span<const LevelForm> all_levels();

}  // namespace hilsa
