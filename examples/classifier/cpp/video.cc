// SPDX-License-Identifier: Apache-2.0
#include "video.h"

#ifdef CLASSIFIER_READS_VIDEO

#include <algorithm>
#include <new>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
}

struct Video::Decoder {
  AVFormatContext* file = nullptr;
  AVCodecContext* codec = nullptr;
  SwsContext* converter = nullptr;
  AVPacket* packet = av_packet_alloc();
  AVFrame* frame = av_frame_alloc();
  AVFrame* rgb = av_frame_alloc();
  int stream = -1;

  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() {
    sws_freeContext(converter);
    av_frame_free(&rgb);
    av_frame_free(&frame);
    av_packet_free(&packet);
    avcodec_free_context(&codec);
    avformat_close_input(&file);
  }

  /// Passes the next packet of the video stream, or the end, to the codec. Returns 0, or FFmpeg's
  /// error.
  int feed() {
    for (;;) {
      int result = av_read_frame(file, packet);
      if (result == AVERROR_EOF) return avcodec_send_packet(codec, nullptr);
      if (result < 0) return result;
      const bool ours = packet->stream_index == stream;
      if (ours) result = avcodec_send_packet(codec, packet);
      av_packet_unref(packet);
      if (ours) return result;
    }
  }

  Picture picture() {
    const auto format = static_cast<AVPixelFormat>(frame->format);
    converter = sws_getCachedContext(converter, frame->width, frame->height, format, frame->width,
                                     frame->height, AV_PIX_FMT_RGB24, SWS_BICUBIC, nullptr, nullptr,
                                     nullptr);
    // YUV as stated in the file: BT.709 or BT.601 (the default), full range or 16..235.
    const int* const matrix =
        sws_getCoefficients(frame->colorspace == AVCOL_SPC_BT709 ? SWS_CS_ITU709 : SWS_CS_ITU601);
    const bool whole = frame->color_range == AVCOL_RANGE_JPEG || format == AV_PIX_FMT_YUVJ420P ||
                       format == AV_PIX_FMT_YUVJ422P || format == AV_PIX_FMT_YUVJ444P;
    sws_setColorspaceDetails(converter, matrix, whole, matrix, 1, 0, 1 << 16, 1 << 16);
    // The converter writes some bytes beyond the end of a row, so the rows have room after them.
    if (rgb->width != frame->width || rgb->height != frame->height) {
      av_frame_unref(rgb);
      rgb->width = frame->width;
      rgb->height = frame->height;
      rgb->format = AV_PIX_FMT_RGB24;
      if (av_frame_get_buffer(rgb, 64) < 0) throw std::bad_alloc();
    }
    sws_scale(converter, frame->data, frame->linesize, 0, frame->height, rgb->data, rgb->linesize);
    Picture out = blank(frame->height, frame->width);
    for (int y = 0; y < out.height; ++y)
      std::copy_n(rgb->data[0] + y * rgb->linesize[0], std::size_t(out.width) * 3, out.at(y, 0));
    return out;
  }
};

namespace {

std::string said(int code) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(code, text, sizeof text);
  return text;
}

}  // namespace

Video::Video(const std::string& path) : decoder_(std::make_unique<Decoder>()) {
  av_log_set_level(AV_LOG_FATAL);
  int result = avformat_open_input(&decoder_->file, path.c_str(), nullptr, nullptr);
  if (result >= 0) result = avformat_find_stream_info(decoder_->file, nullptr);
  const AVCodec* codec = nullptr;
  if (result >= 0)
    result = decoder_->stream =
        av_find_best_stream(decoder_->file, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
  if (result >= 0) {
    decoder_->codec = avcodec_alloc_context3(codec);
    result = avcodec_parameters_to_context(decoder_->codec,
                                           decoder_->file->streams[decoder_->stream]->codecpar);
  }
  if (result >= 0) result = avcodec_open2(decoder_->codec, codec, nullptr);
  if (result < 0) error_ = path + ": " + said(result);
}

std::optional<Picture> Video::next() {
  if (!error_.empty()) return std::nullopt;
  for (;;) {
    int result = avcodec_receive_frame(decoder_->codec, decoder_->frame);
    if (result >= 0) return decoder_->picture();
    if (result == AVERROR_EOF) return std::nullopt;
    if (result == AVERROR(EAGAIN)) result = decoder_->feed();
    if (result < 0) {
      error_ = "the video cannot be decoded further: " + said(result);
      return std::nullopt;
    }
  }
}

#else

struct Video::Decoder {};

Video::Video(const std::string& path)
    : error_(
          path +
          " is not a folder, and this build reads no video: libavformat, libavcodec and libswscale "
          "were not there") {}

std::optional<Picture> Video::next() { return std::nullopt; }

#endif

Video::~Video() = default;
Video::Video(Video&&) noexcept = default;
Video& Video::operator=(Video&&) noexcept = default;
