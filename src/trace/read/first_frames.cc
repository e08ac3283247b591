// SPDX-License-Identifier: Apache-2.0
#include "trace/read/first_frames.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "trace/frame_index.h"
#include "trace/record/part_mark.h"
#include "trace/record/writer.h"

namespace edgeprobe::trace {
namespace {

// Metadata that a writer adds about the whole file.
constexpr std::array<std::string_view, 4> kOfTheFile{"edgeprobe.trace", "edgeprobe.dropped",
                                                     kPartName, kFrameIndexName};

bool is_of_the_file(std::string_view name) {
  for (const std::string_view one : kOfTheFile)
    if (name == one) return true;
  return false;
}

// Writes the records that a tail reports; stops at the first failure.
class FrameCopy {
 public:
  FrameCopy(Writer writer, const std::set<std::uint32_t>& frames)
      : writer_(std::move(writer)), frames_(frames), left_(frames) {}

  TailVisitor visitor() {
    TailVisitor visitor;
    visitor.tensor = [this](const Channel& channel, std::uint32_t frame, std::uint64_t time_ns,
                            ByteView bytes) {
      if (is_done() || frames_.count(frame) == 0) return;
      const auto id = id_of(channel);
      if (id) keep(writer_.write(*id, frame, time_ns, bytes));
    };
    visitor.frame = [this](const FrameRecord& record) {
      if (is_done() || left_.erase(record.frame) == 0) return;
      keep(writer_.frame(record));
    };
    visitor.event_text = [this](const std::string& topic, std::uint64_t time_ns, ByteView json) {
      if (!is_done()) keep(writer_.stream(topic, time_ns, std::string(json.text())));
    };
    visitor.metadata = [this](const std::string& name,
                              const std::map<std::string, std::string>& values) {
      if (!is_done() && !is_of_the_file(name)) keep(writer_.metadata(name, values));
    };
    return visitor;
  }
  bool is_done() const { return !done_ || left_.empty(); }
  Status close() {
    if (!done_) return std::move(done_);
    EP_CHECK(writer_.close());
    return {};
  }

 private:
  // Pointers to a tail's channels stay valid.
  std::optional<ChannelId> id_of(const Channel& channel) {
    if (const auto known = ids_.find(&channel); known != ids_.end()) return known->second;
    const auto id = writer_.add_channel(channel);
    if (!id) {
      keep(Error(id.error()));
      return std::nullopt;
    }
    return ids_[&channel] = *id;
  }
  void keep(Status status) {
    if (done_ && !status) done_ = std::move(status);
  }

  Writer writer_;
  const std::set<std::uint32_t>& frames_;
  std::set<std::uint32_t> left_;
  std::map<const Channel*, ChannelId> ids_;
  Status done_;
};

}  // namespace

Result<FirstFrames> FirstFrames::open(const std::filesystem::path& path, std::size_t wanted) {
  EP_TRY(auto tail, Tail::open(path));
  return FirstFrames(path, std::move(tail), wanted);
}

Status FirstFrames::poll() {
  TailVisitor visitor;
  visitor.frame = [this](const FrameRecord& record) {
    if (numbers_.size() < wanted_) numbers_.insert(record.frame);
    else has_more_ = has_more_ || numbers_.count(record.frame) == 0;
  };
  return tail_.poll(visitor, [this] { return has_more_; });
}

Status FirstFrames::copy(const std::filesystem::path& target) const {
  EP_TRY(auto tail, Tail::open(path_));
  EP_TRY(auto writer, Writer::open(target));
  FrameCopy copy(std::move(writer), numbers_);
  EP_CHECK(tail.poll(copy.visitor(), [&] { return copy.is_done(); }));
  return copy.close();
}

}  // namespace edgeprobe::trace
