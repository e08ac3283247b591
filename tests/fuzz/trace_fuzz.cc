// SPDX-License-Identifier: Apache-2.0
// Any bytes as a trace file: the reader answers with an error, a problem or tensors that fit their
// specs.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "mend_trace.h"
#include "trace/read/events.h"
#include "trace/read/reader.h"
#include "trace/read/tail.h"

namespace {

using namespace edgeprobe;

void require(bool condition) {
  if (!condition) std::abort();
}

void read_all(const std::string& path, bool verify, bool use_index) {
  trace::ReaderOptions options;
  options.verify_checksums = verify;
  options.use_index = use_index;
  const auto reader = trace::Reader::open(path, options);
  if (!reader) {
    require(!reader.error().what.empty() && reader.error().what.size() < 2000);
    return;
  }
  std::uint64_t messages = 0;
  [[maybe_unused]] volatile std::byte touched{};
  const auto fits = [](const TensorSpec& spec, ByteView bytes) {
    const auto size = spec.byte_size();
    return !size || *size == bytes.size;
  };
  const auto visited = reader->visit(
      [&](const trace::ReadChannel& channel, std::uint32_t frame, std::uint64_t, ByteView bytes) {
        require(fits(channel.channel.spec, bytes));
        require(std::binary_search(reader->frames().begin(), reader->frames().end(), frame));
        if (!bytes.empty()) touched = bytes.data[0] ^ bytes.data[bytes.size - 1];
        ++messages;
        return Status();
      });
  require(visited.has_value());
  std::uint64_t counted = 0;
  for (const trace::ReadChannel& channel : reader->channels()) counted += channel.messages;
  require(messages <= counted);
  require(reader->records().size() == reader->frames().size());
  std::size_t budget = 200;
  for (const std::uint32_t frame : reader->frames())
    for (const trace::ReadChannel& channel : reader->channels()) {
      if (budget-- == 0) return;
      const auto tensor = reader->read(frame, channel.id);
      if (tensor && *tensor) require(fits(*(*tensor)->spec, (*tensor)->bytes));
    }
  require(reader->problems().size() <= 101);
}

// Follows the file like `trace top` and the readers of series.
void follow(const std::string& path) {
  std::vector<std::string> problems;
  const auto visited =
      trace::visit_events(path, problems, [](const trace::EventStream&, const trace::Event& event) {
        require(!event.values || event.values->size() <= 4096);
        return Status();
      });
  require(visited || !visited.error().what.empty());
  auto tail = trace::Tail::open(path);
  if (!tail) return require(!tail.error().what.empty());
  trace::TailVisitor visitor;
  visitor.tensor = [](const trace::Channel& channel, std::uint32_t, std::uint64_t, ByteView bytes) {
    const auto size = channel.is_open() ? std::nullopt : channel.spec.byte_size();
    require(!size || *size == bytes.size);
  };
  visitor.event = [](const trace::EventStream&, const trace::Event&) {};
  visitor.frame = [](const trace::FrameRecord&) {};
  (void)tail->poll(visitor);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("trace", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  require(::ftruncate(file, 0) == 0);
  require(size == 0 || ::pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  read_all(path, true, true);
  read_all(path, false, true);
  read_all(path, true, false);
  follow(path);
  return 0;
}
