// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/stretch_networks.h"

#include <algorithm>

#include "core/text.h"

namespace edgeprobe::cli {

namespace fs = std::filesystem;

void add_network(Parser& parser, NetworkFlags& flags) {
  add_size(parser, flags);
  parser.option("--classes", flags.classes, "Number of classes, instead of the file's")
      .range(1, static_cast<int>(family::kMostClasses));
}

void add_size(Parser& parser, NetworkFlags& flags) {
  parser
      .option("--size", flags.size,
              "Pixels of a side of the picture, instead of the file's (224 in NN-Stretch's)")
      .range(1, 8192)
      .type("PIXELS");
  parser
      .option("--adapters", flags.adapters,
              "With MB_VER 1: adapters only in branched stages, or in all, as weights of "
              "NN-Stretch's PyTorch code need")
      .one_of({"branched", "all"})
      .type("branched|all");
  parser
      .option("--most-gmacs", flags.most_gmacs,
              "Refuse a network with more multiply-accumulates (10^9)")
      .positive();
}

Result<family::Network> network_of(const fs::path& file, const NetworkFlags& flags) {
  return family::load_network(
      file, {flags.size, flags.classes, flags.adapters == "all", flags.most_gmacs * 1e9});
}

Result<std::vector<fs::path>> configurations_of(const fs::path& path) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return std::vector{path};
  std::vector<fs::path> files;
  for (auto entry = fs::recursive_directory_iterator(path, failed);
       !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
    const std::string ending = entry->path().extension().string();
    if ((ending == ".yaml" || ending == ".yml") && entry->is_regular_file(failed))
      files.push_back(entry->path());
  }
  if (failed)
    return Error{ErrorKind::kUsage, "cannot read the folder '" + sanitized(path.string(), 300) +
                                        "': " + failed.message()};
  if (files.empty())
    return Error{ErrorKind::kUsage,
                 "the folder '" + sanitized(path.string(), 300) + "' holds no .yaml or .yml file"};
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::vector<stretch::Processor>> processors_of(const family::Network& network,
                                                      const ProcessorFlags& flags,
                                                      const model::Graph& graph) {
  EP_TRY(auto own, processors_from(flags, graph));
  std::erase_if(own, [](const stretch::Processor& one) { return one.threads > 1; });
  if (own.empty())
    return Error{
        ErrorKind::kUsage,
        "every processor of the device has several threads; pieces run on one thread each"};
  std::vector<stretch::Processor> mapped;
  for (std::size_t i = 0; i < network.processors.size(); ++i) {
    if (flags.device.empty()) {
      mapped.push_back(own[i % own.size()]);
      continue;
    }
    const auto found = std::find_if(
        own.begin(), own.end(), [&](const auto& one) { return one.name == network.processors[i]; });
    if (found == own.end())
      return Error{
          ErrorKind::kUsage,
          "the network's processor '" + network.processors[i] + "' is not in '" +
              sanitized(flags.device, 300) + "', which has " +
              edgeprobe::joined(own, ", ", [](const auto& one) { return "'" + one.name + "'"; })};
    mapped.push_back(*found);
  }
  return mapped;
}

}  // namespace edgeprobe::cli
