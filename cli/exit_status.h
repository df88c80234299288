// What the process's exit status says (DESIGN §8).
#pragma once

namespace hilsa {

enum class ExitStatus {
  as_promised = 0,
  violated = 1,           // something that was not promised away, or not as --expect said
  usage = 2,              // the command line makes no sense
  database_unusable = 3,  // unreachable, refused, a privilege missing
  unknown = 4,            // the verdict is unknown
};

}  // namespace hilsa
