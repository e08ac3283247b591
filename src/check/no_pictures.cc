// SPDX-License-Identifier: Apache-2.0
#include "check/reference.h"

#include "core/text.h"

namespace edgeprobe::check {
namespace {

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

Error no_pictures(const trace::Reader& trace, const pipeline::TraceSamples& raw,
                  const std::string& data) {
  const std::string title = "'" + sanitized(trace.path().string()) + "'",
                    other = "; or give a --reference-trace";
  const std::size_t frames = raw.without_raw.size(), named = frames - raw.unnamed;
  if (frames == 0) return {ErrorKind::kNotFound, title + " contains no frames"};
  const std::string folder = "--data " + sanitized(data, 200),
                    folder_holds = folder + " holds " + counted(raw.pictures, "picture");
  if (named == 0) {
    const std::string what =
        title + " contains no pictures: " + counted(frames, "frame") + " without a name: ";
    if (data.empty())
      return {ErrorKind::kNotFound,
              what +
                  "log the picture by frame.image(), or name it by "
                  "probe.frame(sample=...) and give its folder with --data DIR" +
                  other};
    return {ErrorKind::kNotFound,
            what + "name them by probe.frame(sample=...) or log the picture by frame.image(); " +
                folder_holds};
  }
  const std::string few =
      raw.unnamed ? " (" + counted(raw.unnamed, "further frame") + " without a name)" : "";
  const std::string example = "'" + sanitized(raw.first_name, 80) + "'";
  if (data.empty())
    return {ErrorKind::kNotFound,
            title + " contains no pictures: its frames have names, e.g. " + example + few +
                ": give the folder of these pictures with --data DIR" + other};
  if (raw.altered)
    return {ErrorKind::kNotFound, title + " contains no pictures, and those of " + folder +
                                      " are others: " + counted(raw.altered, "name") +
                                      " of its frames fit, e.g. " + example +
                                      ", but not the SHA-256 that was recorded with it"};
  return {ErrorKind::kNotFound, title + " contains no pictures, and none of the names of its " +
                                    counted(named, "frame") + few + ", e.g. " + example +
                                    ", is that of a file: " + folder_holds + ", e.g. '" +
                                    sanitized(raw.first_picture, 80) + "'"};
}

}  // namespace edgeprobe::check
