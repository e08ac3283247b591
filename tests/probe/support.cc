// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace edgeprobe::test {

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "edgeprobe-probe-XXXXXX").string();
  EXPECT_TRUE(::mkdtemp(name.data()));
  path_ = name;
}
Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

edgeprobe_options defaults() {
  edgeprobe_options options;
  edgeprobe_options_init(&options);
  return options;
}

edgeprobe_probe* opened(const std::string& path, const edgeprobe_options& options) {
  edgeprobe_probe* probe = nullptr;
  EXPECT_EQ(edgeprobe_open(path.c_str(), &options, &probe), EDGEPROBE_OK) << edgeprobe_last_error();
  return probe;
}

edgeprobe_frame* begun(edgeprobe_probe* probe) {
  edgeprobe_frame* frame = nullptr;
  EXPECT_EQ(edgeprobe_frame_begin(probe, &frame), EDGEPROBE_OK);
  return frame;
}

Floats::Floats(edgeprobe_stage stage, const char* name, std::vector<float> v)
    : values(std::move(v)), shape(static_cast<int64_t>(values.size())), tensor() {
  tensor.struct_size = sizeof tensor;
  tensor.stage = stage;
  tensor.name = name;
  tensor.dtype = EDGEPROBE_FLOAT32;
  tensor.rank = 1;
  tensor.shape = &shape;
  tensor.data = values.data();
  tensor.size = values.size() * sizeof(float);
  tensor.position = -1;
}

trace::Reader read(const std::string& path) {
  auto reader = trace::Reader::open(path);
  EXPECT_TRUE(reader) << reader.error().what;
  for (const std::string& problem : reader->problems()) ADD_FAILURE() << problem;
  return std::move(*reader);
}

bool has_channel(const trace::Reader& reader, trace::Stage stage, const std::string& name) {
  for (const auto& c : reader.channels())
    if (c.channel.stage == stage && c.channel.spec.name == name) return true;
  return false;
}

const trace::ReadChannel& channel(const trace::Reader& reader, trace::Stage stage,
                                  const std::string& name) {
  for (const auto& c : reader.channels())
    if (c.channel.stage == stage && c.channel.spec.name == name) return c;
  ADD_FAILURE() << "no channel " << trace::name(stage) << "/" << name;
  static const trace::ReadChannel none{};
  return none;
}

std::vector<float> floats(const trace::Reader& reader, std::uint32_t frame, trace::Stage stage,
                          const std::string& name) {
  if (!has_channel(reader, stage, name)) return {};
  const auto tensor = reader.read(frame, channel(reader, stage, name).id);
  EXPECT_TRUE(tensor) << tensor.error().what;
  if (!tensor || !*tensor) return {};
  return *to_float({channel(reader, stage, name).channel.spec, (*tensor)->bytes});
}

std::string bytes(const trace::Reader& reader, std::uint32_t frame, trace::Stage stage,
                  const std::string& name) {
  if (!has_channel(reader, stage, name)) return {};
  const auto tensor = reader.read(frame, channel(reader, stage, name).id);
  EXPECT_TRUE(tensor) << tensor.error().what;
  return tensor && *tensor ? std::string((*tensor)->bytes.text()) : std::string();
}

std::vector<Seen> events(const std::string& path) {
  std::vector<Seen> all;
  std::vector<std::string> problems;
  const auto done =
      trace::visit_events(path, problems, [&](const trace::EventStream& s, const trace::Event& m) {
        all.push_back({s, m});
        return Status();
      });
  EXPECT_TRUE(done);
  EXPECT_TRUE(problems.empty()) << problems.front();
  return all;
}

}  // namespace edgeprobe::test
