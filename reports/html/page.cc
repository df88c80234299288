#include "reports/html/page.h"

#include "reports/html/style_sheet.h"

namespace hilsa {

std::string make_page(const std::string& title, const std::function<void(HtmlWriter&)>& body) {
  HtmlWriter html;
  html.raw("<!DOCTYPE html>\n");
  {
    const auto document = html.open("html", {{"lang", "en"}});
    {
      const auto head = html.open("head");
      html.raw(
          "<meta charset=\"utf-8\" />\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
          "form-action 'none'\" />\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n"
          "<meta name=\"color-scheme\" content=\"light dark\" />\n"
          "<meta name=\"referrer\" content=\"no-referrer\" />\n"
          "<link rel=\"icon\" href=\"data:,\" />\n");
      html.element("title", title);
      html.style(kStyleSheet);
    }
    const auto page = html.open("body");
    {
      const auto main = html.open("main");
      body(html);
    }
    html.element("footer", "hilsa " HILSA_VERSION);
  }
  html.raw("\n");
  return html.take();
}

void write_headline(HtmlWriter& html, const std::string& about, const VerdictLine& verdict) {
  const auto header =
      html.open("header", {{"class", "verdict " + std::string(name_of(verdict.tone))}});
  html.element("p", {{"class", "about"}}, about);
  const auto heading = html.open("h1");
  {
    const auto word = html.open("span", {{"class", "word"}});
    html.text(verdict.word);
    html.raw(":");
  }
  html.raw(" ");
  html.text(verdict.sentence, 1000);
}

void write_badge(HtmlWriter& html, Tone tone, bool quiet, std::string_view word) {
  html.element("span", {{"class", "badge " + std::string(name_of(tone)) + (quiet ? " quiet" : "")}},
               word);
}

}  // namespace hilsa
