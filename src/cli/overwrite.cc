#include "cli/overwrite.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "core/text.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;

bool is_same_file(const std::string& a, const std::string& b) {
  // A recipe may be a text; no name of a file is that long.
  if (b.size() > 4096) return false;
  std::error_code failure;
  if (fs::equivalent(a, b, failure) && !failure) return true;
  // A file that is not there yet has no inode.
  return fs::weakly_canonical(a, failure) == fs::weakly_canonical(b, failure) && !failure;
}

Error refused(const OutputFile& output, const std::string& why) {
  return {Fault::kUsage, std::string(output.flag) + " '" + printable(output.path, 400) + "': " + why + "; name another file"};
}

/// What the first bytes say; nothing for what a text may replace.
const char* kind_of(const std::string& path) {
  std::error_code failure;
  if (!fs::is_regular_file(path, failure)) return nullptr;
  std::array<char, 8> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  const std::string_view bytes(start.data(), start.size());
  if (bytes == "\x89MCAP0\r\n") return "a trace";
  if (bytes.substr(4) == "TFL3") return "a model";
  if (bytes.substr(0, 3) == "\xff\xd8\xff" || bytes.substr(0, 4) == "\x89PNG" || bytes.substr(0, 2) == "BM") return "a picture";
  if (bytes.substr(0, 4) == "PK\x03\x04" || bytes.substr(0, 6) == "\x93NUMPY") return "an archive";
  return nullptr;
}

}  // namespace

Status check_outputs(const std::vector<OutputFile>& outputs, const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].path.empty() || outputs[i].path == "/dev/null") continue;
    for (const std::string& input : inputs)
      if (!input.empty() && is_same_file(outputs[i].path, input))
        return refused(outputs[i], "this file is read as well, and writing would destroy it");
    for (std::size_t other = 0; other < i; ++other)
      if (!outputs[other].path.empty() && is_same_file(outputs[i].path, outputs[other].path))
        return refused(outputs[i], std::string("it is what ") + outputs[other].flag + " writes, too");
  }
  return {};
}

std::vector<std::string> files_of(const PipelineFlags& flags) {
  return {flags.model, flags.recipe, flags.function.substr(0, flags.function.rfind(':'))};
}

std::vector<std::string> files_of(const DataFlags& flags) {
  return {flags.data, flags.labels, flags.classes};
}

Status check_texts(const std::vector<OutputFile>& texts, const std::vector<std::string>& inputs) {
  if (auto good = check_outputs(texts, inputs); !good) return good;
  for (const OutputFile& text : texts)
    if (const char* kind = text.path.empty() ? nullptr : kind_of(text.path))
      return refused(text, std::string("there is ") + kind + " in its place, which a text does not replace");
  return {};
}

}  // namespace edgeprobe::cli
