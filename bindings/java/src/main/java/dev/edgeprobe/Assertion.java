// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/** Results of checks as a problem text. */
final class Assertion {
  private static final String FALSE = "it is false";

  private Assertion() {}

  /** Null if the assertion holds. */
  static String wrong(boolean holds) {
    return holds ? null : FALSE;
  }

  /** The problem; null if the assertion holds. */
  static String wrong(Check check) {
    if (check == null) return "there is no check: it is null";
    try {
      String said = check.wrong();
      return said == null || said.isEmpty() ? null : said.replace('\0', ' ');
    } catch (Exception | AssertionError thrown) {
      return ("it throws: " + thrown).replace('\0', ' ');
    }
  }
}
