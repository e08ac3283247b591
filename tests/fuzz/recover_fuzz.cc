// SPDX-License-Identifier: Apache-2.0
// Any bytes as a damaged trace: what recover makes of them is whole, and holds what a reader found
// before.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "mend_trace.h"
#include "trace/read/copy.h"
#include "trace/read/reader.h"
#include "trace/read/verify.h"

namespace {

using namespace edgeprobe;

void require(bool condition) {
  if (!condition) std::abort();
}

// Number of tensors that a reader finds in the file, or -1.
long tensors_in(const std::string& path) {
  trace::ReaderOptions options;
  options.use_index = false;
  const auto reader = trace::Reader::open(path, options);
  if (!reader) return -1;
  long count = 0;
  require(reader
              ->visit([&](const trace::ReadChannel&, std::uint32_t, std::uint64_t, ByteView) {
                return ++count, Status();
              })
              .has_value());
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string source = "/dev/shm/edgeprobe-fuzz-" + std::to_string(::getpid()),
                           target = source + ".out", packed = source + ".packed";
  std::ofstream(source, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  ::unlink(target.c_str());
  ::unlink(packed.c_str());
  trace::CopyOptions options;
  options.sync = false;
  const auto report = trace::recover(source, target, options);
  if (!report) {
    require(!report.error().what.empty() && ::access(target.c_str(), F_OK) != 0);
    return 0;
  }
  const long before = tensors_in(source), after = tensors_in(target);
  require(after >= before);
  if (after < 0) return 0;  // a recovered MCAP file that is not a trace
  const auto verified = trace::verify(target);
  require(verified && verified->is_finished && verified->chunks == report->chunks &&
          verified->messages == report->messages);
  const auto codec = trace::compression_from(size % 2 ? "zstd" : "lz4", nullptr);
  const auto repacked = trace::pack(target, packed, *codec, options);
  require(repacked && repacked->messages == report->messages && tensors_in(packed) == after);
  return 0;
}
