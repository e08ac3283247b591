// SPDX-License-Identifier: Apache-2.0
#include "trace/channel_text.h"

#include <gtest/gtest.h>

#include "support.h"

namespace edgeprobe::trace {
namespace {

TEST(ChannelText, EveryFieldComesBack) {
  Channel channel;
  channel.stage = Stage::kLayer;
  channel.spec = {
      "net/a\x1b\xff%", DType::kInt8, {1, 4, 4, 2}, {{0.1f, 3.4028235e38f}, {-128, 127}, 3}};
  channel.position = 7;
  channel.tensor = 91;
  channel.layer_type = "CONV_2D";
  channel.extra = {{"layout", "nhwc"}};
  const auto back = channel_from(topic_of(channel), metadata_of(channel));
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(back->spec.name, channel.spec.name);
  EXPECT_EQ(back->spec.dtype, DType::kInt8);
  EXPECT_EQ(back->spec.shape, channel.spec.shape);
  EXPECT_EQ(back->spec.quantization, channel.spec.quantization);
  EXPECT_EQ(back->position, 7);
  EXPECT_EQ(back->tensor, 91);
  EXPECT_EQ(back->layer_type, "CONV_2D");
  EXPECT_EQ(back->extra, channel.extra);
  EXPECT_EQ(back->stage, Stage::kLayer);
}

TEST(ChannelText, RawBytesOfThreeDimensionsArePixels) {
  EXPECT_EQ(channel_from("/raw_input/c", {{"dtype", "uint8"}, {"shape", "4,4,3"}})->encoding,
            "pixels");
  EXPECT_EQ(channel_from("/raw_input/c", {{"dtype", "float32"}, {"shape", "4,4,3"}})->encoding, "");
  const auto file =
      channel_from("/raw_input/c", {{"dtype", "uint8"}, {"shape", "-1"}, {"encoding", "encoded"}});
  ASSERT_TRUE(file);
  EXPECT_FALSE(message_size(*file));
}

TEST(ChannelText, RefusesWhatMakesNoSenseAndNamesTheKey) {
  const auto why = [](const char* topic, std::map<std::string, std::string> keys) {
    const auto channel = channel_from(topic, keys);
    return channel ? std::string("accepted") : channel.error().what;
  };
  EXPECT_NE(why("/layer/x", {{"shape", "1"}}).find("no dtype"), std::string::npos);
  EXPECT_NE(why("/layer/x", {{"dtype", "int8"}}).find("no shape"), std::string::npos);
  EXPECT_NE(why("/layer/x", {{"dtype", "i8"}, {"shape", "1"}}).find("dtype is 'i8'"),
            std::string::npos);
  EXPECT_NE(why("/layer/x", {{"dtype", "other"}, {"shape", "1"}}).find("dtype"), std::string::npos);
  EXPECT_NE(why("/layer/x", {{"dtype", "int8"}, {"shape", "-1,3"}}).find("shape is '-1,3'"),
            std::string::npos);
  EXPECT_NE(why("/layer/x", {{"dtype", "int8"}, {"shape", "9223372036854775807,9"}}).find("shape"),
            std::string::npos);
  EXPECT_NE(
      why("/layer/x", {{"dtype", "int8"}, {"shape", "3"}, {"scale", "a"}}).find("scale is 'a'"),
      std::string::npos);
  EXPECT_NE(why("/layer/x", {{"dtype", "int8"}, {"shape", "3"}, {"scale", "nan"}}).find("scale"),
            std::string::npos);
  EXPECT_NE(
      why("/layer/x", {{"dtype", "int8"}, {"shape", "3"}, {"scale", "1,2"}}).find("axis 0 of 3"),
      std::string::npos);
  EXPECT_NE(
      why("/layer/x", {{"dtype", "int8"}, {"shape", "3"}, {"scale", "1"}, {"zero_point", "1,2"}})
          .find("zero_point"),
      std::string::npos);
  EXPECT_NE(why("/layer/x", {{"dtype", "int8"}, {"shape", "3"}, {"position", "x"}})
                .find("position is 'x'"),
            std::string::npos);
  EXPECT_NE(why("/camera/x", {{"dtype", "int8"}, {"shape", "3"}}).find("known stage"),
            std::string::npos);
  EXPECT_NE(why("/layer", {{"dtype", "int8"}, {"shape", "3"}}).find("known stage"),
            std::string::npos);
  EXPECT_NE(why("", {}).find("known stage"), std::string::npos);
}

TEST(ChannelText, NumbersMayHaveSpacesAroundThem) {
  const auto channel = channel_from(
      "/layer/x",
      {{"dtype", "int8"}, {"shape", "2"}, {"scale", "0.5, 0.25"}, {"zero_point", " 3 "}});
  ASSERT_TRUE(channel) << channel.error().what;
  EXPECT_EQ(channel->spec.quantization, (Quantization{{0.5f, 0.25f}, {3}, 0}));
}

TEST(ChannelText, AnOpenShapeOrAMegabyteNameIsNotWritten) {
  EXPECT_EQ(unwritable(float_channel(Stage::kLayer, "x", {-1, 3}))->kind, ErrorKind::kUsage);
  EXPECT_EQ(unwritable(float_channel(Stage::kLayer, std::string(1 << 20, 'n'), {3}))->kind,
            ErrorKind::kLimit);
  EXPECT_FALSE(unwritable(float_channel(Stage::kLayer, std::string(60000, 'n'), {3})));
}

}  // namespace
}  // namespace edgeprobe::trace
