// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "core/file.h"
#include "trace/channel_text.h"

namespace edgeprobe::trace {

Folder::Folder(Files files) {
  const char* const memory = "/dev/shm";
  const std::filesystem::path place = files == Files::kMany && ::access(memory, W_OK) == 0
                                          ? memory
                                          : std::filesystem::temp_directory_path();
  std::string pattern = (place / "edgeprobe-trace-XXXXXX").string();
  path_ = ::mkdtemp(pattern.data());
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::size_t Folder::file_count() const {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_),
                                                std::filesystem::directory_iterator()));
}

Bytes noise(std::size_t size, std::uint64_t seed) {
  Bytes bytes(size);
  std::uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
  for (std::byte& byte : bytes) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    byte = static_cast<std::byte>(state >> 56);
  }
  return bytes;
}

Channel float_channel(Stage stage, std::string name, Shape shape) {
  Channel channel;
  channel.stage = stage;
  channel.spec = {std::move(name), DType::kFloat32, std::move(shape), {}};
  return channel;
}

Channel byte_channel(Stage stage, std::string name, std::size_t size) {
  Channel channel;
  channel.stage = stage;
  channel.spec = {std::move(name), DType::kUInt8, {static_cast<std::int64_t>(size)}, {}};
  return channel;
}

std::string difference(const Everything& a, const Everything& b) {
  if (a.channels != b.channels) return "channels";
  if (a.tensors != b.tensors) return "tensors";
  if (a.frames != b.frames) return "frames";
  if (a.metadata != b.metadata) return "metadata";
  return "";
}

Result<Everything> read_everything(const Reader& reader) {
  Everything all;
  std::map<std::pair<ChannelId, std::uint32_t>, std::string> sums;
  auto done = reader.visit(
      [&](const ReadChannel& channel, std::uint32_t frame, std::uint64_t time, ByteView bytes) {
        const std::string sum = sha256(bytes);
        all.tensors[topic_of(channel.channel) + "#" + std::to_string(frame) + "@" +
                    std::to_string(time)] = sum;
        sums.emplace(std::pair(channel.id, frame), sum);
        return Status();
      });
  if (!done) return done.error();
  for (const ReadChannel& channel : reader.channels()) {
    std::string described = topic_of(channel.channel);
    for (const auto& [key, value] : metadata_of(channel.channel))
      described += " " + key + "=" + value;
    all.channels.emplace_back(described, channel.messages);
    for (const std::uint32_t frame : reader.frames()) {
      auto tensor = reader.read(frame, channel.id);
      if (!tensor) return tensor.error();
      const auto seen = sums.find({channel.id, frame});
      if (tensor->has_value() != (seen != sums.end()))
        return Error{ErrorKind::kTarget, "read() and visit() disagree about what there is"};
      if (*tensor && sha256((*tensor)->bytes) != seen->second)
        return Error{ErrorKind::kTarget, "read() and visit() give other bytes"};
    }
  }
  for (const FrameRecord& r : reader.records())
    all.frames.push_back(std::to_string(r.frame) + " " + std::to_string(r.time_ns) + " " +
                         r.sample + " " + r.sha256 + " " +
                         (r.label ? std::to_string(*r.label) : "-") + " " +
                         (r.latency_ns ? std::to_string(*r.latency_ns) : "-"));
  all.metadata = reader.metadata();
  return all;
}

Status write_sample(const std::filesystem::path& path, std::uint32_t frames,
                    const WriterOptions& options) {
  auto writer = Writer::open(path, options);
  if (!writer) return writer.error();
  if (auto done = writer->metadata("edgeprobe.run", {{"model", "net.tflite"}, {"threads", "2"}});
      !done)
    return done;
  Channel input = byte_channel(Stage::kModelInput, "input", 12);
  input.spec.dtype = DType::kInt8;
  input.spec.quantization = {{0.5f}, {-1}, 0};
  input.position = 0;
  const auto in = writer->add_channel(input);
  const auto layer = writer->add_channel(float_channel(Stage::kLayer, "net/conv", {1, 2, 2, 3}));
  const auto out = writer->add_channel(float_channel(Stage::kModelOutput, "scores", {1, 3}));
  if (!in || !layer || !out) return Error{ErrorKind::kTarget, "channels were refused"};
  for (std::uint32_t frame = 0; frame < frames; ++frame) {
    const std::uint64_t time = 1'000'000'000ull + frame;
    for (const auto& [id, size] :
         {std::pair(*in, 12u), std::pair(*layer, 48u), std::pair(*out, 12u)})
      if (auto done = writer->write(id, frame, time, noise(size, frame * 10u + id)); !done)
        return done;
    FrameRecord record;
    record.frame = frame;
    record.time_ns = time;
    record.sample = "a/" + std::to_string(frame) + ".png";
    record.label = static_cast<int>(frame % 3);
    if (auto done = writer->frame(record); !done) return done;
  }
  auto closed = writer->close();
  if (!closed) return closed.error();
  return {};
}

Bytes file_bytes(const std::filesystem::path& path) {
  auto bytes = read_file(path);
  return bytes ? std::move(*bytes) : Bytes();
}

void put_file(const std::filesystem::path& path, ByteView bytes) {
  // A new file each time: ext4 flushes a file at once if it was truncated and rewritten.
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(bytes.data), static_cast<std::streamsize>(bytes.size));
}

bool has_python() { return std::filesystem::exists(TRACE_TEST_PYTHON); }

std::pair<int, std::string> run_python(const std::string& script,
                                       const std::vector<std::string>& arguments) {
  std::string command =
      std::string("'") + TRACE_TEST_PYTHON + "' '" + TRACE_TEST_SCRIPTS + "/" + script + "'";
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return {-1, "popen failed"};
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), got);
  const int status = ::pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}

}  // namespace edgeprobe::trace
