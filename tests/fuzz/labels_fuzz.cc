// SPDX-License-Identifier: Apache-2.0
// Any text as a file of labels and as a list of class names.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "dataset/labels.h"
#include "names/class_names.h"

namespace {

// Reads the file as each kind, selected by its extension.
void read_names(edgeprobe::ByteView file) {
  for (const char* path : {"labels.txt", "labels.csv", "labels.json", "labels.pbtxt"}) {
    const auto names = edgeprobe::names::class_names(file, path);
    if (names ? names->empty() || names->back().empty() : names.error().what.empty()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("labels", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  read_names({reinterpret_cast<const std::byte*>(data), size});
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
