#include "task/labels.h"

#include <charconv>
#include <optional>

#include "core/file.h"
#include "core/text.h"

namespace edgeprobe::task {
namespace {

constexpr std::size_t kLongestFile = 16'000'000;
constexpr std::size_t kMostClasses = 1'000'000;

std::string_view trimmed(std::string_view text) {
  const auto space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(trimmed(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

// A whole number at the start; `rest` is what follows it.
std::optional<int> leading_index(std::string_view text, std::string_view& rest) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value < 0) return std::nullopt;
  rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return value;
}

Error corrupt(std::string_view label, std::size_t line, const std::string& what) {
  return {Fault::kCorrupt, printable(label) + " line " + std::to_string(line + 1) + ": " + what};
}

Result<std::string> file_text(const std::filesystem::path& path) {
  auto bytes = read_file(path, kLongestFile);
  if (!bytes) return bytes.error();
  return std::string(ByteView(*bytes).text());
}

}  // namespace

Result<std::vector<std::string>> class_names_from(std::string_view text, std::string_view label) {
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    return Error{Fault::kCorrupt, printable(label) + ": a NUL byte at offset " + std::to_string(nul) +
                                      ", expected a text with one class name a line"};
  const std::vector<std::string_view> lines = lines_of(text);
  if (lines.empty())
    return Error{Fault::kCorrupt, printable(label) + ": empty, expected one class name a line"};
  if (lines.size() > kMostClasses)
    return Error{Fault::kLimit, printable(label) + ": more than " + std::to_string(kMostClasses) + " classes"};

  // "7  name" or "7: name" on every line; names that merely start with a number ("2-door car") do not count.
  bool numbered = true;
  for (const std::string_view line : lines) {
    std::string_view rest;
    const auto index = leading_index(line, rest);
    numbered = numbered && index && !rest.empty() && (rest[0] == ' ' || rest[0] == '\t' || rest[0] == ':' || rest[0] == ',') &&
               static_cast<std::size_t>(*index) < kMostClasses;
  }
  std::vector<std::string> names;
  if (!numbered) {
    names.assign(lines.begin(), lines.end());
    return names;
  }
  std::vector<bool> seen;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view rest;
    const auto index = static_cast<std::size_t>(*leading_index(lines[i], rest));
    if (index >= names.size()) {
      names.resize(index + 1);
      seen.resize(index + 1);
    }
    if (seen[index]) return corrupt(label, i, "index " + std::to_string(index) + " occurs twice");
    seen[index] = true;
    if (rest[0] == ':' || rest[0] == ',') rest.remove_prefix(1);
    names[index] = trimmed(rest);
  }
  return names;
}

Result<std::vector<std::string>> read_class_names(const std::filesystem::path& path) {
  const auto text = file_text(path);
  if (!text) return text.error();
  return class_names_from(*text, path.string());
}

Result<std::map<std::string, int>> sample_labels_from(std::string_view text, std::string_view label,
                                                      const std::vector<std::string>& class_names) {
  std::map<std::string, int> by_name;
  for (std::size_t i = 0; i < class_names.size(); ++i) by_name.emplace(class_names[i], static_cast<int>(i));
  std::map<std::string, int> labels;
  const std::vector<std::string_view> lines = lines_of(text);
  bool first = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    if (line.empty() || line[0] == '#') continue;
    std::size_t cut = line.rfind(',');
    if (cut == std::string_view::npos) cut = line.rfind('\t');
    if (cut == std::string_view::npos) cut = line.rfind(' ');
    if (cut == std::string_view::npos) return corrupt(label, i, "expected \"sample,label\"");
    const std::string sample(trimmed(line.substr(0, cut)));
    const std::string_view value = trimmed(line.substr(cut + 1));
    std::string_view rest;
    std::optional<int> index = leading_index(value, rest);
    if (index && !rest.empty()) index.reset();
    if (const auto named = by_name.find(std::string(value)); !index && named != by_name.end()) index = named->second;
    const bool heading = first && !index;
    first = false;
    if (heading) continue;
    if (!index) return corrupt(label, i, "unknown class \"" + printable(value) + "\"");
    if (!class_names.empty() && static_cast<std::size_t>(*index) >= class_names.size())
      return corrupt(label, i, "class " + std::to_string(*index) + ", but there are only " +
                                   std::to_string(class_names.size()) + " names");
    const auto [at, added] = labels.emplace(sample, *index);
    if (!added && at->second != *index)
      return corrupt(label, i, "sample \"" + printable(sample) + "\" has another label before");
  }
  if (labels.empty()) return Error{Fault::kCorrupt, printable(label) + ": no line \"sample,label\""};
  return labels;
}

Result<std::map<std::string, int>> read_sample_labels(const std::filesystem::path& path,
                                                      const std::vector<std::string>& class_names) {
  const auto text = file_text(path);
  if (!text) return text.error();
  return sample_labels_from(*text, path.string(), class_names);
}

}  // namespace edgeprobe::task
