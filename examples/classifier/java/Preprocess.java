// SPDX-License-Identifier: Apache-2.0
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.Image;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/** From a picture to the model's input: 1 x 3 x height x width floats. The fields are in the order of the steps. */
final class Preprocess {
  enum Fit { STRETCH, SQUARE, LETTERBOX, CORNER }

  /** The first three and AREA never skip a pixel; CUBIC, BILINEAR and NEAREST are those of Graphics2D. */
  enum Resize { ANTIALIAS, ANTIALIAS_CUBIC, ANTIALIAS_LANCZOS, AREA, BILINEAR, CUBIC, NEAREST }

  enum Channels { RGB, BGR, GRAY }

  enum Layout { NCHW, NHWC }

  boolean mirror;
  int quarters;
  Fit fit = Fit.STRETCH;
  double crop = 0.875;
  Resize resize = Resize.ANTIALIAS;
  int fill;
  Channels channels = Channels.RGB;
  double gamma = 1;
  double[] mean = {127.5, 127.5, 127.5};
  double[] std = {127.5, 127.5, 127.5};
  Layout layout = Layout.NCHW;

  /** A direct buffer for a model's input. */
  static FloatBuffer input(int height, int width) {
    return ByteBuffer.allocateDirect(4 * 3 * height * width).order(ByteOrder.nativeOrder()).asFloatBuffer();
  }

  /** Fills all of `input`. */
  void run(BufferedImage picture, int height, int width, FloatBuffer input) {
    int[] pixels = pixels(fitted(cropped(rotated(mirrored(picture))), height, width));
    for (int i = 0; i < pixels.length; i++) {
      for (int channel = 0; channel < 3; channel++) {
        int shift = 8 * (channels == Channels.BGR ? channel : 2 - channel);
        double level = pixels[i] >> shift & 0xFF;
        if (gamma != 1) level = Math.rint(255 * Math.pow(level / 255, gamma));
        int place = layout == Layout.NCHW ? channel * pixels.length + i : 3 * i + channel;
        input.put(place, (float) ((level - mean[channel]) / std[channel]));
      }
    }
  }

  private BufferedImage mirrored(BufferedImage from) {
    if (!mirror) return from;
    BufferedImage to = blank(from.getWidth(), from.getHeight());
    draw(to, from, from.getWidth(), 0, -from.getWidth(), from.getHeight());
    return to;
  }

  private BufferedImage rotated(BufferedImage from) {
    for (int turn = 0; turn < quarters; turn++) {
      BufferedImage to = blank(from.getHeight(), from.getWidth());
      for (int y = 0; y < from.getHeight(); y++) {
        for (int x = 0; x < from.getWidth(); x++) to.setRGB(from.getHeight() - 1 - y, x, from.getRGB(x, y));
      }
      from = to;
    }
    return from;
  }

  private BufferedImage cropped(BufferedImage from) {
    int shorter = Math.min(from.getWidth(), from.getHeight());
    int width = (int) Math.round((fit == Fit.SQUARE ? shorter : from.getWidth()) * crop);
    int height = (int) Math.round((fit == Fit.SQUARE ? shorter : from.getHeight()) * crop);
    return from.getSubimage((from.getWidth() - width) / 2, (from.getHeight() - height) / 2, width, height);
  }

  private BufferedImage fitted(BufferedImage from, int height, int width) {
    if (fit != Fit.LETTERBOX && fit != Fit.CORNER) return resized(from, height, width);
    double scale = Math.min((double) height / from.getHeight(), (double) width / from.getWidth());
    BufferedImage small = resized(from, (int) Math.round(from.getHeight() * scale), (int) Math.round(from.getWidth() * scale));
    BufferedImage to = blank(width, height);
    Graphics2D graphics = to.createGraphics();
    graphics.setColor(new Color(fill, fill, fill));
    graphics.fillRect(0, 0, width, height);
    int left = fit == Fit.CORNER ? 0 : (width - small.getWidth()) / 2;
    int top = fit == Fit.CORNER ? 0 : (height - small.getHeight()) / 2;
    graphics.drawImage(small, left, top, null);
    graphics.dispose();
    return to;
  }

  private BufferedImage resized(BufferedImage from, int height, int width) {
    BufferedImage to = blank(width, height);
    switch (resize) {
      case NEAREST, BILINEAR, CUBIC -> draw(to, from, 0, 0, width, height);
      case AREA -> draw(to, from.getScaledInstance(width, height, Image.SCALE_AREA_AVERAGING), 0, 0, width, height);
      default -> to.setRGB(0, 0, width, height, Antialias.resize(from.getRGB(0, 0, from.getWidth(), from.getHeight(), null, 0, from.getWidth()),
          from.getWidth(), from.getHeight(), width, height, Antialias.Kernel.values()[resize.ordinal()]), 0, width);
    }
    return to;
  }

  /** RGB, row by row. */
  private int[] pixels(BufferedImage from) {
    if (channels == Channels.GRAY) {
      BufferedImage gray = new BufferedImage(from.getWidth(), from.getHeight(), BufferedImage.TYPE_BYTE_GRAY);
      draw(gray, from, 0, 0, from.getWidth(), from.getHeight());
      int[] levels = gray.getRaster().getSamples(0, 0, from.getWidth(), from.getHeight(), 0, (int[]) null);
      for (int i = 0; i < levels.length; i++) levels[i] *= 0x010101;
      return levels;
    }
    return from.getRGB(0, 0, from.getWidth(), from.getHeight(), null, 0, from.getWidth());
  }

  private static BufferedImage blank(int width, int height) {
    return new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
  }

  private void draw(BufferedImage to, Image from, int left, int top, int width, int height) {
    Graphics2D graphics = to.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_INTERPOLATION, switch (resize) {
      case BILINEAR -> RenderingHints.VALUE_INTERPOLATION_BILINEAR;
      case CUBIC -> RenderingHints.VALUE_INTERPOLATION_BICUBIC;
      default -> RenderingHints.VALUE_INTERPOLATION_NEAREST_NEIGHBOR;
    });
    graphics.drawImage(from, left, top, width, height, null);
    graphics.dispose();
  }
}
