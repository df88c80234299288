// A database whose sessions stop at a turnstile before each statement, when the thread that uses
// them is a client of one. Everybody else passes.
#pragma once

#include "harness/database/database.h"

namespace hilsa {

class ControlledDatabase final : public Database {
 public:
  // The inner database outlives this. Its table prefix is taken over from this one.
  explicit ControlledDatabase(Database& inner);

  Expected<std::unique_ptr<Session>> open_session() override;
  std::vector<Setting> settings() override { return inner_.settings(); }

 private:
  Database& inner_;
};

}  // namespace hilsa
