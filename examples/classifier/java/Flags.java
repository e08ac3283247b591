// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The values of the command line. */
final class Flags {
  enum Hardware { CPU, XNNPACK, NNAPI, CUDA }

  Path model;
  Path source;
  Path labels;
  Path trace;
  String level = "IO";
  String raw = "SAMPLE";
  Hardware hardware = Hardware.CPU;
  int threads = 1;
  int frames = Integer.MAX_VALUE;
  final Preprocess preprocess = new Preprocess();

  static final String HELP = String.join("\n",
      "Classifies a folder of pictures or the frames of a video with ONNX Runtime: Classifier MODEL.onnx SOURCE [flags]",
      "  --labels FILE.csv  true classes: file,label                 --frames N        N pictures or frames; those of a folder are evenly spread",
      "  --hardware cpu|xnnpack|nnapi|cuda (cpu)                     --threads N       of the engine (1)",
      "From a picture to the model's input, in this order:",
      "  --mirror no|yes    left and right change places (no)        --rotation 0|90|180|270   clockwise (0)",
      "  --fit stretch|square|letterbox|corner (stretch)             --crop SHARE      of each side, from the middle (0.875)",
      "  --resize antialias|antialias-cubic|antialias-lanczos|area|bilinear|cubic|nearest (antialias)",
      "  --fill LEVEL       of the bars around (0)                   --channels rgb|bgr|gray (rgb)",
      "  --gamma G          (1)                                      --range=LOW..HIGH what black and white become (-1..1)",
      "  --mean M[,M,M] --std S[,S,S]   the same for pixels 0..255   --layout nchw|nhwc (nchw)",
      "The recording:",
      "  --trace FILE.mcap  record what the model gets and answers   --level none|io   how much of it (io)",
      "  --raw sample|none|all     pictures in the trace (sample)");

  static Flags parse(String[] arguments) {
    Flags flags = new Flags();
    List<String> rest = new ArrayList<>();
    for (int i = 0; i < arguments.length; i++) {
      if (!arguments[i].startsWith("--")) {
        rest.add(arguments[i]);
        continue;
      }
      String[] parts = arguments[i].split("=", 2);
      if (parts.length == 1 && i + 1 == arguments.length) throw new IllegalArgumentException(parts[0] + " needs a value");
      flags.set(parts[0], parts.length == 2 ? parts[1] : arguments[++i]);
    }
    if (rest.size() != 2) throw new IllegalArgumentException("a model and a folder or video are needed");
    flags.model = Paths.get(rest.get(0));
    flags.source = Paths.get(rest.get(1));
    return flags;
  }

  private void set(String flag, String value) {
    switch (flag) {
      case "--labels" -> labels = Paths.get(value);
      case "--trace" -> trace = Paths.get(value);
      case "--level" -> level = value.toUpperCase(Locale.ROOT);
      case "--raw" -> raw = value.toUpperCase(Locale.ROOT);
      case "--hardware" -> hardware = oneOf(Hardware.values(), value);
      case "--threads" -> threads = Integer.parseInt(value);
      case "--frames" -> frames = Integer.parseInt(value);
      case "--mirror" -> preprocess.mirror = value.equals("yes");
      case "--rotation" -> preprocess.quarters = List.of("0", "90", "180", "270").indexOf(value);
      case "--fit" -> preprocess.fit = oneOf(Preprocess.Fit.values(), value);
      case "--crop" -> preprocess.crop = Double.parseDouble(value);
      case "--resize" -> preprocess.resize = oneOf(Preprocess.Resize.values(), value);
      case "--fill" -> preprocess.fill = Integer.parseInt(value);
      case "--channels" -> preprocess.channels = oneOf(Preprocess.Channels.values(), value);
      case "--gamma" -> preprocess.gamma = Double.parseDouble(value);
      case "--range" -> {
        String[] ends = value.split("\\.\\.");
        double low = Double.parseDouble(ends[0]);
        double std = 255 / (Double.parseDouble(ends[1]) - low);
        preprocess.std = numbers("" + std);
        preprocess.mean = numbers("" + -low * std);
      }
      case "--mean" -> preprocess.mean = numbers(value);
      case "--std" -> preprocess.std = numbers(value);
      case "--layout" -> preprocess.layout = oneOf(Preprocess.Layout.values(), value);
      default -> throw new IllegalArgumentException("unknown flag " + flag);
    }
    if (preprocess.quarters < 0) throw new IllegalArgumentException("'" + value + "': expected 0, 90, 180, 270");
  }

  /** One number for all channels, or three. */
  private static double[] numbers(String text) {
    double[] all = Arrays.stream(text.split(",")).mapToDouble(Double::parseDouble).toArray();
    if (all.length == 1) return new double[] {all[0], all[0], all[0]};
    if (all.length != 3) throw new IllegalArgumentException("'" + text + "': expected one number or three");
    return all;
  }

  private static <E extends Enum<E>> E oneOf(E[] choices, String value) {
    List<String> names = Arrays.stream(choices).map(choice -> choice.name().toLowerCase(Locale.ROOT).replace('_', '-')).toList();
    if (!names.contains(value)) throw new IllegalArgumentException("'" + value + "': expected " + String.join(", ", names));
    return choices[names.indexOf(value)];
  }
}
