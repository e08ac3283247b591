// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>

#include "core/text.h"
#include "trace/channel_text.h"
#include "trace/export/export.h"
#include "trace/export/zip.h"
#include "trace/frame_json.h"
#include "trace/read/answer_text.h"

namespace edgeprobe::trace {
namespace {

const char* numpy_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return "<f4";
    case DType::kFloat16: return "<f2";
    case DType::kBFloat16: return "<u2";
    case DType::kFloat64: return "<f8";
    case DType::kInt8: return "|i1";
    case DType::kUInt8: return "|u1";
    case DType::kInt16: return "<i2";
    case DType::kUInt16: return "<u2";
    case DType::kInt32: return "<i4";
    case DType::kUInt32: return "<u4";
    case DType::kInt64: return "<i8";
    case DType::kUInt64: return "<u8";
    case DType::kBool: return "|b1";
    case DType::kInt4:
    case DType::kOther: break;
  }
  return "|u1";
}

// Header of .npy version 1.0: magic, length, and a Python literal padded so that the values start
// at a multiple of 64.
std::string npy_header(const char* type, const Shape& shape) {
  std::string text = std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (";
  for (const std::int64_t dim : shape) text += std::to_string(dim) + ", ";
  text += "), }";
  const std::size_t start = 10;
  text.append(63 - (start + text.size()) % 64, ' ');
  text += '\n';
  std::string header = "\x93NUMPY";
  header += '\x01';
  header += '\0';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

class NpzExport {
 public:
  NpzExport(const Reader& reader, std::vector<const ReadChannel*> channels,
            std::vector<std::uint32_t> frames, ZipWriter zip, const Control& control)
      : reader_(reader),
        channels_(std::move(channels)),
        frames_(std::move(frames)),
        zip_(std::move(zip)),
        control_(control) {}

  Result<ExportReport> run() {
    Status done = find_present();
    if (done) done = put_vector("frames", "<u4", frames_);
    if (done) done = put_labels();
    if (done) done = put_annotations();
    for (std::size_t i = 0; done && i < channels_.size(); ++i)
      done = channels_[i]->channel.is_open() ? put_files(i) : put_tensor(i);
    if (done) done = zip_.finish();
    if (!done) return done.error();
    return report_;
  }

 private:
  // Finds the frames with a valid message of each channel; one bit per frame keeps memory small for
  // long traces.
  Status find_present() {
    present_.assign(channels_.size(), std::vector<bool>(frames_.size()));
    for (std::size_t f = 0; f < frames_.size(); ++f) {
      if (control_.stopped()) return stopped_error();
      for (std::size_t c = 0; c < channels_.size(); ++c) {
        const auto tensor = reader_.read(frames_[f], channels_[c]->id);
        if (!tensor) report_.note(tensor.error().what);
        else present_[c][f] = tensor->has_value();
      }
    }
    return {};
  }

  template <class T>
  Status put_vector(const std::string& name, const char* type, const std::vector<T>& values) {
    EP_CHECK(zip_.begin(name, ".npy"));
    auto done = zip_.append(view_of(npy_header(type, {static_cast<std::int64_t>(values.size())})));
    if (done)
      done = zip_.append(
          {reinterpret_cast<const std::byte*>(values.data()), values.size() * sizeof(T)});
    return done ? zip_.end() : done;
  }

  Status put_labels() {
    std::vector<std::int64_t> labels(frames_.size(), -1);
    bool any = false;
    std::size_t f = 0;
    for (const FrameRecord& record : reader_.records()) {
      if (f == frames_.size() || record.frame != frames_[f]) continue;
      if (record.label) {
        labels[f] = *record.label;
        any = true;
      }
      ++f;
    }
    return any ? put_vector("labels", "<i8", labels) : Status();
  }

  /// Writes one object: frame numbers with their annotations.
  Status put_annotations() {
    std::string json;
    for (const FrameRecord& record : reader_.records())
      if (record.annotation && std::binary_search(frames_.begin(), frames_.end(), record.frame))
        json += (json.empty() ? "{\"" : ",\n\"") + std::to_string(record.frame) +
                "\":" + annotation_json(*record.annotation);
    if (json.empty()) return {};
    json += "}\n";
    EP_CHECK(zip_.begin("annotations", ".json"));
    auto done = zip_.append(view_of(json));
    return done ? zip_.end() : done;
  }

  std::string member_name(std::size_t c) const {
    const Channel& channel = channels_[c]->channel;
    return std::string(trace::name(channel.stage)) + "/" + archive_name(channel.spec.name);
  }

  Status put_tensor(std::size_t c) {
    const TensorSpec& spec = channels_[c]->channel.spec;
    std::vector<std::uint32_t> frames;
    for (std::size_t f = 0; f < frames_.size(); ++f)
      if (present_[c][f]) frames.push_back(frames_[f]);
    Shape shape = spec.shape;
    if (spec.dtype == DType::kInt4) shape = {static_cast<std::int64_t>(*spec.byte_size())};
    shape.insert(shape.begin(), static_cast<std::int64_t>(frames.size()));
    EP_TRY(const auto member, zip_.begin(member_name(c), ".npy"));
    if (spec.dtype == DType::kInt4 || spec.dtype == DType::kBFloat16)
      report_.note("'" + sanitized(member, 60) + "' holds " + edgeprobe::name(spec.dtype) +
                   " bit patterns: NumPy has no such type");
    EP_CHECK(zip_.append(view_of(npy_header(numpy_type(spec.dtype), shape))));
    for (const std::uint32_t frame : frames) EP_CHECK(put_values(c, frame));
    EP_CHECK(zip_.end());
    if (frames.size() == frames_.size()) return {};
    const std::string base = member.substr(0, member.size() - 4);
    return put_vector(base + ".frames", "<u4", frames);
  }

  Status put_values(std::size_t c, std::uint32_t frame) {
    if (control_.stopped()) return stopped_error();
    EP_TRY(const auto tensor, reader_.read(frame, channels_[c]->id));
    if (!tensor)
      return Error{ErrorKind::kCorrupt,
                   "'" + sanitized(reader_.path().string()) + "' changed while it was read"};
    ++report_.tensors;
    if (channels_[c]->channel.is_answer()) return zip_.append(view_of(answer_json(tensor->bytes)));
    return zip_.append(tensor->bytes);
  }

  Status put_files(std::size_t c) {
    for (std::size_t f = 0; f < frames_.size(); ++f) {
      if (!present_[c][f]) continue;
      char number[16];
      std::snprintf(number, sizeof number, "%06u", frames_[f]);
      const std::string& encoding = channels_[c]->channel.encoding;
      const char* const ending = encoding == "utf8"                           ? ".txt"
                                 : encoding == "json" || encoding == "answer" ? ".json"
                                                                              : ".bin";
      EP_CHECK(zip_.begin(member_name(c) + "/" + number, ending));
      auto done = put_values(c, frames_[f]);
      if (done) done = zip_.end();
      if (!done) return done;
    }
    return {};
  }

  const Reader& reader_;
  std::vector<const ReadChannel*> channels_;
  std::vector<std::uint32_t> frames_;
  ZipWriter zip_;
  const Control& control_;
  std::vector<std::vector<bool>> present_;
  ExportReport report_;
};

}  // namespace

Result<ExportReport> export_npz(const Reader& reader, const std::filesystem::path& path,
                                const ExportOptions& options, const Control& control) {
  EP_TRY(auto channels, selected_channels(reader, options.selection));
  EP_TRY(auto frames, selected_frames(reader, options.selection));
  EP_TRY(auto zip, ZipWriter::create(path, options.replace));
  return NpzExport(reader, std::move(channels), std::move(frames), std::move(zip), control).run();
}

}  // namespace edgeprobe::trace
