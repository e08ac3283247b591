// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "transport/tls.h"

namespace edgeprobe::transport {

/// A folder of certificates, removed with the object.
class Certificates {
 public:
  Certificates();
  ~Certificates();

  struct Wish {
    std::string authority = "ca";        ///< Of make_authority().
    std::string name = "DNS:localhost";  ///< subjectAltName.
    std::string purpose = "serverAuth,clientAuth";
    long valid_from = -3600, valid_to = 3600;  ///< Seconds from now.
  };
  void make_authority(const std::string& name);
  /// Writes NAME.pem and NAME.key.
  void make(const std::string& name, const Wish& wish);
  void make(const std::string& name) { make(name, Wish()); }
  /// Writes NAME.key again, with a passphrase.
  std::filesystem::path encrypt_key(const std::string& name);

  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  /// NAME.pem, NAME.key and an authority's certificate.
  TlsFiles files(const std::string& name, const std::string& authority = "ca") const;

 private:
  std::filesystem::path folder_;
};

}  // namespace edgeprobe::transport
