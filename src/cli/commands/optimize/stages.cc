// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/optimize/stages.h"

#include <algorithm>
#include <map>

#include "cli/commands/convert/chain.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

constexpr std::size_t kMostChains = 1000;

/// The links of a stage.
Result<std::vector<std::string>> links_of(const std::string& stage) {
  std::vector<std::string> links;
  std::string left = stage;
  while (true) {
    const std::size_t bar = left.find('|');
    std::string one = left.substr(0, bar);
    const std::size_t begin = one.find_first_not_of(' ');
    one =
        begin == std::string::npos ? "" : one.substr(begin, one.find_last_not_of(' ') + 1 - begin);
    if (one.empty())
      return Error{ErrorKind::kUsage, "--stage '" + sanitized(stage) +
                                          "': expected links separated by '|', e.g. "
                                          "'prune?sparsity=0.5 | cluster'"};
    links.push_back(one);
    if (bar == std::string::npos) return links;
    left.erase(0, bar + 1);
  }
}

}  // namespace

Result<std::vector<std::vector<std::string>>> chains_of(const ConvertArgs& args,
                                                        const std::vector<std::string>& stages) {
  std::vector<std::vector<std::string>> chains{{}};
  // The reason why a link is in no chain; empty: it is in one.
  std::map<std::string, Error> unused;
  std::vector<std::string> all;
  for (const std::string& stage : stages) {
    EP_TRY(const auto links, links_of(stage));
    const std::size_t before = chains.size();
    for (const std::string& link : links) {
      all.push_back(link);
      bool fits = false;
      for (std::size_t i = 0; i < before; ++i) {
        auto longer = chains[i];
        longer.push_back(link);
        auto extensions = extensions_of(args, longer);
        if (!extensions) {
          unused.insert_or_assign(link, std::move(extensions).error());
          continue;
        }
        fits = true;
        chains.push_back(std::move(longer));
        if (chains.size() > kMostChains)
          return Error{ErrorKind::kUsage, "--stage: more than " + std::to_string(kMostChains) +
                                              " chains; give fewer links"};
      }
      if (fits) unused.erase(link);
      else return Error(unused.at(link)).during("--stage '" + sanitized(stage) + "'");
    }
  }
  chains.erase(chains.begin());
  return chains;
}

}  // namespace edgeprobe::cli
