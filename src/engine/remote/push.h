// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/file.h"
#include "core/result.h"
#include "engine/engine.h"
#include "engine/target.h"
#include "transport/connection.h"

namespace edgeprobe::engine {

/// A local file that the server needs on the other machine.
struct Parcel {
  std::string name;   ///< File name on the other machine.
  std::string label;  ///< "program 'build/edgeprobe'", for messages.
  std::string flag;   ///< Option by which the user names another file, for messages.
  std::string sha256;
  MappedFile file;
};

/// A server that edgeprobe copies to a machine reached by ssh or adb, and starts there. Two files
/// go into that machine's cache, each in a folder named by its SHA-256: this program, or the one
/// that the target names, and the library of one engine. The program runs with --stdio and exits
/// with the connection.
class PushedServer {
 public:
  /// Reads the files. kUnsupported for an engine with more than one file.
  static Result<PushedServer> prepare(const TargetUri& target, const EngineChoice& engine);
  /// Copies missing files and starts the server. kTarget with the reason: a message of ssh, a full
  /// disk, files of another architecture, a program that does not run on that machine.
  Result<std::unique_ptr<transport::Connection>> start() const;

 private:
  PushedServer(TargetUri target, EngineChoice engine, Parcel program, Parcel library)
      : target_(std::move(target)),
        engine_(std::move(engine)),
        program_(std::move(program)),
        library_(std::move(library)) {}

  TargetUri target_;
  EngineChoice engine_;
  Parcel program_, library_;
};

}  // namespace edgeprobe::engine
