// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe.android;

import java.util.TreeMap;
import javax.annotation.Priority;
import javax.inject.Inject;
import org.robolectric.internal.dependency.DependencyResolver;
import org.robolectric.pluginapi.Sdk;
import org.robolectric.plugins.DefaultSdkProvider;

/** Robolectric also loads its newest Android, in addition to the requested one. Here both are the same. */
@Priority(1)
public class OneAndroid extends DefaultSdkProvider {
  static final int LEVEL = 29;

  @Inject
  public OneAndroid(DependencyResolver resolver) {
    super(resolver);
  }

  @Override
  protected void populateSdks(TreeMap<Integer, Sdk> known) {
    super.populateSdks(known);
    known.keySet().retainAll(java.util.Set.of(LEVEL));
  }
}
