// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"
#include "report/rulings/rulings.h"

namespace edgeprobe::report {
namespace {

constexpr std::size_t kLongestMessage = 1000, kLongestCure = 4000, kLongestFile = 4000;

/// The value of a workflow command; a property also ends at ":" and ",".
std::string escaped_command(const std::string& text, bool is_property) {
  std::string out;
  for (const char c : text) switch (c) {
      case '%': out += "%25"; break;
      case '\r': out += "%0D"; break;
      case '\n': out += "%0A"; break;
      case ':': out += is_property ? "%3A" : ":"; break;
      case ',': out += is_property ? "%2C" : ","; break;
      default: out += c;
    }
  return out;
}

/// Null: the line is not shown.
const char* command(Ruled ruled) {
  switch (ruled) {
    case Ruled::kFails: return "error";
    case Ruled::kUndecided: return "warning";
    case Ruled::kNote: return "notice";
    case Ruled::kPasses:
    case Ruled::kSkipped: break;
  }
  return nullptr;
}

}  // namespace

std::string annotations_text(const Rulings& rulings) {
  std::string text;
  for (const Ruling& one : rulings.lines) {
    const char* const word = command(one.ruled);
    if (!word || one.is_summary) continue;
    std::string message = sanitized(one.message, kLongestMessage);
    if (!one.cure.empty()) message += "\nWhat to do: " + sanitized(one.cure, kLongestCure);
    text += std::string("::") + word +
            " file=" + escaped_command(sanitized(one.place.file, kLongestFile), true) +
            ",line=" + std::to_string(one.place.line) +
            ",title=" + escaped_command("edgeprobe: " + sanitized(one.id, 200), true) +
            "::" + escaped_command(message, false) + "\n";
  }
  return text;
}

}  // namespace edgeprobe::report
