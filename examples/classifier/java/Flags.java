import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the command line says. */
final class Flags {
  Path model;
  Path data;
  Path labels;
  Path trace;
  String level = "IO";
  String raw = "SAMPLE";
  int threads = 1;
  int frames = Integer.MAX_VALUE;
  final Preprocess preprocess = new Preprocess();

  static final String HELP = String.join("\n",
      "Classifies a folder of pictures with ONNX Runtime: Classifier MODEL.onnx FOLDER [flags]",
      "  --labels FILE.csv  true classes: file,label                 --frames N        so many, evenly spread",
      "  --trace FILE.mcap  record what the model gets and answers   --level none|io   how much of it (io)",
      "  --raw sample|none|all     pictures in the trace (sample)    --threads N       of the engine (1)",
      "  --resize antialias|bilinear|nearest (antialias)             --crop SHARE      of each side, from the middle (0.875)",
      "  --channels rgb|bgr (rgb)                                    --range=-1..1|0..1|0..255   (-1..1)",
      "  --rotation 0|90|180|270   clockwise, before anything else (0)");

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
    if (rest.size() != 2) throw new IllegalArgumentException("a model and a folder are needed");
    flags.model = Paths.get(rest.get(0));
    flags.data = Paths.get(rest.get(1));
    return flags;
  }

  private void set(String flag, String value) {
    switch (flag) {
      case "--labels" -> labels = Paths.get(value);
      case "--trace" -> trace = Paths.get(value);
      case "--level" -> level = value.toUpperCase(Locale.ROOT);
      case "--raw" -> raw = value.toUpperCase(Locale.ROOT);
      case "--threads" -> threads = Integer.parseInt(value);
      case "--frames" -> frames = Integer.parseInt(value);
      case "--resize" -> preprocess.resize =
          Preprocess.Resize.values()[oneOf(value, "antialias", "bilinear", "nearest")];
      case "--crop" -> preprocess.crop = Double.parseDouble(value);
      case "--channels" -> preprocess.bgr = oneOf(value, "rgb", "bgr") == 1;
      case "--range" -> {
        int range = oneOf(value, "-1..1", "0..1", "0..255");
        preprocess.low = new float[] {-1, 0, 0}[range];
        preprocess.high = new float[] {1, 1, 255}[range];
      }
      case "--rotation" -> preprocess.quarters = oneOf(value, "0", "90", "180", "270");
      default -> throw new IllegalArgumentException("unknown flag " + flag);
    }
  }

  private static int oneOf(String value, String... choices) {
    for (int i = 0; i < choices.length; i++) if (choices[i].equals(value)) return i;
    throw new IllegalArgumentException("'" + value + "': expected " + String.join(", ", choices));
  }
}
