// SPDX-License-Identifier: Apache-2.0
#include "certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

namespace edgeprobe::transport {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using File = std::unique_ptr<std::FILE, decltype(&std::fclose)>;

File opened(const std::filesystem::path& path, const char* mode) {
  return {std::fopen(path.c_str(), mode), std::fclose};
}

void extend(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

Certificate blank(const std::string& name, EVP_PKEY* key, long from, long to) {
  static long serial = 0;
  Certificate made(X509_new(), X509_free);
  X509_set_version(made.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), from);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), to);
  X509_set_pubkey(made.get(), key);
  const auto* const text = reinterpret_cast<const unsigned char*>(name.c_str());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_ASC, text, -1, -1,
                             0);
  return made;
}

Key key_from(const std::filesystem::path& path) {
  return {PEM_read_PrivateKey(opened(path, "r").get(), nullptr, nullptr, nullptr), EVP_PKEY_free};
}

void store(const std::filesystem::path& stem, X509* certificate, EVP_PKEY* key) {
  const std::string base = stem.string();
  PEM_write_X509(opened(base + ".pem", "w").get(), certificate);
  PEM_write_PrivateKey(opened(base + ".key", "w").get(), key, nullptr, nullptr, 0, nullptr,
                       nullptr);
}

}  // namespace

Certificates::Certificates() {
  std::string pattern = (std::filesystem::temp_directory_path() / "edgeprobe_tls_XXXXXX").string();
  folder_ = ::mkdtemp(pattern.data());
  make_authority("ca");
}
Certificates::~Certificates() { std::filesystem::remove_all(folder_); }

void Certificates::make_authority(const std::string& name) {
  const Key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const Certificate made = blank(name, key.get(), -7200, 7200);
  X509_set_issuer_name(made.get(), X509_get_subject_name(made.get()));
  extend(made.get(), made.get(), NID_basic_constraints, "critical,CA:TRUE");
  X509_sign(made.get(), key.get(), EVP_sha256());
  store(folder_ / name, made.get(), key.get());
}

void Certificates::make(const std::string& name, const Wish& wish) {
  const std::string authority = file(wish.authority).string();
  const Key signer = key_from(authority + ".key");
  const Certificate issuer(
      PEM_read_X509(opened(authority + ".pem", "r").get(), nullptr, nullptr, nullptr), X509_free);
  const Key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const Certificate made = blank(name, key.get(), wish.valid_from, wish.valid_to);
  X509_set_issuer_name(made.get(), X509_get_subject_name(issuer.get()));
  extend(made.get(), issuer.get(), NID_subject_alt_name, wish.name);
  extend(made.get(), issuer.get(), NID_ext_key_usage, wish.purpose);
  X509_sign(made.get(), signer.get(), EVP_sha256());
  store(folder_ / name, made.get(), key.get());
}

std::filesystem::path Certificates::encrypt_key(const std::string& name) {
  const Key key = key_from(file(name + ".key"));
  const std::filesystem::path path = file(name + "-encrypted.key");
  PEM_write_PrivateKey(opened(path, "w").get(), key.get(), EVP_aes_128_cbc(), nullptr, 0, nullptr,
                       const_cast<char*>("passphrase"));
  return path;
}

TlsFiles Certificates::files(const std::string& name, const std::string& authority) const {
  return {file(name + ".pem"), file(name + ".key"), file(authority + ".pem")};
}

}  // namespace edgeprobe::transport
