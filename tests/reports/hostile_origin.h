// An origin with one text wherever there can be text.
#pragma once

#include <string>

#include "reports/origin.h"

namespace hilsa::tests {

inline Origin hostile_origin(const std::string& text) {
  return {.subcommand = text,
          .command = text,
          .suite = text,
          .database = text,
          .started_at = text,
          .took_s = 1,
          .settings = {{text, text, text}}};
}

}  // namespace hilsa::tests
