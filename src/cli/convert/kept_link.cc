// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/kept_link.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/file.h"
#include "core/sha256.h"
#include "core/text.h"
#include "model/graph.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t kLargestAnswer = std::size_t{1} << 30;
constexpr std::size_t kLongestName = 100;

/// "SIZE@TIME" of a regular file; "" for other paths.
std::string stamp_of(const fs::path& file) {
  std::error_code failed;
  if (!fs::is_regular_file(file, failed)) return "";
  const auto size = fs::file_size(file, failed);
  const auto time = fs::last_write_time(file, failed).time_since_epoch().count();
  return failed ? "" : std::to_string(size) + "@" + std::to_string(time);
}

}  // namespace

std::string folder_name(const std::string& to) {
  std::string name;
  // Of a plug-in's file, only the name.
  const std::size_t file = to.find(".py:");
  const std::size_t slash = file == std::string::npos ? file : to.rfind('/', file);
  for (const char c : slash == std::string::npos ? to : to.substr(slash + 1)) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '=' || c == '.' || c == '-';
    name += is_plain ? c : '_';
  }
  if (name.size() > kLongestName)
    name = name.substr(0, kLongestName) + "-" + sha256(view_of(to)).substr(0, 8);
  return name.starts_with('.') ? "_" + name : name;
}

Result<std::string> hash_of_model(const fs::path& model) {
  model::FileBytes bytes;
  if (const auto graph = model::load(model, bytes)) return graph->sha256;
  std::set<fs::path> files{model};
  std::error_code ignored;
  if (model.extension() == ".pb")
    for (const auto& one : fs::directory_iterator(model.parent_path() / "variables", ignored))
      files.insert(one.path());
  std::string all;
  for (const fs::path& file : files) {
    EP_TRY(const auto mapped, MappedFile::open(file));
    all += sha256(mapped) + "\n";
  }
  return files.size() == 1 ? all.substr(0, 64) : sha256(view_of(all));
}

std::string identity_of(const DataFlags& data, const std::vector<dataset::Sample>& samples) {
  std::error_code ignored;
  std::string all = fs::absolute(data.data, ignored).string() + " " + stamp_of(data.data) + "\n" +
                    data.labels + " " + stamp_of(data.labels) + "\n" + data.classes + " " +
                    stamp_of(data.classes) + "\n";
  for (const dataset::Sample& sample : samples)
    all += sample.name + " " + stamp_of(fs::path(data.data) / sample.name) + "\n";
  return sha256(view_of(all));
}

std::optional<ordered_json> kept_answer(const fs::path& folder, const std::string& name,
                                        const std::string& key) {
  const auto bytes = read_file(folder / (name + ".json"), kLargestAnswer);
  if (!bytes) return std::nullopt;
  auto kept = ordered_json::parse(ByteView(*bytes).text(), nullptr, false);
  if (!kept.is_object() || kept.value("key", ordered_json()) != key || !kept.contains("answer"))
    return std::nullopt;
  ordered_json answer = std::move(kept["answer"]);
  if (answer.contains("file") && answer["file"].is_string() && answer.contains("hash")) {
    const auto hash = hash_of_model(folder / answer["file"].get<std::string>());
    if (!hash || answer["hash"] != *hash) return std::nullopt;
  }
  return answer;
}

Status keep_answer(const fs::path& folder, const std::string& name, const std::string& key,
                   const ordered_json& answer) {
  const ordered_json kept{{"key", key}, {"answer", answer}};
  const fs::path complete = folder / (name + ".json"), part = folder / (name + ".json.part");
  EP_CHECK(write_file(
      part, view_of(kept.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n")));
  std::error_code failed;
  fs::rename(part, complete, failed);
  if (failed)
    return Error{ErrorKind::kUsage, "'" + sanitized(complete.string(), 300) +
                                        "' cannot be written: " + failed.message()};
  return {};
}

}  // namespace edgeprobe::cli
