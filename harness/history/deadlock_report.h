// What servers say of a deadlock, in plain data: PostgreSQL tells its victim ("Process 17 waits for
// ShareLock on transaction 42; blocked by process 18."), InnoDB keeps its latest one in its status.
// Texts of servers change with their versions: what is not understood is left out, never guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hilsa {

struct DeadlockReport {
  struct Wait {
    std::int64_t session = 0;     // Session::server_id()
    std::int64_t blocked_by = 0;  // likewise; 0: not said
    std::string lock;             // what it waits for, in the server's words
    std::string statement;        // that waits, likewise; empty: not said
    bool is_victim = false;       // said to be rolled back
  };
  std::vector<Wait> waits;
  // The account in one line without control characters, rows' contents left out.
  std::string words;
};

// Out of a victim's error: PostgreSQL's, and the simulated database's, which words it the same way.
// Nothing if there is no such account in it.
std::optional<DeadlockReport> deadlock_in_error(std::string_view server_text);

// The section on the latest deadlock in SHOW ENGINE INNODB STATUS; empty: there is none.
std::string_view innodb_deadlock_section(std::string_view status);
// Out of such a section, as MySQL or MariaDB word it.
std::optional<DeadlockReport> innodb_deadlock(std::string_view section);

}  // namespace hilsa
