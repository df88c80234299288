#include "checkers/application_sql.h"

#include <gtest/gtest.h>

namespace hilsa {
namespace {

TEST(ApplicationSql, LeavesOutTheStamps) {
  EXPECT_EQ(application_sql(
                "SELECT id, stock, _version, _writer FROM {products} WHERE id = ? FOR UPDATE"),
            "SELECT id, stock FROM products WHERE id = ? FOR UPDATE");
  EXPECT_EQ(application_sql("UPDATE {products} SET stock = stock - ?, _writer = ?, _version = "
                            "_version + 1 WHERE id = ? AND stock >= ? RETURNING id, _version"),
            "UPDATE products SET stock = stock - ? WHERE id = ? AND stock >= ?");
  EXPECT_EQ(application_sql("INSERT INTO {orders} (id, product, quantity, _version, _writer) "
                            "VALUES (?, ?, ?, 1, ?)"),
            "INSERT INTO orders (id, product, quantity) VALUES (?, ?, ?)");
  EXPECT_EQ(application_sql("DELETE FROM {orders} WHERE id = ? RETURNING id, _version + 1"),
            "DELETE FROM orders WHERE id = ?");
}

TEST(ApplicationSql, LeavesOutTheVersionLogOfMysql) {
  EXPECT_EQ(
      application_sql("UPDATE {products} SET stock = ?, _writer = ?, _version = _version + 1 + 0 * "
                      "LENGTH(@hilsa_versions := CONCAT(COALESCE(@hilsa_versions, ''), id, ':', "
                      "_version + 1, ',')) WHERE id = ?"),
      "UPDATE products SET stock = ? WHERE id = ?");
  EXPECT_EQ(application_sql("DELETE FROM {orders} WHERE product = ? AND IF(product = ?, "
                            "LENGTH(@hilsa_versions := CONCAT(COALESCE(@hilsa_versions, ''), id, "
                            "':', _version + 1, ',')), 0)"),
            "DELETE FROM orders WHERE product = ?");
}

TEST(ApplicationSql, LeavesOutHowAnInsertThatCountsTellsWhatItCounted) {
  EXPECT_EQ(application_sql(
                "WITH counted AS MATERIALIZED (SELECT id, _version, _writer FROM {tickets} WHERE "
                "event = ?), made AS (INSERT INTO {tickets} (id, event, _version, _writer) SELECT "
                "?, ?, 1, ? WHERE (SELECT COUNT(*) FROM counted) < ? RETURNING id, _version, "
                "_writer) SELECT * FROM counted UNION ALL SELECT * FROM made"),
            "INSERT INTO tickets (id, event) SELECT ?, ? WHERE (SELECT COUNT(*) FROM tickets WHERE "
            "event = ?) < ?");
  EXPECT_EQ(application_sql(
                "INSERT INTO {tickets} (id, event, _version, _writer) SELECT ?, ?, 1, ? FROM DUAL "
                "WHERE (SELECT COUNT(@hilsa_counted := IF(LENGTH(COALESCE(@hilsa_counted, '')) > "
                "1000000, @hilsa_counted, CONCAT(COALESCE(@hilsa_counted, ''), ?, ':', id, ':', "
                "_version, ':', _writer, ','))) FROM {tickets} WHERE event = ?) < ?"),
            "INSERT INTO tickets (id, event) SELECT ?, ? FROM DUAL WHERE (SELECT COUNT(*) FROM "
            "tickets WHERE event = ?) < ?");
}

TEST(ApplicationSql, LeavesOtherStatementsAlone) {
  for (const char* const sql :
       {"SELECT 1", "UPDATE t SET a = 1 RETURNING a", "", "{", "INSERT INTO t (a) VALUES (1, 1, ?)",
        "COMMIT", "WITH counted AS MATERIALIZED (SELECT 1", "SELECT 1 FROM counted)",
        "INSERT INTO t (a) SELECT 1, 1, ?"}) {
    const std::string expected = std::string(sql) == "{" ? "" : sql;
    EXPECT_EQ(application_sql(sql), expected);
  }
}

}  // namespace
}  // namespace hilsa
