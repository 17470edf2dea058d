package dev.tenon.jdbc;

/** A table of numbers, which MySQL does not have. */
final class MySqlNumbers {
    private MySqlNumbers() {}

    /**
     * A query for {@code n} from 1 to this, at most a million, as a derived table; deeper than a recursion may go
     * there.
     */
    static String upTo(int most) {
        String digit = "JSON_TABLE('[0,1,2,3,4,5,6,7,8,9]', '$[*]' COLUMNS (d INT PATH '$'))";
        return "SELECT 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d + 100000 * g.d AS n FROM " + digit
                + " a, "
                + digit + " b, " + digit + " c, " + digit + " e, " + digit + " f, " + digit + " g"
                + " WHERE a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d + 100000 * g.d < " + most;
    }
}
