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

/// A file of this machine that the server there needs.
struct Parcel {
  std::string name;   ///< There.
  std::string label;  ///< "program 'build/edgeprobe'", for messages.
  std::string flag;   ///< That names another one.
  std::string sha256;
  MappedFile file;
};

/// A server on a machine behind ssh or adb that runs none yet: this program, or the one that the
/// target names, and the library of one engine are put into its cache, each in a folder that is
/// named by its SHA-256, and started with --stdio. It ends with the connection.
class PushedServer {
 public:
  /// Reads the files. kUnsupported for an engine that is more than one file.
  static Result<PushedServer> prepare(const TargetUri& target, const EngineChoice& engine);
  /// Puts there what is missing, and starts the server. kTarget in words: what ssh says, no room,
  /// files of another architecture, a program that does not run there.
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
