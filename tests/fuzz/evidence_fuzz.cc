// SPDX-License-Identifier: Apache-2.0
// Any bytes as an evidence file and as its manifest: an error, or evidence that is written and read
// again as it was.
#include <cstdint>
#include <cstdlib>

#include "evidence/bundle.h"
#include "evidence/manifest.h"

using namespace edgeprobe;

namespace {

void check_file(ByteView file) {
  const auto opened = evidence::read(file);
  if (!opened) {
    if (opened.error().what.empty()) std::abort();
    return;
  }
  const auto again = evidence::written(opened->evidence);
  if (!again) std::abort();
  const auto reopened = evidence::read(*again);
  if (!reopened || reopened->evidence.operators != opened->evidence.operators ||
      reopened->evidence.model != opened->evidence.model ||
      reopened->evidence.inputs.size() != opened->evidence.inputs.size())
    std::abort();
}

void check_manifest(ByteView text) {
  auto manifest = evidence::manifest_from_json(text.text());
  if (!manifest) {
    if (manifest.error().what.empty()) std::abort();
    return;
  }
  const auto again = evidence::manifest_from_json(evidence::to_json(*manifest));
  if (!again || again->inputs.size() != manifest->inputs.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView file(reinterpret_cast<const std::byte*>(data), size);
  check_file(file);
  check_manifest(file);
  return 0;
}
