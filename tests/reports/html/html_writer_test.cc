#include "reports/html/html_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace hilsa::tests {
namespace {

TEST(HtmlWriter, ATableCalledScriptIsText) {
  HtmlWriter html;
  html.element("td", {{"title", "<script>\"'&"}}, "<script>alert(1)</script>");
  EXPECT_EQ(html.take(),
            "<td title=\"&lt;script&gt;&quot;&#39;&amp;\">&lt;script&gt;alert(1)&lt;/script&gt;"
            "</td>");
}

TEST(HtmlWriter, ControlCharactersAndBrokenTextAreMadeVisible) {
  EXPECT_EQ(escaped_html("\x1b[31mred\n\xff\xE2\x80\xAE"), "\\x1b[31mred\\n\\xff\\u202e");
}

TEST(HtmlWriter, ElementsEndInReverseOrder) {
  HtmlWriter html;
  {
    const auto outer = html.open("ul");
    const auto inner = html.open("li");
    html.text("x");
  }
  EXPECT_EQ(html.take(), "<ul><li>x</li></ul>");
}

TEST(HtmlWriter, LinesKeepTheirEnds) {
  HtmlWriter html;
  html.lines("a\n<b>\x1b\n");
  EXPECT_EQ(html.take(), "a\n&lt;b&gt;\\x1b\n");
}

TEST(HtmlWriter, LongTextsAreShortenedAndSayByHowMuch) {
  EXPECT_EQ(shortened("äöüß", 4), "äöüß");
  EXPECT_EQ(shortened("äöüß!", 2), "äö… (3 more characters)");
  HtmlWriter html;
  html.text(std::string(5000, 'x'));
  EXPECT_EQ(html.take(), std::string(4000, 'x') + "… (1000 more characters)");
}

TEST(HtmlWriter, BytesThatContinueNothingDoNotGetAround) {
  EXPECT_LT(shortened(std::string(1'000'000, '\x80'), 10).size(), 100U);
}

TEST(HtmlWriter, NothingInDataEndsItsScript) {
  HtmlWriter html;
  html.json("d", "{\"a\":\"</script>&\xE2\x80\xA8\"}");
  EXPECT_EQ(html.take(),
            "<script type=\"application/json\" id=\"d\">{\"a\":\"\\u003c/script\\u003e\\u0026"
            "\\u2028\"}</script>\n");
}

TEST(HtmlWriter, AScriptThatWouldEndTooEarlyIsRefused) {
  HtmlWriter html;
  EXPECT_THROW(html.script("x = '</script>'"), std::logic_error);
  EXPECT_THROW(html.script("x = ']]>'"), std::logic_error);
}

}  // namespace
}  // namespace hilsa::tests
