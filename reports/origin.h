// Where a result comes from, beyond what it is about: when, by which command, on what settings.
#pragma once

#include <string>
#include <vector>

namespace hilsa {

struct Origin {
  std::string subcommand;  // run, compare, explore, ci
  // What repeats it, seed included, ready for a shell; never with a password.
  std::string command;
  // Of `ci`: the suite, and the database as its demands name it (`postgresql (main)`).
  std::string suite;
  std::string database;
  std::string started_at;  // UTC, ISO 8601
  double took_s = 0;
  struct Setting {
    std::string name;
    std::string value;
    std::string meaning;  // may be empty
    friend bool operator==(const Setting&, const Setting&) = default;
  };
  std::vector<Setting> settings;  // of the database, as far as they matter for races
};

}  // namespace hilsa
