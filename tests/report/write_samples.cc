// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>

#include "core/file.h"
#include "report/json/verdict.h"
#include "report/page/page.h"
#include "report/text/verdict.h"
#include "verdicts.h"

// write_samples DIR: writes every sample verdict as NAME.json, NAME.html and NAME.txt, for the
// Python checks.
int main(int argc, char** argv) {
  using namespace edgeprobe;
  if (argc != 2) {
    std::fputs("usage: report_samples DIR\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  auto verdicts = report::sample_verdicts();
  for (auto& one : report::page_verdicts()) verdicts.push_back(std::move(one));
  for (const auto& [name, verdict] : verdicts) {
    for (const auto& [suffix, text] :
         {std::pair<std::string, std::string>{".json", report::render_json(verdict)},
          {".html", report::render_html(verdict)},
          {"_without_pictures.html", report::render_html(verdict, {report::Images::kNone})},
          {".txt", report::render_text(verdict)}}) {
      const Status written = write_file(folder / (name + suffix), view_of(text));
      if (!written) {
        std::fputs((written.error().what + "\n").c_str(), stderr);
        return 1;
      }
    }
  }
  return 0;
}
