// SPDX-License-Identifier: Apache-2.0
#include "trace/record/recovery_advice.h"

#include <string_view>

#include "core/text.h"

namespace edgeprobe::trace {
namespace {

constexpr std::string_view
    kStart = ". The first ",
    kEnd = " are kept; 'edgeprobe trace recover' makes a finished trace of them";

}  // namespace

std::string recovery_advice(std::uint64_t bytes) {
  return std::string(kStart) + bytes_text(static_cast<double>(bytes)) + std::string(kEnd);
}

std::string without_recovery_advice(std::string what) {
  const std::size_t end = what.find(kEnd), start = what.rfind(kStart, end);
  if (end != std::string::npos && start != std::string::npos)
    what.erase(start, end + kEnd.size() - start);
  return what;
}

}  // namespace edgeprobe::trace
