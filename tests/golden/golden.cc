#include "tests/golden/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace hilsa::tests {

std::string golden_folder() { return HILSA_GOLDEN_FOLDER; }

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = golden_folder() + "/" + name;
  const char* const rewrite = std::getenv("HILSA_REWRITE_GOLDEN");
  if (rewrite != nullptr && std::string(rewrite) == "1") {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path << " is missing; HILSA_REWRITE_GOLDEN=1 writes it";
  const std::string expected{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(expected, text) << "differs from " << path << "; HILSA_REWRITE_GOLDEN=1 writes it anew";
}

}  // namespace hilsa::tests
