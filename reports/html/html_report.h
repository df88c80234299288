#pragma once
#include <string>

#include "reports/report_set.h"
