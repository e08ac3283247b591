// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "edgeprobe_plugin.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "engine/native/library.h"
#include "engine/wire.h"
#include "process/shared_memory.h"

namespace edgeprobe::engine::native {

/// Serves a data set with the messages of python/edgeprobe/plugins/dataset.py. Only an engine
/// process opens one.
class DataServer {
 public:
  /// kUsage for a wrong name and wrong options.
  static Result<std::unique_ptr<DataServer>> open(const std::string& text);
  DataServer(const DataServer&) = delete;
  DataServer& operator=(const DataServer&) = delete;
  ~DataServer();

  Status samples(wire::Writer& out);
  Status sample(wire::Reader& in, wire::Writer& out);
  /// The loaded sample once more, after a larger memory().
  void again(wire::Writer& out) { deliver(out); }
  void attach(process::SharedMemory memory) { memory_ = std::move(memory); }

 private:
  explicit DataServer(DataLibrary library) : library_(std::move(library)) {}
  Status load(std::size_t position);
  void deliver(wire::Writer& out);
  std::string during(const std::string& function, std::size_t position) const;

  DataLibrary library_;
  void* state_ = nullptr;
  bool is_open_ = false;
  std::vector<std::string> names_;
  process::SharedMemory memory_;
  std::uint32_t form_ = 0;  ///< Of the loaded sample, as the next two.
  std::vector<TensorSpec> arrays_;
  std::vector<ByteView> contents_;
};

}  // namespace edgeprobe::engine::native
