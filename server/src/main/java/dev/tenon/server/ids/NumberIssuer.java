package dev.tenon.server.ids;

import java.util.Arrays;
import java.util.List;

/** What issues the numbers of one definition. Thread-safe. */
interface NumberIssuer extends Issuer {
    /** New numbers; as {@link #next}. */
    long[] take(IdRequest request);

    @Override
    default List<String> next(IdRequest request) {
        return Arrays.stream(take(request)).mapToObj(String::valueOf).toList();
    }
}
