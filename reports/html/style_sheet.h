// How pages look. Light or dark as the reader's system is, light on paper.
#pragma once

#include "reports/html/html_writer.h"

namespace hilsa {

extern const Literal kStyleSheet;

}  // namespace hilsa
