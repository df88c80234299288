// Expected texts in files beside this one. With HILSA_REWRITE_GOLDEN=1 in the environment they are
// written anew instead of compared; the change is then reviewed as a diff.
#pragma once

#include <string>

namespace hilsa::tests {

// Compares with tests/golden/NAME; a difference fails the test that runs.
void expect_golden(const std::string& name, const std::string& text);

// The folder's path.
std::string golden_folder();

}  // namespace hilsa::tests
