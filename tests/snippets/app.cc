// SPDX-License-Identifier: Apache-2.0
// The same application in C++, Python and Java: tests/snippets/snippets_test.py compares the traces
// tensor by tensor.
#include <edgeprobe.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

struct Half {
  std::uint16_t bits;
};
struct Bfloat {
  std::uint16_t bits;
};
template <>
struct edgeprobe::DtypeOf<Half> {
  static constexpr edgeprobe_dtype value = EDGEPROBE_FLOAT16;
};
template <>
struct edgeprobe::DtypeOf<Bfloat> {
  static constexpr edgeprobe_dtype value = EDGEPROBE_BFLOAT16;
};

template <class T>
std::vector<T> count(int size, int first) {
  std::vector<T> values(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) values[static_cast<std::size_t>(i)] = static_cast<T>(first + i);
  return values;
}

int main(int, char** arguments) {
  using edgeprobe::Details;
  using edgeprobe::Pixels;
  using edgeprobe::Shape;
  using edgeprobe::Stage;
  edgeprobe::Options options(edgeprobe::Level::layers);
  options.raw = edgeprobe::Raw::all;
  options.exclude = "variable/secret*";
  edgeprobe::Probe probe(arguments[1], options);
  probe.describe("model", "snippet.tflite");
  probe.describe("engine", "none");
  const std::array<float, 1> scale = {0.0078125f};
  const std::array<std::int64_t, 1> zero = {-1};
  const std::array<float, 2> scales = {0.5f, 0.25f};
  const std::array<std::int64_t, 2> zeros = {1, 2};
  for (int f = 0; f < 3; ++f) {
    auto frame = probe.frame();
    frame.sample("pictures/größe " + std::to_string(f) + ".png");
    frame.label(f);

    // Rows of 12 bytes, 16 bytes apart.
    frame.image("camera", count<std::uint8_t>(48, f), 3, 4, Pixels::rgb8, 16);
    const auto pixels = count<std::uint8_t>(24, 7 * f);
    edgeprobe_image front = {};
    front.struct_size = sizeof front;
    front.name = "front";
    front.format = EDGEPROBE_NV21;
    front.width = front.height = 4;
    front.data = pixels.data();
    front.size = pixels.size();
    front.rotation = 270;
    front.mirrored = front.full_range = front.bt709 = 1;
    frame.image(front);
    frame.image("screen", count<std::uint8_t>(16, f), 2, 2, Pixels::bgra8);
    frame.audio("microphone", count<std::int16_t>(8, -4).data(), 4, 2, 16000);
    frame.readings("motion", count<std::int16_t>(6, f).data(), 2, 3, 59.5);
    frame.readings("pressure", count<double>(2, f).data(), 2, 1);
    frame.text("prompt", "größer 😀");
    if (f == 1) frame.begin_sequence();
    frame.encoded("file", count<std::uint8_t>(5 + static_cast<int>(f), 1).data(),
                  static_cast<std::size_t>(5 + f));

    { const auto span = frame.span("resize"); }
    frame.tensor("resized", count<float>(6, f), Shape{2, 3});
    frame.input("image", count<std::int8_t>(12, -6), Shape{1, 2, 2, 3}, 0,
                {scale.data(), zero.data(), 1, 0});
    frame.start();
    frame.stop();
    frame.tensor("conv/1", count<float>(4, f), Shape{1, 4}, Stage::layer,
                 Details{4, {}, "CONV_2D"});
    frame.tensor("pooled", count<double>(2, f), Shape{2}, Stage::embedding,
                 Details{7, {}, nullptr});
    frame.output("scores", std::vector<float>{0.25f, 0.75f}, Shape{1, 2});
    frame.tensor("per channel", count<std::int16_t>(4, f), Shape{2, 2}, Stage::variable,
                 Details{-1, {scales.data(), zeros.data(), 2, 1}, nullptr});

    frame.tensor("float32", count<float>(3, f), Shape{3}, Stage::variable);
    frame.tensor("float16", std::vector<Half>{{0x3C00}, {0x4000}, {0xC200}}, Shape{3},
                 Stage::variable);
    frame.tensor("bfloat16", std::vector<Bfloat>{{0x3F80}, {0x4000}, {0xC040}}, Shape{3},
                 Stage::variable);
    frame.tensor("float64", count<double>(3, f), Shape{3}, Stage::variable);
    frame.tensor("int8", count<std::int8_t>(3, f), Shape{3}, Stage::variable);
    frame.tensor("uint8", count<std::uint8_t>(3, f), Shape{3}, Stage::variable);
    frame.tensor("int16", count<std::int16_t>(3, f), Shape{3}, Stage::variable);
    frame.tensor("uint16", count<std::uint16_t>(3, f), Shape{3}, Stage::variable);
    frame.tensor("int32", count<std::int32_t>(3, f), Shape{3}, Stage::variable);
    frame.tensor("uint32", count<std::uint32_t>(3, f), Shape{3}, Stage::variable);
    frame.tensor("int64", count<std::int64_t>(3, f), Shape{3}, Stage::variable);
    frame.tensor("uint64", count<std::uint64_t>(3, f), Shape{3}, Stage::variable);
    frame.tensor("bool", std::array<bool, 3>{true, false, true}, Shape{3}, Stage::variable);
    const std::int64_t number = (1LL << 40) + f;
    frame.tensor("one number", &number, Shape{}, Stage::variable);

    const std::vector<float> scores_of_two{0.75f, 0.25f};
    frame.answer(edgeprobe::Answer()
                     .labels({"größer", "cat"})
                     .classes({3 + f, -1})
                     .scores(scores_of_two)
                     .boxes(count<float>(8, f)));
    frame.answer(edgeprobe::Answer()
                     .name("rest")
                     .mask(count<std::uint8_t>(6, f), 2, 3)
                     .points(count<float>(6, f))
                     .vector(count<float>(3, f))
                     .score(0.5f)
                     .alarm(f == 1)
                     .text("größer 😀"));
    frame.answer(edgeprobe::Answer().name("none").boxes(std::vector<float>{}));
    frame.variable("threshold", 0.125 * f);
    frame.variable("box", {1.0, 2.0, 3.0, 4.0 + f});
    frame.variable("answer", "größer 😀");
    frame.json("state", "{\"frame\": " + std::to_string(f) + "}");
    frame.variable("secret key", 1.0);
    edgeprobe::assert_that(frame, "odd", [&] { return f % 2 == 1; });
    frame.end();
  }
  edgeprobe::assert_that(probe, "labels", [] { return true; });
  edgeprobe::assert_that(probe, "size", [] { return std::string("größer"); });
  probe.mark("camera", "restarted");
  probe.sensor("accelerometer", {0.5, -1.25, 9.75}, "m/s^2");
  probe.sensor_absent("light", "lx", "not permitted");
  if (probe.close() == edgeprobe::Status::ok) return 0;
  std::fprintf(stderr, "%s\n", edgeprobe::last_error());
  return 1;
}
