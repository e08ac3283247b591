// SPDX-License-Identifier: Apache-2.0
// The verbs that read a whole trace: verify, recover, pack.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/options/verb_arguments.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "core/text.h"
#include "trace/read/copy.h"
#include "trace/read/verify.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe trace verify FILE`: checks that every byte is what its writer wrote;
/// else kCorrupt.
struct TraceVerifyArgs {
  std::string file;
};

/// Arguments of `edgeprobe trace recover FILE`: saves the rest of a truncated or damaged file in a
/// finished one.
struct TraceRecoverArgs {
  std::string file;
  std::string out;  ///< Empty: FILE with ".recovered" before its extension. Never overwritten.
};

/// Arguments of `edgeprobe trace pack FILE -o OUT`: the same trace with compressed or uncompressed
/// chunks.
struct TracePackArgs {
  std::string file, out;
  std::string compression = "zstd";  ///< zstd, lz4 or none.
  std::optional<int> level;
};

namespace {

Control control_of(Terminal& terminal, Progress& progress) {
  return {terminal.stop, [&progress](std::size_t done, std::size_t all, const std::string&) {
            progress.show(done / 1'000'000, all / 1'000'000, "MB");
          }};
}

std::string copy_size(std::uint64_t bytes) { return bytes_text(static_cast<double>(bytes)); }

void warn_of(const std::vector<std::string>& problems, Terminal& terminal) {
  for (const std::string& problem : problems) terminal.err << "warning: " << problem << "\n";
}

std::string recovered_name(const std::string& file) {
  std::filesystem::path path(file);
  const std::filesystem::path extension = path.extension();
  path.replace_extension();
  path += ".recovered";
  path += extension;
  return path.string();
}

}  // namespace

Result<Outcome> run(const TraceVerifyArgs& args, Terminal& terminal) {
  Result<trace::VerifyReport> report = Error{};
  {
    Progress progress(terminal, "verify");
    report = trace::verify(args.file, control_of(terminal, progress));
  }
  if (!report) return std::move(report.error());
  warn_of(report->problems, terminal);
  terminal.out << sanitized(args.file, 400) << ": " << report->messages << " messages in "
               << report->chunks << " chunks, " << copy_size(report->bytes)
               << (report->is_finished ? "" : ", not finished");
  if (report->without_checksum)
    terminal.out << "; " << report->without_checksum << " chunks have no checksum";
  terminal.out << "\n";
  if (!report->problems.empty())
    return Error{
        ErrorKind::kCorrupt,
        "'" + sanitized(args.file) +
            "' is not what its writer wrote: " + std::to_string(report->problems.size()) +
            " problems, above; 'edgeprobe trace recover' makes a whole file of what is left"};
  terminal.out << "every checksum is right, and every index\n";
  if (report->is_view)
    terminal.out << "it is a copy for viewers, made by 'trace export --view': pictures and curves "
                    "for Rerun and Foxglove, no tensors\n";
  else if (report->foreign_channels)
    terminal.out << report->foreign_channels
                 << " channels are another program's: their messages were checked as bytes\n";
  return Outcome::kDone;
}

Result<Outcome> run(const TraceRecoverArgs& args, Terminal& terminal) {
  const std::string out = args.out.empty() ? recovered_name(args.file) : args.out;
  Result<trace::CopyReport> report = Error{};
  {
    Progress progress(terminal, "recover");
    report = trace::recover(args.file, out, {}, control_of(terminal, progress));
  }
  if (!report) return std::move(report.error());
  warn_of(report->problems, terminal);
  terminal.out << sanitized(out, 400) << ": " << report->messages << " messages in "
               << report->chunks << " whole chunks, " << copy_size(report->bytes_after) << "\n";
  if (!report->lost_something())
    terminal.out << "nothing was lost: the trace was finished and every chunk is whole\n";
  else
    terminal.out << "left out: " << copy_size(report->lost_bytes) << " of "
                 << copy_size(report->bytes_before) << ", " << report->damaged_chunks
                 << " damaged chunks"
                 << (report->was_finished ? "" : "; the recording was not finished") << "\n";
  return Outcome::kDone;
}

Result<Outcome> run(const TracePackArgs& args, Terminal& terminal) {
  if (args.out.empty()) return Error{ErrorKind::kUsage, "--out: expected the file to write"};
  EP_TRY(const auto compression,
         trace::compression_from(args.compression, args.level ? &*args.level : nullptr));
  const auto start = std::chrono::steady_clock::now();
  Result<trace::CopyReport> report = Error{};
  {
    Progress progress(terminal, "pack");
    report = trace::pack(args.file, args.out, compression, {}, control_of(terminal, progress));
  }
  if (!report) return std::move(report.error());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto before = static_cast<double>(report->bytes_before),
             after = static_cast<double>(report->bytes_after);
  terminal.out << sanitized(args.out, 400) << ": " << bytes_text(before) << " to "
               << bytes_text(after) << " (" << number(before / after, 3) << " times smaller), "
               << report->messages << " messages, " << number(seconds, 3) << " s, "
               << bytes_text(before / seconds) << "/s\n";
  return Outcome::kDone;
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
  parser.option("--compression", args->compression, "zstd | lz4 | none").shows_default();
  parser.option("--level", args->level, "zstd 1 to 19 (default 1), lz4 0 to 12 (default 0)");
  return work_of(args);
}

}  // namespace edgeprobe::cli
