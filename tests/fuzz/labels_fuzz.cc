// SPDX-License-Identifier: Apache-2.0
// Any text as a file of labels and as a list of class names.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "dataset/labels.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("labels", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  const auto labels = edgeprobe::dataset::read_labels(path, path);
  if (!labels) {
    if (labels.error().what.empty()) std::abort();
    return 0;
  }
  for (const auto& [name, annotation] : labels->by_name) {
    if (edgeprobe::dataset::annotation_of(*labels, name) != annotation) std::abort();
    for (const int index : edgeprobe::task::classes_of(annotation))
      if (index < 0) std::abort();
  }
  return 0;
}
