# SPDX-License-Identifier: Apache-2.0
# Used by script/setup --gpu and --test: installs the engines' WebGPU libraries, and a Vulkan driver that computes on the processor, so that
# they run on machines without a GPU. Sourced by script/setup, after script/fetch.sh.

fetch_gpu_engines() {
  local archive
  mkdir -p "$deps/gpu"
  if [ ! -f "$deps/gpu/libonnxruntime_providers_webgpu.so" ]; then
    say "fetching ONNX Runtime's WebGPU execution provider 0.4.0 (7 MB)"
    archive=$(wheel onnxruntime-ep-webgpu 0.4.0 5d8c961eda91a88961cad1fb7621f389f006b18497d6ea9ecf96f729f066cbfb)
    member "$archive" onnxruntime_ep_webgpu/libonnxruntime_providers_webgpu.so "$deps/gpu/libonnxruntime_providers_webgpu.so"
    rm -f "$archive"
  fi
  if [ ! -f "$deps/gpu/libLiteRtWebGpuAccelerator.so" ]; then
    say "fetching LiteRT's WebGPU accelerator 2.3.0 (22 MB)"
    archive=$(litert_wheel)
    member "$archive" ai_edge_litert/libLiteRtWebGpuAccelerator.so "$deps/gpu/libLiteRtWebGpuAccelerator.so"
    rm -f "$archive"
  fi
  (cd "$deps/gpu" && sha256sum -c --status) <<'SUMS' ||
b67f193ae6eb8ad3a15349f54aba696c97d6f981c92bc2eb1096cbe9e2835b25  libLiteRtWebGpuAccelerator.so
9f76e3dc4459421958ad086a9da03bf7e5de9289e9a3a56e28bbb459773dec81  libonnxruntime_providers_webgpu.so
SUMS
    die "$deps/gpu does not hold the libraries that are pinned; delete it and run script/setup --gpu again"
}

# Mesa of Debian 12's backports: the release's own, 22.3, is too old for the provider. The other packages may be missing on a system that builds
# edgeprobe; the remaining libraries (libxml2, libzstd, libexpat, libffi) came with CMake, dpkg and Python.
gpu_driver_packages() {
  cat <<'PACKAGES'
3899f1800424c60a05df5d6913076a526ca8fdbabec43672cd397563d1ca3263  m/mesa/mesa-vulkan-drivers_25.0.7-2~bpo12+1_amd64.deb
622f28b807ba55a1f5ad1622ff83aa2c5b11fedbec074850e04c10a8f28b43d3  v/vulkan-loader/libvulkan1_1.3.239.0-1_amd64.deb
9f0751109ba89e65b1313a4f3e34a29977a0db6fa30ed475e2c6bd555fa9e866  l/llvm-toolchain-15/libllvm15_15.0.6-4+b1_amd64.deb
6221ca25ad5abcfbe1965801029d85a88b4775320384b4b716de8fab7a4d2f7a  z/z3/libz3-4_4.8.12-3.1_amd64.deb
1cf14abf2716d3279db12d0657a5737cf70074a1e71d3bdf73206625e3c89ce6  libe/libedit/libedit2_3.1-20221030-2_amd64.deb
bb31cc8b40f962a85b2cec970f7f79cc704a1ae4bad24257a822055404b2c60b  libb/libbsd/libbsd0_0.11.7-2_amd64.deb
9cc2f341964286295124a32d3625edb76730500625e54a1e682761f883064d7b  libd/libdrm/libdrm2_2.4.123-1~bpo12+1_amd64.deb
1f002d028b8b79eec9847c636d8886d10dfe8c884cc2bebe18086b1391c5a28d  w/wayland/libwayland-client0_1.21.0-1_amd64.deb
f5da45e1d881a793250a96613f28c471a248877f1a0f18a5c90e2a620a76c898  libx/libx11/libx11-xcb1_1.8.4-2+deb12u2_amd64.deb
679db1c4579ec7c61079adeaae8528adeb2e4bf5465baa6c56233b995d714750  libx/libxau/libxau6_1.0.9-1_amd64.deb
ecb8536f5fb34543b55bb9dc5f5b14c9dbb4150a7bddb3f2287b7cab6e9d25ef  libx/libxdmcp/libxdmcp6_1.1.2-3_amd64.deb
fdc61332a3892168f3cc9cfa1fe9cf11a91dc3e0acacbc47cbc50ebaa234cc71  libx/libxcb/libxcb1_1.15-1_amd64.deb
02699b144b9467de8636d27a76984b8f4e7b66e2d25d96df2b9677be86ee9a29  libx/libxcb/libxcb-dri3-0_1.15-1_amd64.deb
89383e627a4d17b9390d609b2459481bfd2029566367b43068586769e418b6e5  libx/libxcb/libxcb-present0_1.15-1_amd64.deb
f86e3d8ff8622871008833e9d064919b7a6237399c903c59fc330ff00f199ff5  libx/libxcb/libxcb-randr0_1.15-1_amd64.deb
c1afcef29dc78b95c475159b181b28b1dedaf1d5aa06efd2fa6d90c73bfbe0e5  libx/libxcb/libxcb-shm0_1.15-1_amd64.deb
3366ce715220d38dd0148b78a8e738137bade25ef7eec0698850c6f66800844f  libx/libxcb/libxcb-sync1_1.15-1_amd64.deb
d744a7ebad2cbcf301c96cd6a1ab3ee856e436fc7be5cff5b7c28ac2ac181a64  libx/libxcb/libxcb-xfixes0_1.15-1_amd64.deb
1a38142e40e3d32dc4f9a326bf5617363b7d9b4bb762fdcdd262f2192092024d  libx/libxshmfence/libxshmfence1_1.3-1_amd64.deb
PACKAGES
}

# Only the loader, the driver and their libraries: 146 of 250 MB. The rest is drivers of real GPUs.
fetch_gpu_driver() {
  local mesa=$deps/gpu/mesa whole=$deps/gpu/mesa.whole hash path deb library missing
  if [ ! -d "$mesa" ]; then
    say "fetching Mesa 25.0.7's Vulkan driver for processors from Debian (43 MB; nothing is installed)"
    rm -rf "$whole" "$mesa.part" && mkdir -p "$whole" "$mesa.part/lib"
    while read -r hash path; do
      deb=$(pool_deb "pool/main/$path" "$hash")
      dpkg-deb -x "$deb" "$whole"
    done < <(gpu_driver_packages)
    for library in "$whole"/usr/lib/x86_64-linux-gnu/{libvulkan_lvp.so,*.so.[0-9]}; do
      cp "$(readlink -f "$library")" "$mesa.part/lib/${library##*/}"
    done
    # A path with a slash is relative to the folder of this file, so that a checkout can be moved.
    sed 's|"libvulkan_lvp.so"|"./lib/libvulkan_lvp.so"|' "$whole/usr/share/vulkan/icd.d/lvp_icd.json" >"$mesa.part/lvp_icd.json"
    mv "$mesa.part" "$mesa"
    rm -rf "$whole"
    while read -r hash path; do rm -f "$deps/cache/${path##*/}"; done < <(gpu_driver_packages)
  fi
  (cd "$mesa/lib" && sha256sum -c --status) <<'SUMS' ||
e45650cba881293ba3b6a0e7241920fc48fa4a522ca6dfda72dc94f5c54e44b0  libLLVM-15.so.1
b909c2a5d093f563cf5a4cb9fdb4ecbc75c20280a0f2d4d915d95765adcafec3  libX11-xcb.so.1
833aa73cf8f645330907d5923fcbf380e0895ab2551d522b41b0308747a51e27  libXau.so.6
911ecd1cf42f310e788652f2719803bb4632e077b6e292af31b876c836bba264  libXdmcp.so.6
c34693b27401e6e74d7ac32184c79bfb0cca936d3b1be990d435124a6a5686f5  libbsd.so.0
871d1eb1025ad9385b467c3c3c4656cc7650865a7e1b75ce70c4dd05ad585fe2  libdrm.so.2
d1633f035639f571895a48a2f9cef073517d8617c2df10b91e686ec24e87c976  libedit.so.2
91dd2cb10ee4de7b77d0624938ff0a7542641e5348708d0d8c42d9404476d152  libvulkan.so.1
ec746632947ef2ccb20930a674f026176ad00cc61a7d0f01f285dfc7e4104024  libvulkan_lvp.so
a670cef062aecc919539af3b630b23bddb5e901a982851c4c86d2079a49d5b3b  libwayland-client.so.0
c885f292ff6ed9299b907cedfb0dd98bf0b0d8abd319ae6d467e623b5275812e  libxcb-dri3.so.0
7bff2fd0af74ddc116523672684ae2033715a95008f9267160fb84b8551a9132  libxcb-present.so.0
5ae8a57b6964917b01797085c55ab7e23a4c184e400af3db9acf4559a2c700ff  libxcb-randr.so.0
ce4b516a319766fcacecacc213dfc2de46a6ca7a5aa5a9066fd1bfe604db0257  libxcb-shm.so.0
c5c459d610549af6f9567a93b2081944d974f4eb351f058daaf31a872f58aee6  libxcb-sync.so.1
3ad37794c10c608c72bd5435982af3220271e9725cc436015820f899dd0c6022  libxcb-xfixes.so.0
35e218293d7c1f65b765337b92c6425f3495e80f5973058d8847fa08258cb97e  libxcb.so.1
6f502f7904d1d40b81cb655722f69edc11f0aa87be0a70b9aa1e200d5765242f  libxshmfence.so.1
7b396b8bc0ea2c0df1eb8f3aefa269478151251191877fb2869a371f81ea0ac4  libz3.so.4
SUMS
    die "$mesa does not hold the libraries that are pinned; delete it and run script/setup --gpu again"
  missing=$(LD_LIBRARY_PATH=$mesa/lib ldd "$mesa/lib/libvulkan_lvp.so" | awk '/not found/ { printf " %s", $1 }')
  [ -z "$missing" ] || die "the Vulkan driver needs libraries that this system lacks:$missing; install the packages that hold them"
}

# Written to a file to be sourced, and to the screen; rewritten each time because its paths are those of the checkout.
tell_gpu_environment() {
  # Compiling a model's shaders takes most of a first run, so they are kept.
  cat >"$deps/gpu/env" <<ENV
export VK_DRIVER_FILES='$deps/gpu/mesa/lvp_icd.json'
export LD_LIBRARY_PATH='$deps/gpu/mesa/lib'
export MESA_SHADER_CACHE_DIR='$deps/gpu/shaders'
export ORT_WEBGPU_EP_ALLOW_SOFTWARE_ADAPTER=1
ENV
  say "ready: $deps/gpu/libonnxruntime_providers_webgpu.so. In the shell that runs edgeprobe (or by: . .deps/gpu/env):"
  cat "$deps/gpu/env"
}

fetch_gpu() {
  fetch_gpu_engines
  fetch_gpu_driver
  tell_gpu_environment
}
