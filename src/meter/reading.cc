// SPDX-License-Identifier: Apache-2.0
#include "meter/reading.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "core/text.h"

namespace edgeprobe::meter {
namespace {

constexpr std::size_t kLongest = 64 * 1024;

Error reason_of(int code) {
  if (code == ENOENT || code == ENOTDIR || code == ENODEV || code == ESRCH)
    return {ErrorKind::kNotFound, "absent"};
  if (code == EACCES || code == EPERM) return {ErrorKind::kUsage, "not permitted"};
  return {ErrorKind::kTarget, std::string("cannot be read: ") + std::strerror(code)};
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// "cpu10" as ("cpu", 10), so that it sorts after "cpu2".
std::pair<std::string, std::uint64_t> natural(const std::string& name) {
  const std::size_t digits = name.find_first_of("0123456789");
  std::uint64_t number = 0;
  if (digits != std::string::npos)
    std::from_chars(name.data() + digits, name.data() + name.size(), number);
  return {name.substr(0, digits), number};
}

}  // namespace

Result<std::string> read_text(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return reason_of(errno);
  std::string text;
  char buffer[4096];
  ssize_t got = 0;
  while (text.size() < kLongest && (got = ::read(file, buffer, sizeof buffer)) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  const int code = errno;
  ::close(file);
  if (got < 0) return reason_of(code);
  while (!text.empty() && is_blank(text.back())) text.pop_back();
  if (text.empty()) return Error{ErrorKind::kCorrupt, "empty"};
  return text;
}

std::optional<std::int64_t> whole_number(const std::string& text) {
  const char* from = text.data();
  const char* to = from + text.size();
  while (from < to && is_blank(*from)) ++from;
  while (to > from && is_blank(to[-1])) --to;
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(from, to, value);
  if (failure != std::errc{} || end != to || from == to) return std::nullopt;
  return value;
}

Reading known(std::string name, std::string unit, double value, std::string source) {
  return {std::move(name), std::move(unit), value, std::move(source), {}};
}

Reading unknown(std::string name, std::string unit, std::string source, std::string reason) {
  return {std::move(name), std::move(unit), std::nullopt, std::move(source), std::move(reason)};
}

Reading from_file(const Root& root, const std::string& inside, std::string name, std::string unit,
                  double factor) {
  const auto text = read_text(root / inside);
  if (!text) return unknown(std::move(name), std::move(unit), "/" + inside, text.error().what);
  const auto value = whole_number(*text);
  if (!value)
    return unknown(std::move(name), std::move(unit), "/" + inside,
                   "'" + sanitized(*text, 40) + "' is not a whole number");
  return known(std::move(name), std::move(unit), static_cast<double>(*value) * factor,
               "/" + inside);
}

Result<std::vector<std::string>> entries(const std::filesystem::path& folder) {
  DIR* const open = ::opendir(folder.c_str());
  if (!open) return reason_of(errno);
  std::vector<std::string> names;
  while (const dirent* const entry = ::readdir(open))
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  ::closedir(open);
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    const auto left = natural(a), right = natural(b);
    return left != right ? left < right : a < b;
  });
  return names;
}

}  // namespace edgeprobe::meter
