// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/workplace.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "cli/options/overwrite.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;

}  // namespace

Result<Workplace> Workplace::make(const fs::path& out) {
  std::error_code ignored;
  std::string path =
      (fs::absolute(out, ignored).parent_path() / ".edgeprobe-convert-XXXXXX").string();
  if (!::mkdtemp(path.data()))
    return Error{ErrorKind::kUsage, "-o '" + sanitized(out.string(), 200) +
                                        "': its folder does not exist or cannot be written"};
  return Workplace(path);
}

Workplace::Workplace(fs::path path) : path_(std::move(path)) {}

Workplace::Workplace(Workplace&& other) noexcept : path_(std::exchange(other.path_, {})) {}

Workplace::~Workplace() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::uint64_t Workplace::bytes() const {
  std::error_code failed;
  std::uint64_t all = 0;
  for (const auto& entry : fs::directory_iterator(path_, failed)) {
    const std::uintmax_t size = entry.file_size(failed);
    if (!failed) all += size;
  }
  return all;
}

Status Workplace::place(const fs::path& out, const std::vector<std::string>& inputs) const {
  std::error_code failed;
  const fs::path folder = fs::absolute(out, failed).parent_path();
  const bool is_new = !fs::exists(out, failed);
  std::vector<fs::path> names;
  for (const auto& entry : fs::directory_iterator(path_, failed)) {
    const fs::path name = entry.path().filename(), there = folder / name;
    EP_CHECK(check_outputs({{"-o", there.string()}}, inputs));
    if (is_new && fs::exists(there, failed))
      return Error{ErrorKind::kUsage, "-o '" + sanitized(out.string(), 200) + "': '" +
                                          sanitized(name.string()) +
                                          "' belongs to the result and would replace a file of "
                                          "that name; give the result another name"};
    names.push_back(name);
  }
  std::sort(names.begin(), names.end(), [&](const fs::path& a, const fs::path& b) {
    return std::pair(a == out.filename(), a) < std::pair(b == out.filename(), b);
  });
  for (const fs::path& one : names) {
    fs::rename(path_ / one, folder / one, failed);
    if (failed)
      return Error{ErrorKind::kUsage, "'" + sanitized(one.string()) +
                                          "' cannot be put in its place: " + failed.message()};
  }
  return {};
}

}  // namespace edgeprobe::cli
