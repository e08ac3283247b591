// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/conversion_file.h"

#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/sha256.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t kLargest = std::size_t{1} << 30;

/// "a=1&b=x", as on a command line.
std::string options_text(const ordered_json& options) {
  std::string text;
  for (const auto& [name, value] : options.items())
    if (value.is_string())
      text += (text.empty() ? "" : "&") + name + "=" + value.get<std::string>();
  return text;
}

std::string notes_text(const ordered_json& notes) {
  std::string text;
  for (const auto& note : notes)
    if (note.is_string()) text += (text.empty() ? "" : "; ") + note.get<std::string>();
  return text;
}

}  // namespace

Result<std::map<std::string, std::string>> conversion_facts(const std::string& file,
                                                            const fs::path& model) {
  const std::string label = "--conversion '" + sanitized(file, 200) + "'";
  const auto bytes = read_file(file, kLargest);
  if (!bytes) return Error(bytes.error()).during("--conversion");
  const auto said = ordered_json::parse(ByteView(*bytes).text(), nullptr, false);
  const auto word = [&](const char* key) {
    return said.is_object() && said.contains(key) && said[key].is_string()
               ? said[key].get<std::string>()
               : "";
  };
  if (word("compiler").empty() || word("sha256").empty())
    return Error{ErrorKind::kUsage, label + " is not the --json of 'edgeprobe convert'"};
  EP_TRY(const auto mapped, MappedFile::open(model));
  if (sha256(mapped.bytes()) != word("sha256"))
    return Error{ErrorKind::kUsage, label + " is of another file than '" +
                                        sanitized(model.string(), 200) +
                                        "', whose bytes are others; convert again"};
  std::map<std::string, std::string> facts{
      {"compiler", word("compiler")},
      {"compiler_version", word("compiler_version")},
      {"compiler_options", options_text(said.value("compiler_options", ordered_json::object()))},
      {"compiler_notes", notes_text(said.value("notes", ordered_json::array()))},
      {"source_model", fs::path(word("model")).filename().string()}};
  for (const auto& [fact, key] :
       {std::pair{"source_bytes", "source_bytes"}, {"model_bytes", "bytes"}})
    if (said.contains(key) && said[key].is_number_unsigned())
      facts[fact] = std::to_string(said[key].get<std::uint64_t>());
  std::erase_if(facts, [](const auto& one) { return one.second.empty(); });
  return facts;
}

}  // namespace edgeprobe::cli
