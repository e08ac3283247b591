// SPDX-License-Identifier: Apache-2.0
#include "trace/read/verify.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/file.h"
#include "core/text.h"
#include "trace/mcap/crc32.h"
#include "trace/mcap/walk.h"
#include "trace/read/scan.h"
#include "trace/record/view_schema.h"

namespace edgeprobe::trace {
namespace {

using mcap::Cursor;
using mcap::Op;
using mcap::Record;

// Time and offset of the messages of one chunk, by channel.
using Index = std::map<std::uint16_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>>;

class Verifier {
 public:
  Verifier(const MappedFile& file, VerifyReport& report, Problems& problems)
      : file_(file), report_(report), problems_(problems) {}

  void take(const Record& record) {
    if (record.op != Op::kMessageIndex) end_chunk();
    if (record.op == Op::kChunk) take_chunk(record);
    if (record.op == Op::kMessageIndex) take_index(record);
    if (record.op == Op::kMessage) ++report_.messages;
    if (record.op == Op::kAttachment) take_attachment(record);
    if (record.op == Op::kDataEnd) take_data_end(record);
  }

  void end_chunk() {
    if (chunk_ && has_index_ && found_ != claimed_)
      problems_.add("the message indexes after the chunk" + at(*chunk_) +
                    " do not say what it holds");
    chunk_.reset();
    has_index_ = false;
    found_.clear();
    claimed_.clear();
  }

  void compare(const Summary& summary) {
    if (summary.chunks.empty()) return;
    bool same = summary.chunks.size() == places_.size();
    for (std::size_t i = 0; same && i < places_.size(); ++i)
      same = summary.chunks[i].offset == places_[i].offset &&
             summary.chunks[i].length == places_[i].length;
    if (!same) problems_.add("the chunk indexes of the summary do not say where the chunks are");
  }

 private:
  void take_chunk(const Record& record) {
    ++report_.chunks;
    places_.push_back({record.offset, record.end() - record.offset});
    const auto fields = mcap::chunk_fields(record.content);
    if (!fields) return;  // opening the file reported it
    Segment segment = chunk_segment(record, *fields, file_.bytes());
    report_.without_checksum += fields->checksum == 0;
    Decoded decoded;
    const auto body = segment_bytes(file_, segment, decoded, /*verify=*/true);
    if (!body) {
      // opening the file reported it for compressed chunks
      if (segment.codec.empty()) problems_.add(body.error().what);
      return;
    }
    chunk_ = record.offset;
    for (std::size_t next = 0; next < body->size;) {
      const auto inner = mcap::record_at(*body, next);
      if (!inner) break;
      next = inner->end();
      if (inner->op != Op::kMessage) continue;
      ++report_.messages;
      if (const auto head = mcap::message_head(inner->content))
        found_[head->channel].emplace_back(head->log_time, inner->offset);
    }
    for (auto& [channel, list] : found_) std::sort(list.begin(), list.end());
  }

  void take_index(const Record& record) {
    if (!chunk_) return;
    has_index_ = true;
    Cursor fields(record.content);
    const std::uint16_t channel = fields.u16();
    Cursor list(view_of(fields.text()));
    auto& claimed = claimed_[channel];
    while (!list.rest().empty() && list.ok()) {
      const std::uint64_t time = list.u64();
      claimed.emplace_back(time, list.u64());
    }
    std::sort(claimed.begin(), claimed.end());
    if (claimed.empty())
      claimed_.erase(channel);  // some writers also list channels without
                                // messages
  }

  void take_attachment(const Record& record) {
    const ByteView content = record.content;
    if (content.size < 4) return problems_.add("the attachment" + at(record.offset) + " is broken");
    Cursor end(content.sub(content.size - 4, 4));
    const std::uint32_t sum = end.u32();
    if (sum != 0 && sum != crc32(content.sub(0, content.size - 4)))
      problems_.add("the checksum of the attachment" + at(record.offset) + " is wrong");
  }

  void take_data_end(const Record& record) {
    Cursor fields(record.content);
    const std::uint32_t sum = fields.u32();
    if (sum == 0) return;
    constexpr std::size_t kStep = std::size_t{8} << 20;
    std::uint32_t found = 0;
    for (std::size_t next = 0; next < record.offset; next += kStep) {
      found = crc32(file_.bytes().sub(next, std::min(kStep, record.offset - next)), found);
      file_.release(next, kStep);
    }
    if (found != sum) problems_.add("the checksum of the data section is wrong");
  }

  const MappedFile& file_;
  VerifyReport& report_;
  Problems& problems_;
  std::optional<std::uint64_t> chunk_;
  bool has_index_ = false;
  Index found_, claimed_;
  std::vector<Summary::ChunkAt> places_;
};

}  // namespace

Result<VerifyReport> verify(const std::filesystem::path& path, const Control& control) {
  EP_TRY(const auto file, MappedFile::open(path));
  Problems problems, known;  // the scan has reported the walk's problems already
  EP_TRY(const auto contents,
         scan(file, "'" + sanitized(path.string()) + "'", problems, Depth::kMessages));
  VerifyReport report;
  report.bytes = file.bytes().size;
  report.is_finished = contents.is_finished;
  report.is_view = contents.metadata.count(kViewMetadata) != 0;
  report.foreign_channels = problems.foreign();
  const Summary summary = read_summary(file.bytes(), known);
  Verifier verifier(file, report, problems);
  bool stopped = false;
  const Walked walked = walk(file, summary, known, [&](const Record& record) {
    verifier.take(record);
    if (control.progress)
      control.progress(static_cast<std::size_t>(record.end()),
                       static_cast<std::size_t>(report.bytes), "bytes");
    stopped = control.stopped();
    return !stopped;
  });
  if (stopped) return Error{ErrorKind::kInterrupted, "stopped"};
  verifier.end_chunk();
  if (walked.ended) verifier.compare(summary);
  report.problems = problems.damage();
  return report;
}

}  // namespace edgeprobe::trace
