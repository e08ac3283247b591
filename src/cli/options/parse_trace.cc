// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/trace/trace_command.h"
#include "cli/commands/trace/trace_receive_command.h"
#include "cli/commands/trace/trace_top_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

Work declare_trace_info(Parser& parser) {
  auto args = std::make_shared<TraceInfoArgs>();
  parser.option("file", args->file, "A trace, or a folder of traces: a line for each").required();
  parser.flag("--latency", args->latency,
              "Also latencies, and times by layer and layer type (recorded by run --layer-times)");
  parser.flag("--values", args->values,
              "Also the values of each tensor: least, most, how many are NaN, infinite, denormal, "
              "saturated, too large for float16");
  add_json(parser, args->json);
  return work_of(args);
}

Work declare_trace_cat(Parser& parser) {
  auto args = std::make_shared<TraceCatArgs>();
  parser.option("file", args->file, "A trace").required();
  parser.option("--frame", args->frame, "One frame (default: all)");
  parser.option("--tensor", args->tensor, "One tensor: NAME or STAGE/NAME (default: all)");
  parser.option("--values", args->values, "Values shown of each tensor; 0: all").shows_default();
  return work_of(args);
}

Work declare_trace_export(Parser& parser) {
  auto args = std::make_shared<TraceExportArgs>();
  parser.option("file", args->file, "A trace").required();
  parser.option("--npz", args->npz, "NumPy archive to write");
  parser.option("--csv", args->csv, "Table to write");
  parser.option("--parquet", args->parquet,
                "Table to write: a FILE.parquet of the rows of --csv, or a FOLDER of frames, "
                "events and values");
  parser.option("--perfetto", args->perfetto,
                "Time line of inferences, spans, marks, variables and sensors to write, for "
                "ui.perfetto.dev (all frames)");
  parser.option("--view", args->view,
                "Copy for Rerun and Foxglove to write: pictures, curves, marks (all frames)");
  parser.option("--frame", args->frame, "One frame (default: all)");
  parser.option("--tensor", args->tensor, "One tensor: NAME or STAGE/NAME (default: all)");
  parser.flag("--force", args->force, "Replace existing files");
  parser.option("--python", args->python,
                "The Python that writes --parquet; it must have PyArrow (default: "
                "$EDGEPROBE_PYTHON or python3 if it has, else one that is made and kept)");
  return work_of(args);
}

Work declare_trace_top(Parser& parser) {
  auto args = std::make_shared<TraceTopArgs>();
  parser.option("file", args->file, "A trace that is being written, or is finished").required();
  parser.option("--interval", args->interval_s, "Seconds between two looks").shows_default();
  parser.flag("--once", args->once, "Show what is there and end");
  return work_of(args);
}

Work declare_trace_verify(Parser& parser) {
  auto args = std::make_shared<TraceVerifyArgs>();
  parser.option("file", args->file, "A trace").required();
  return work_of(args);
}

Work declare_trace_recover(Parser& parser) {
  auto args = std::make_shared<TraceRecoverArgs>();
  parser.option("file", args->file, "A trace; it is only read").required();
  parser.option("-o,--out", args->out,
                "The file to write, never overwritten (default: FILE.recovered.mcap)");
  return work_of(args);
}

Work declare_trace_pack(Parser& parser) {
  auto args = std::make_shared<TracePackArgs>();
  parser.option("file", args->file, "A trace; it is only read").required();
  parser.option("-o,--out", args->out, "The file to write, never overwritten").required();
  parser.option("--compression", args->compression, "zstd, lz4 or none").shows_default();
  parser.option("--level", args->level, "zstd 1 to 19 (default 1), lz4 0 to 12 (default 0)");
  return work_of(args);
}

Work declare_trace_receive(Parser& parser) {
  auto args = std::make_shared<TraceReceiveArgs>();
  parser
      .option("source", args->source,
              "A serial device, a file, - (standard input), tcp:HOST:PORT or unix:PATH")
      .required();
  parser.option("-o,--out", args->out, "The trace to write").required();
  parser.option("--baud", args->baud, "Of a serial device").shows_default();
  parser.option("--frames", args->frames,
                "End after so many frames (default: when the device says goodbye)");
  parser.option("--timeout", args->timeout_s,
                "End after so many seconds without a byte (default: never)");
  parser.flag("--force", args->force, "Replace an existing trace");
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
