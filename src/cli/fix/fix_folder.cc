// SPDX-License-Identifier: Apache-2.0
#include "cli/fix/fix_folder.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/text.h"
#include "report/json/verdict.h"
#include "report/words/fix.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
using diagnose::FixFile;

}  // namespace

Status check_fix_folder(const FixFlags& flags) {
  if (flags.folder.empty()) {
    if (flags.python.empty()) return {};
    return Error{ErrorKind::kUsage,
                 "--fix-python names the Python that converts for --write-fix, "
                 "which is not given"};
  }
  const std::string shown = "--write-fix '" + sanitized(flags.folder, 200) + "'";
  std::error_code failed;
  const fs::file_status status = fs::status(flags.folder, failed);
  if (status.type() == fs::file_type::not_found) {
    const fs::path parent = fs::absolute(flags.folder, failed).parent_path();
    if (fs::is_directory(parent, failed)) return {};
    return Error{ErrorKind::kUsage, shown + ": the folder above it does not exist"};
  }
  if (!fs::is_directory(status))
    return Error{ErrorKind::kUsage, shown + " is not a folder; name a new or an empty one"};
  if (!fs::is_empty(flags.folder, failed) || failed)
    return Error{ErrorKind::kUsage,
                 shown +
                     " is not empty; name a new folder, so that a fix does not mix with other "
                     "files"};
  return {};
}

Status FixFolder::make() {
  std::error_code failed;
  if (fs::is_directory(path_, failed)) return {};
  made_ = fs::create_directory(path_, failed);
  if (failed)
    return Error{ErrorKind::kUsage, "--write-fix '" + sanitized(path_.string(), 200) +
                                        "' cannot be made: " + failed.message()};
  return {};
}

Status FixFolder::write(FixFile kind, const std::string& name, const std::string& text,
                        std::string command) {
  EP_CHECK(make());
  EP_CHECK(write_file(path_ / name, view_of(text)));
  fix_.files.push_back({kind, name, std::move(command)});
  return {};
}

Status FixFolder::copy(FixFile kind, const fs::path& from, const std::string& name,
                       std::string command) {
  EP_CHECK(make());
  EP_TRY(const auto bytes, read_file(from));
  EP_CHECK(write_file(path_ / name, bytes));
  fix_.files.push_back({kind, name, std::move(command)});
  return {};
}

void FixFolder::remove(FixFile kind) {
  std::error_code ignored;
  std::erase_if(fix_.files, [&](const diagnose::WrittenFile& file) {
    if (file.kind != kind) return false;
    fs::remove(path_ / file.path, ignored);
    return true;
  });
}

Status FixFolder::finish(const diagnose::Verdict& verdict) {
  std::error_code ignored;
  if (fix_.files.empty()) {
    if (made_) fs::remove(path_, ignored);
    return {};
  }
  fix_.files.push_back({FixFile::kReadme, "README", ""});
  fix_.files.push_back({FixFile::kSummary, "fix.json", ""});
  EP_CHECK(write_file(path_ / "README", view_of(report::fix_readme(verdict, fix_))));
  return write_file(path_ / "fix.json", view_of(report::fix_summary_json(verdict, fix_)));
}

}  // namespace edgeprobe::cli
