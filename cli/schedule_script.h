// Schedules as SQL that a person can read, and run by hand: statements as the application would
// have written them, with their values.
#pragma once

#include <string>
#include <vector>

#include "harness/schedule/exploration.h"

namespace hilsa {

// A statement's texts on this product, usually one. Tables are called hilsa_NAME: nothing that a
// user has is called so.
std::vector<std::string> sql_of(const Call& step, Product product);

// What the database answered, for people: `stock 1`, `1 row`, `deadlock (40P01): …`.
std::string answer_of(const TakenStep& step);

// The schedule as a script: tables and rows that it starts from, each statement with its session in
// a comment, what must be in the tables then. `title`: lines for its head.
std::string script_of(const RunSchedule& schedule, Product product,
                      const std::vector<std::string>& title);

}  // namespace hilsa
