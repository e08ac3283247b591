// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/trace/trace_command.h"
#include "cli/commands/trace/trace_receive_command.h"
#include "cli/commands/trace/trace_top_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

void add_trace(CLI::App& app, Work& chosen) {
  auto* trace =
      app.add_subcommand("trace", "What a trace holds, its values, and other forms of it");
  trace->require_subcommand(1);
  trace->footer("\nExample:\n  edgeprobe trace info t.mcap");
  CLI::App* sub = nullptr;
  auto info = verb<TraceInfoArgs>(*trace, "info", "What a trace holds",
                                  "edgeprobe trace info t.mcap --json", chosen, sub);
  sub->add_option("file", info->file, "A trace, or a folder of traces: a line for each")
      ->required();
  sub->add_flag(
      "--latency", info->latency,
      "Also latencies, and times by layer and layer type (recorded by run --layer-times)");
  sub->add_flag(
      "--values", info->values,
      "Also the values of each tensor: least, most, how many are NaN, infinite, denormal, "
      "saturated, too large for float16");
  add_json(*sub, info->json);
  auto cat = verb<TraceCatArgs>(*trace, "cat", "The values of its tensors",
                                "edgeprobe trace cat t.mcap --frame 0 --tensor model_input/image",
                                chosen, sub);
  sub->add_option("file", cat->file, "A trace")->required();
  sub->add_option("--frame", cat->frame, "One frame (default: all)");
  sub->add_option("--tensor", cat->tensor, "One tensor: NAME or STAGE/NAME (default: all)");
  sub->add_option("--values", cat->values, "Values shown of each tensor; 0: all")
      ->capture_default_str();
  auto out = verb<TraceExportArgs>(
      *trace, "export", "The tensors for other programs",
      "edgeprobe trace export t.mcap --npz t.npz\n  edgeprobe trace export t.mcap --parquet tables",
      chosen, sub);
  sub->add_option("file", out->file, "A trace")->required();
  sub->add_option("--npz", out->npz, "NumPy archive to write");
  sub->add_option("--csv", out->csv, "Table to write");
  sub->add_option("--parquet", out->parquet,
                  "Table to write: a FILE.parquet of the rows of --csv, or a FOLDER of frames, "
                  "events and values");
  sub->add_option("--perfetto", out->perfetto,
                  "Time line of inferences, spans, marks, variables and sensors to write, for "
                  "ui.perfetto.dev (all frames)");
  sub->add_option("--view", out->view,
                  "Copy for Rerun and Foxglove to write: pictures, curves, marks (all frames)");
  sub->add_option("--frame", out->frame, "One frame (default: all)");
  sub->add_option("--tensor", out->tensor, "One tensor: NAME or STAGE/NAME (default: all)");
  sub->add_flag("--force", out->force, "Replace existing files");
  sub->add_option("--python", out->python,
                  "The Python that writes --parquet; it must have PyArrow (default: "
                  "$EDGEPROBE_PYTHON or python3 if it has, else one that is made and kept)");
  auto top = verb<TraceTopArgs>(*trace, "top", "What a recording that is under way does, live",
                                "edgeprobe trace top t.mcap --once", chosen, sub);
  sub->add_option("file", top->file, "A trace that is being written, or is finished")->required();
  sub->add_option("--interval", top->interval_s, "Seconds between two looks")
      ->capture_default_str();
  sub->add_flag("--once", top->once, "Show what is there and end");
  auto verify = verb<TraceVerifyArgs>(*trace, "verify",
                                      "Read every byte: are all checksums and indexes right?",
                                      "edgeprobe trace verify t.mcap", chosen, sub);
  sub->add_option("file", verify->file, "A trace")->required();
  auto recover = verb<TraceRecoverArgs>(
      *trace, "recover", "A finished trace of what is left of one that was cut or damaged",
      "edgeprobe trace recover t.mcap -o whole.mcap", chosen, sub);
  sub->add_option("file", recover->file, "A trace; it is only read")->required();
  sub->add_option("-o,--out", recover->out,
                  "The file to write, never overwritten (default: FILE.recovered.mcap)");
  auto pack = verb<TracePackArgs>(
      *trace, "pack", "The same trace, compressed or no longer compressed",
      "edgeprobe trace pack t.mcap -o small.mcap --compression zstd", chosen, sub);
  sub->add_option("file", pack->file, "A trace; it is only read")->required();
  sub->add_option("-o,--out", pack->out, "The file to write, never overwritten")->required();
  sub->add_option("--compression", pack->compression, "zstd, lz4 or none")->capture_default_str();
  sub->add_option("--level", pack->level, "zstd 1 to 19 (default 1), lz4 0 to 12 (default 0)");
  auto receive =
      verb<TraceReceiveArgs>(*trace, "receive", "A trace of what a microcontroller sends",
                             "edgeprobe trace receive uart.bin -o received.mcap", chosen, sub);
  sub->add_option("source", receive->source,
                  "A serial device, a file, - (standard input), tcp:HOST:PORT or unix:PATH")
      ->required();
  sub->add_option("-o,--out", receive->out, "The trace to write")->required();
  sub->add_option("--baud", receive->baud, "Of a serial device")->capture_default_str();
  sub->add_option("--frames", receive->frames,
                  "End after so many frames (default: when the device says goodbye)");
  sub->add_option("--timeout", receive->timeout_s,
                  "End after so many seconds without a byte (default: never)");
  sub->add_flag("--force", receive->force, "Replace an existing trace");
  add_json(*sub, receive->json);
}

}  // namespace edgeprobe::cli
