// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "edgeprobe.h"
#include "trace/read/events.h"
#include "trace/read/reader.h"

namespace edgeprobe::test {

/// A separate folder, removed at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

edgeprobe_options defaults();
/// Opens a probe; a failure fails the test.
edgeprobe_probe* opened(const std::string& path, const edgeprobe_options& options = defaults());
edgeprobe_frame* begun(edgeprobe_probe* probe);

/// A float32 tensor of `values`, valid for one call.
struct Floats {
  Floats(edgeprobe_stage stage, const char* name, std::vector<float> values);
  operator const edgeprobe_tensor*() const { return &tensor; }
  std::vector<float> values;
  int64_t shape;
  edgeprobe_tensor tensor;
};

/// Opens the written file; a problem in the file fails the test.
trace::Reader read(const std::string& path);
/// The channel "/<stage>/<name>"; the test fails if it does not exist.
const trace::ReadChannel& channel(const trace::Reader& reader, trace::Stage stage,
                                  const std::string& name);
bool has_channel(const trace::Reader& reader, trace::Stage stage, const std::string& name);
/// The values of a tensor as real numbers; empty if the frame has none.
std::vector<float> floats(const trace::Reader& reader, std::uint32_t frame, trace::Stage stage,
                          const std::string& name);
/// The stored bytes; empty if the frame has none.
std::string bytes(const trace::Reader& reader, std::uint32_t frame, trace::Stage stage,
                  const std::string& name);

struct Seen {
  trace::EventStream stream;
  trace::Event event;
};
std::vector<Seen> events(const std::string& path);

}  // namespace edgeprobe::test
