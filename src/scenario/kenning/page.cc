// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "scenario/kenning/translate.h"

namespace edgeprobe::scenario::kenning {
namespace {

std::string ours_of(const char* ours) {
  const std::string text = ours;
  if (text.empty()) return "not supported";
  return text.find('`') == std::string::npos ? "`" + text + "`" : text;
}

std::string name_of(const Option& option) {
  std::string name;
  std::istringstream flags{option.flag};
  for (std::string one; flags >> one;) name += (name.empty() ? "`" : ", `") + one + "`";
  std::istringstream names{option.names};
  for (std::string one; names >> one;) name += (name.empty() ? "`" : ", `") + one + "`";
  return name;
}

std::string owners_of(const Option& option) {
  std::string owners;
  std::istringstream names{option.owners};
  for (std::string one; names >> one;) owners += (owners.empty() ? "" : ", ") + one;
  return owners.empty() ? "all" : owners;
}

}  // namespace

std::string page() {
  std::string text;
  for (const Role role : roles()) {
    std::string classes_rows, option_rows;
    for (const Class& one : classes())
      if (one.role == role)
        classes_rows +=
            "| `" + std::string(one.name) + "` | " + ours_of(one.ours) + " | " + one.why + " |\n";
    for (const Option& one : options())
      if (one.role == role)
        option_rows += "| " + name_of(one) + " | " + owners_of(one) + " | " + ours_of(one.ours) +
                       " | " + one.why + " |\n";
    text += "\n### " + std::string(title(role)) + "\n";
    if (!classes_rows.empty())
      text += "| Kenning | edgeprobe | remark |\n|---|---|---|\n" + classes_rows;
    if (!option_rows.empty())
      text += "\n| option | of | edgeprobe | remark |\n|---|---|---|---|\n" + option_rows;
  }
  return text;
}

}  // namespace edgeprobe::scenario::kenning
