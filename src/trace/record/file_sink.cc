// SPDX-License-Identifier: Apache-2.0
#include "trace/record/file_sink.h"

namespace edgeprobe::trace {

Result<std::unique_ptr<RecordSink>> FileSink::create(const std::filesystem::path& path,
                                                     const Options& options) {
  EP_TRY(auto file, options.hidden ? OutputFile::create_hidden(path, options.replace)
                                   : OutputFile::create(path, options.replace));
  if (options.most_bytes) file.reserve_at_most(options.most_bytes);
  return std::unique_ptr<RecordSink>(std::make_unique<FileSink>(std::move(file), options.hidden));
}

Status FileSink::append(const std::vector<ByteView>& parts, const Shorten& shorten) {
  auto done = file_.append(parts);
  if (done) return hidden_ ? done : file_.place();
  if (hidden_ || !shorten || !file_.fitted()) return done;
  if (const auto shorter = shorten(file_.fitted()); !shorter.empty())
    (void)file_.append_what_fits(shorter);
  return file_.error();
}

Status FileSink::end(End how) {
  if (how == End::kDiscarded) {
    file_.discard();
    return {};
  }
  auto closed = file_.close();
  return closed && how == End::kWhole && hidden_ ? file_.place() : closed;
}

}  // namespace edgeprobe::trace
