// SPDX-License-Identifier: Apache-2.0
import ai.onnxruntime.NodeInfo;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import dev.edgeprobe.Answer;
import dev.edgeprobe.Frame;
import dev.edgeprobe.ImageSpec;
import dev.edgeprobe.Level;
import dev.edgeprobe.Pixels;
import dev.edgeprobe.Probe;
import dev.edgeprobe.Raw;
import dev.edgeprobe.onnxruntime.SessionProbe;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** An image classifier as an application would have it. The lines of edgeprobe are marked. */
public final class Classifier {
  public static void main(String[] arguments) throws Exception {
    Flags flags;
    try {
      flags = Flags.parse(arguments);
    } catch (IllegalArgumentException wrong) {
      System.err.println(wrong.getMessage() + "\n" + Flags.HELP);
      System.exit(2);
      return;
    }
    Map<String, Integer> labels = labels(flags.labels);
    int right = 0;
    int labelled = 0;
    try (OrtEnvironment environment = OrtEnvironment.getEnvironment();
        OrtSession.SessionOptions options = options(flags);
        OrtSession session = environment.createSession(flags.model.toString(), options);
        Source source = Source.of(flags.source, flags.frames);
        Probe probe = probe(flags)) {                                                                      // edgeprobe
      SessionProbe model = new SessionProbe(probe, session);                                               // edgeprobe
      Map.Entry<String, NodeInfo> given = session.getInputInfo().entrySet().iterator().next();
      long[] shape = ((TensorInfo) given.getValue().getInfo()).getShape();
      int height = (int) shape[2];
      int width = (int) shape[3];
      FloatBuffer input = Preprocess.input(height, width);
      for (Source.Item item = source.next(); item != null; item = source.next()) {
        try (Frame frame = probe.frame()) {                                                                // edgeprobe
          record(frame, item);                                                                             // edgeprobe
          Integer label = labels.get(item.name());
          if (label != null) frame.label(label);                                                           // edgeprobe
          flags.preprocess.run(item.picture(), height, width, input);
          try (OnnxTensor tensor = OnnxTensor.createTensor(environment, input, shape);
              OrtSession.Result result = model.run(frame, Map.of(given.getKey(), tensor))) {               // edgeprobe
            FloatBuffer scores = ((OnnxTensor) result.get(0)).getFloatBuffer();
            int best = 0;
            for (int i = 1; i < scores.remaining(); i++) if (scores.get(i) > scores.get(best)) best = i;
            frame.answer(Answer.of().classes(best).scores(scores.get(best)));                               // edgeprobe
            if (label != null) labelled++;
            if (label != null && label == best) right++;
            System.out.printf(Locale.ROOT, "%s %d %.3f%n", item.name(), best, scores.get(best));
          }
        }
      }
      if (probe.error() != null) System.err.println("not all was recorded: " + probe.error().getMessage()); // edgeprobe
    } catch (OrtException | IOException failed) {
      System.err.println("classifier: " + failed.getMessage());
      System.exit(1);
    }
    if (labelled > 0) System.out.printf(Locale.ROOT, "right: %d of %d%n", right, labelled);
  }

  private static Probe probe(Flags flags) {
    if (flags.trace == null) return Probe.off();
    return Probe.builder(flags.trace.toFile()).level(Level.valueOf(flags.level)).raw(Raw.valueOf(flags.raw))
        .waitWhenFull(true)  // The app reads files as fast as it can, so the probe waits; with a camera it must not.
        .open();
  }

  private static void record(Frame frame, Source.Item item) {
    frame.sample(item.name());
    if (item.file() != null) {
      frame.encoded("picture", item.file());
    } else {
      BufferedImage picture = item.picture();
      frame.image(ImageSpec.of("camera", Pixels.BGR8, picture.getWidth(), picture.getHeight()), Video.bytes(picture));
    }
  }

  private static OrtSession.SessionOptions options(Flags flags) throws OrtException {
    OrtSession.SessionOptions options = new OrtSession.SessionOptions();
    options.setIntraOpNumThreads(flags.threads);
    switch (flags.hardware) {  // ONNX Runtime reports an error if it was built without this option.
      case XNNPACK -> options.addXnnpack(Map.of("intra_op_num_threads", "" + flags.threads));
      case NNAPI -> options.addNnapi();
      case CUDA -> options.addCUDA();
      default -> { }
    }
    return options;
  }

  /** Lines file,label,... after a header line. */
  private static Map<String, Integer> labels(Path file) throws IOException {
    Map<String, Integer> labels = new HashMap<>();
    if (file == null) return labels;
    List<String> lines = Files.readAllLines(file);
    for (String line : lines.subList(1, lines.size())) {
      String[] fields = line.split(",");
      labels.put(fields[0], Integer.parseInt(fields[1]));
    }
    return labels;
  }

  private Classifier() {}
}
