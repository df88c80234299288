// Transactions side by side as columns, their statements as boxes in the order of time, a wait as a
// box that reaches from where it was sent to where it was answered. On a narrow screen more than
// three columns become one list.
#pragma once

#include "reports/explore_report.h"
#include "reports/html/html_writer.h"
#include "reports/shown_anomaly.h"

namespace hilsa {

// A column for each client.
ShownTimeline timeline_of(const ShownSchedule& schedule);

// Writes nothing for a timeline without steps. Long ones are cut, and say so.
void draw(HtmlWriter& html, const ShownTimeline& timeline);

// What boxes and lines mean; once on a page.
void write_legend(HtmlWriter& html);

}  // namespace hilsa
