// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The native library in the jar: META-INF/native/linux-x86_64/libedgeprobe_jni.so. */
final class JarLibrary {
  private JarLibrary() {}

  /** False if the jar has no library for this machine. */
  static boolean load(String name) {
    String entry = "/META-INF/native/" + machine() + "/" + System.mapLibraryName(name);
    try (InputStream source = JarLibrary.class.getResourceAsStream(entry)) {
      if (source == null) return false;
      // The folder has mode 0700, so no other user can exchange the file before it is loaded.
      Path folder = Files.createTempDirectory("edgeprobe");
      Path file = folder.resolve(System.mapLibraryName(name));
      try {
        Files.copy(source, file);
        System.load(file.toString());
      } finally {
        // The file can be deleted: its mapping remains valid.
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
