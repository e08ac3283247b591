// SPDX-License-Identifier: Apache-2.0
#include "core/file.h"
#include "core/text.h"
#include "document/document.h"
#include "family/forms.h"

namespace edgeprobe::family {
namespace {

/// Joined widths that the file states differently from its own branches; the network has the sum.
void warn_of_widths(Configuration& configuration, const std::string& label) {
  for (std::size_t i = 0; i < configuration.stages.size(); ++i) {
    const Stage& stage = configuration.stages[i];
    const std::int64_t sum = joined_width(configuration, stage);
    if (stage.joined == 0 || stage.joined == sum) continue;
    configuration.warnings.push_back(
        sanitized(label, 300) + ":" + std::to_string(stage.line) + ": stage " +
        std::to_string(i + 1) + ": its branches have " + std::to_string(sum) +
        " channels together, and ORIGINAL_WIDTHS says " + std::to_string(stage.joined) + "; " +
        std::to_string(sum) + " is used");
  }
}

}  // namespace

Result<Configuration> read_configuration(std::string_view text, const std::string& label) {
  const auto document = document::document_from_text(text, kMostFileBytes);
  if (!document) return Error(document.error()).during(sanitized(label, 300));
  const Value file{&*document, "", &label};
  if (!file.is_map()) return wrong(file, "expected a network's configuration: a map of keys");
  auto read = file.find("family") ? from_short_form(file) : from_anynet(file);
  if (!read) return read;
  EP_CHECK(check(*read, label));
  warn_of_widths(*read, label);
  return read;
}

Result<Configuration> load_configuration(const std::filesystem::path& path) {
  auto bytes = read_file(path, kMostFileBytes);
  if (!bytes) return Error{ErrorKind::kUsage, std::move(bytes).error().what};
  EP_TRY(auto read, read_configuration(ByteView(*bytes).text(), path.string()));
  if (read.name.empty()) read.name = path.stem().string();
  return read;
}

}  // namespace edgeprobe::family
