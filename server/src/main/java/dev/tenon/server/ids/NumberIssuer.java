package dev.tenon.server.ids;

import java.util.Arrays;
import java.util.List;

/** What issues the numbers of one definition. Thread-safe. */
interface NumberIssuer extends Issuer {
    /** New numbers; as {@link #next}. */
    long[] take(Ask ask);

    @Override
    default List<String> next(Ask ask) {
        return Arrays.stream(take(ask)).mapToObj(String::valueOf).toList();
    }
}
