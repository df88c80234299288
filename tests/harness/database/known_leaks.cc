// What the leak sanitizer should not report of this program.
#ifdef __clang__  // the name is the sanitizer's, and reserved for it
#pragma clang diagnostic ignored "-Wreserved-identifier"
#endif

extern "C" const char* __lsan_default_suppressions();

extern "C" const char* __lsan_default_suppressions() {
  // libpqxx 6.4 throws broken_connection before it takes hold of the result that libpq has
  // returned: about 2 KB for each connection that breaks.
  return "leak:libpqxx-6.4\n";
}
