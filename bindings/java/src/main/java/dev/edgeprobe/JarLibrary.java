// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The natives in the jar: META-INF/native/linux-x86_64/libedgeprobe_jni.so. */
final class JarLibrary {
  private JarLibrary() {}

  /** False when the jar has none for this machine. */
  static boolean load(String name) {
    String entry = "/META-INF/native/" + machine() + "/" + System.mapLibraryName(name);
    try (InputStream source = JarLibrary.class.getResourceAsStream(entry)) {
      if (source == null) return false;
      // Made with mode 0700: nobody else can put another file in its place before it is loaded.
      Path folder = Files.createTempDirectory("edgeprobe");
      Path file = folder.resolve(System.mapLibraryName(name));
      try {
        Files.copy(source, file);
        System.load(file.toString());
      } finally {
        // What is mapped stays mapped without its name.
        Files.deleteIfExists(file);
        Files.deleteIfExists(folder);
      }
      return true;
    } catch (IOException why) {
      throw new EdgeprobeException(Status.FAILED, "the natives could not be unpacked into java.io.tmpdir: "
          + why.getMessage() + "; -Dedgeprobe.library=FILE names them directly", why);
    }
  }

  /** "linux-x86_64", "linux-aarch64", "linux-arm". */
  static String machine() {
    String system = System.getProperty("os.name").toLowerCase(java.util.Locale.ROOT).replace(" ", "");
    String processor = System.getProperty("os.arch");
    return system + "-" + (processor.equals("amd64") ? "x86_64" : processor);
  }
}
