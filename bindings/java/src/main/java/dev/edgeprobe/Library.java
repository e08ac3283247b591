// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/**
 * Loads the natives once: on Android {@code System.loadLibrary}; elsewhere the file named by the property {@code
 * edgeprobe.library}, or the one in this jar for this processor.
 */
final class Library {
  private static final String NAME = "edgeprobe_jni";
  private static boolean loaded;

  private Library() {}

  /** @throws EdgeprobeException UNSUPPORTED if there is no native library for this machine, or only another version */
  static synchronized void load() {
    if (loaded) return;
    try {
      String file = System.getProperty("edgeprobe.library");
      if (file != null) {
        System.load(file);
      } else if (isAndroid() || !JarLibrary.load(NAME)) {
        System.loadLibrary(NAME);
      }
      int major = Native.abiVersion() / 1000;
      if (major != Native.ABI_MAJOR) {
        throw new EdgeprobeException(Status.UNSUPPORTED,
            "the natives have ABI " + major + ": expected " + Native.ABI_MAJOR);
      }
    } catch (UnsatisfiedLinkError | SecurityException why) {
      throw new EdgeprobeException(Status.UNSUPPORTED, "the natives do not load: " + why.getMessage(), why);
    }
    loaded = true;
  }

  private static boolean isAndroid() {
    return System.getProperty("java.vendor", "").contains("Android");
  }
}
