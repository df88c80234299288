// Writes the results that the tests are about into a folder, in every form, for tests that are not
// C++ and for looking at: NAME.json, NAME.xml, NAME.md, NAME.github.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "tests/reports/rich_results.h"

namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file.string());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_reports FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  for (const hilsa::tests::RichResult& rich : hilsa::tests::rich_results()) {
    const hilsa::ReportSet result = rich.make();
    const std::string name(rich.name);
    write(folder / (name + ".json"), hilsa::to_result_json(result));
    write(folder / (name + ".xml"), hilsa::to_junit_report(result));
    write(folder / (name + ".md"), hilsa::to_markdown_report(result));
    write(folder / (name + ".github"), hilsa::to_github_annotations(result));
  }
  return 0;
}
