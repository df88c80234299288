// With `HILSA_WRITE_PAGES=FOLDER html_tests` every sample becomes a file there, for a browser.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "reports/html/html_index.h"
#include "reports/html/html_report.h"
#include "tests/reports/html/sample_results.h"

namespace hilsa::tests {
namespace {

TEST(Pages, AreWrittenWhereSomebodyAsks) {
  const char* const folder = std::getenv("HILSA_WRITE_PAGES");
  if (folder == nullptr) GTEST_SKIP() << "only for the browser's test";
  const auto write = [folder](const std::string& name, const std::string& page) {
    std::ofstream file(std::string(folder) + "/" + name + ".html");
    file << page;
    EXPECT_TRUE(file.flush().good());
  };
  for (const auto& [name, result] : samples()) write(name, to_html_report(result));
  write("huge", to_html_report(huge("SELECT id, stock FROM products WHERE id = 1", 200)));
  write("index",
        to_html_index({{"20260301-123005-oversell", "compare oversell", "2026-03-01T12:30:05Z",
                        "PostgreSQL 15.18", "not as promised: optimistic is unsafe", true},
                       {"20260302-080000-doctors", "run doctors", "2026-03-02T08:00:00Z",
                        "MariaDB 10.11", "as promised: for-update is safe"},
                       {kHostile, kHostile, kHostile, kHostile, kHostile}}));
}

}  // namespace
}  // namespace hilsa::tests
