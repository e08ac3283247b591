// SPDX-License-Identifier: Apache-2.0
import java.awt.image.BufferedImage;
import java.awt.image.DataBufferByte;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.bytedeco.ffmpeg.global.avutil;
import org.bytedeco.javacv.FFmpegFrameGrabber;
import org.bytedeco.javacv.Frame;

/** The frames of a video file, read by FFmpeg (JavaCV). A rotation stated in the file is not applied. */
final class Video implements Source {
  private final Path file;
  private final int most;
  private final FFmpegFrameGrabber grabber;
  private int number;

  Video(Path file, int most) throws IOException {
    this.file = file;
    this.most = most;
    avutil.av_log_set_level(avutil.AV_LOG_FATAL);
    grabber = new FFmpegFrameGrabber(file.toFile());
    grabber.start();
  }

  @Override
  public Item next() throws IOException {
    Frame frame = number == most ? null : grabber.grabImage();
    if (frame == null) return null;
    BufferedImage picture = new BufferedImage(frame.imageWidth, frame.imageHeight, BufferedImage.TYPE_3BYTE_BGR);
    ByteBuffer pixels = (ByteBuffer) frame.image[0];
    for (int y = 0; y < frame.imageHeight; y++) pixels.get(y * frame.imageStride, bytes(picture), y * 3 * frame.imageWidth, 3 * frame.imageWidth);
    return new Item(file.getFileName() + "#" + number++, picture, null);
  }

  /** Blue, green, red, row by row. */
  static byte[] bytes(BufferedImage picture) {
    return ((DataBufferByte) picture.getRaster().getDataBuffer()).getData();
  }

  @Override
  public void close() throws IOException {
    grabber.close();
  }
}
