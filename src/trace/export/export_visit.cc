// SPDX-License-Identifier: Apache-2.0
#include "trace/export/export_visit.h"

#include <algorithm>
#include <utility>

#include "trace/export/element.h"

namespace edgeprobe::trace {

Status visit_tensors(const Reader& reader, const ExportOptions& options, ExportReport& report,
                     OpenMessages& left_out, const TensorVisitor& visitor, const Control& control) {
  EP_TRY(const auto channels, selected_channels(reader, options.selection));
  EP_TRY(const auto frames, selected_frames(reader, options.selection));
  for (const std::uint32_t frame : frames) {
    const auto at = std::lower_bound(reader.frames().begin(), reader.frames().end(), frame);
    const FrameRecord& record =
        reader.records()[static_cast<std::size_t>(at - reader.frames().begin())];
    for (const ReadChannel* read : channels) {
      if (control.stopped()) return stopped_error();
      const Channel& channel = read->channel;
      const auto tensor = reader.read(frame, read->id);
      if (!tensor) {
        report.note(tensor.error().what);
        continue;
      }
      if (!*tensor) continue;
      if (channel.is_open()) {
        left_out.add(channel);
        continue;
      }
      std::vector<float> real;
      if (!channel.spec.quantization.empty()) {
        auto values = to_float(**tensor);
        if (!values) {
          report.note(values.error().what);
          continue;
        }
        real = std::move(*values);
      }
      EP_CHECK(visitor(record, channel, **tensor, real));
      ++report.tensors;
    }
  }
  return {};
}

}  // namespace edgeprobe::trace
