// SPDX-License-Identifier: Apache-2.0
#include "cli/options/ruling_flags.h"

#include <filesystem>

#include "core/file.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;

fs::path root_of(const fs::path& folder) {
  std::error_code failure;
  for (fs::path at = folder;; at = at.parent_path()) {
    if (fs::exists(at / ".git", failure)) return at;
    if (at == at.parent_path()) return folder;
  }
}

}  // namespace

std::string RulingFlags::given() const {
  if (!junit.empty()) return "--junit";
  if (!sarif.empty()) return "--sarif";
  if (!markdown.empty()) return "--markdown";
  return annotations.empty() ? "" : "--annotations";
}

void add_rulings(Parser& parser, RulingFlags& flags) {
  parser
      .option("--junit", flags.junit,
              "Write JUnit XML with a test case for each line of the result")
      .type("FILE");
  parser
      .option("--sarif", flags.sarif,
              "Write SARIF 2.1.0 with a result for each cause or failing assertion")
      .type("FILE");
  parser
      .option("--markdown", flags.markdown,
              "Write the result as a Markdown comment for a pull request")
      .type("FILE");
  parser
      .option("--annotations", flags.annotations,
              "Write GitHub workflow commands; a job that prints them shows them in the diff")
      .type("FILE");
}

std::vector<OutputFile> with_rulings(std::vector<OutputFile> others, const RulingFlags& flags) {
  others.push_back({"--junit", flags.junit});
  others.push_back({"--sarif", flags.sarif});
  others.push_back({"--markdown", flags.markdown});
  others.push_back({"--annotations", flags.annotations});
  return others;
}

Status write_rulings(const RulingFlags& flags, const report::Rulings& rulings) {
  const auto write = [](const std::string& file, const std::string& text) -> Status {
    return file.empty() ? Status() : write_file(file, view_of(text));
  };
  EP_CHECK(write(flags.junit, report::junit_text(rulings)));
  EP_CHECK(write(flags.sarif, report::sarif_text(rulings, EDGEPROBE_VERSION)));
  EP_CHECK(write(flags.markdown, report::markdown_text(rulings)));
  return write(flags.annotations, report::annotations_text(rulings));
}

std::string placed(const std::string& file) {
  std::error_code failure;
  const fs::path here = fs::current_path(failure), root = root_of(here);
  const fs::path named = (here / file).lexically_normal();
  // A link inside the folder keeps its name; a path that leads into it through a link is resolved.
  for (const fs::path& whole : {named, fs::weakly_canonical(named, failure)}) {
    const fs::path below = whole.lexically_relative(root);
    if (!below.empty() && *below.begin() != "..") return below.generic_string();
  }
  return named.generic_string();
}

std::string placed_if_file(const std::string& file_or_text) {
  std::error_code failure;
  return fs::is_regular_file(file_or_text, failure) ? placed(file_or_text) : "";
}

}  // namespace edgeprobe::cli
