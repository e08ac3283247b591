// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "core/file.h"
#include "report/page/base64.h"
#include "report/page/html.h"

namespace edgeprobe::report {
namespace {

/// The script creates the buttons: without scripts there are no dead buttons.
constexpr const char* kScript = R"js(
'use strict';
for (const code of document.querySelectorAll('[data-copy]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.setAttribute('aria-live', 'polite');
  const say = words => {
    button.textContent = words;
    setTimeout(() => { button.textContent = 'Copy'; }, 3000);
  };
  const select = () => {
    const range = document.createRange();
    range.selectNodeContents(code);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    say('Selected: press Ctrl+C');
  };
  button.addEventListener('click', () => {
    if (navigator.clipboard) navigator.clipboard.writeText(code.textContent).then(() => say('Copied'), select);
    else select();
  });
  code.after(button);
}
addEventListener('beforeprint', () => {
  for (const folded of document.querySelectorAll('details')) folded.open = true;
});
)js";

/// 'sha256-…' of the script, in the policy's syntax.
std::string script_hash() {
  const std::string hex = sha256(view_of(kScript));
  Bytes bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return "'sha256-" + base64(bytes) + "'";
}

}  // namespace

std::string page_begin(std::string_view title, PageScript script, std::string_view style) {
  const bool copies = script == PageScript::kCopy;
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'; " +
         (copies ? "script-src " + script_hash() + "; " : std::string()) +
         "img-src data:; base-uri 'none'; form-action 'none'\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"referrer\" content=\"no-referrer\">\n<title>" +
         std::string(title) + "</title>\n<style>" + style_sheet() + std::string(style) +
         "</style>\n</head>\n<body>\n" +
         (copies ? "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n" : "");
}

std::string page_end(PageScript script) {
  if (script == PageScript::kNone)
    return "<footer>Made by edgeprobe. This page is one file: it runs no script and fetches "
           "nothing.</footer>\n</body>\n</html>\n";
  return std::string(
             "<footer>Made by edgeprobe. This page is one file and fetches nothing; its one script "
             "copies code and unfolds the page for printing.</footer>\n<script>") +
         kScript + "</script>\n</body>\n</html>\n";
}

}  // namespace edgeprobe::report
