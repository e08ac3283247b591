// SPDX-License-Identifier: Apache-2.0
#include "cli/options/folder_order.h"

#include <map>

#include "core/text.h"
#include "dataset/class_count.h"

namespace edgeprobe::cli {

std::string folders_in_doubt(const DataFlags& flags, const std::vector<dataset::Sample>& samples,
                             const std::vector<TensorSpec>& outputs) {
  if (flags.labels != "folders" || !flags.classes.empty()) return "";
  std::map<int, std::string> folders;
  for (const dataset::Sample& sample : samples)
    if (sample.annotation)
      for (const int index : task::classes_of(*sample.annotation))
        folders.emplace(index, sample.name.substr(0, sample.name.find('/')));
  const std::size_t classes = dataset::class_count(outputs);
  if (folders.empty() || static_cast<std::size_t>(folders.rbegin()->first) + 1 >= classes)
    return "";
  const auto& [last, name] = *folders.rbegin();
  return "--labels folders: folders are numbered in the order of their names, up to " +
         std::to_string(last) + " for '" + sanitized(name, 60) + "', and the model has " +
         std::to_string(classes) +
         " classes; if that is not its order, give its class names, one a line from class 0 on, "
         "with --classes FILE";
}

}  // namespace edgeprobe::cli
