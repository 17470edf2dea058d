package dev.tenon.spring;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A database in the memory of this process: one that Spring Boot makes when {@code spring.datasource.url} is empty, or
 * another.
 */
final class EmbeddedDatabase {
    /**
     * Of H2, HSQLDB and Derby. A server's, {@code jdbc:h2:tcp://host/mem:shop}, is none: other processes reach it too.
     */
    private static final Pattern IN_MEMORY =
            Pattern.compile("jdbc:(h2:mem:|hsqldb:mem:|derby:memory:).*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    /** HSQLDB's driver takes a URL without more as one in memory. */
    private static final Pattern UNNAMED = Pattern.compile("jdbc:hsqldb:\\.?", Pattern.CASE_INSENSITIVE);

    private EmbeddedDatabase() {}

    /**
     * Refuses one that nobody means.
     *
     * @param source the key or bean that says where it is
     * @param meant whether {@code tenon.jdbc.allow-in-memory-database} says that it is
     */
    static void refuse(String source, @Nullable String url, boolean meant) {
        if (!meant && isInMemory(url)) {
            throw new TenonStartException(
                    "Tenon's locks and IDs would be kept in a database in the memory of this process (" + source + ": "
                            + StoreAddress.shown(url)
                            + "). Each process would have locks, worker IDs and an outbox of its own, and lose them when it ends.",
                    "Set spring.datasource.url (or tenon.jdbc.url) to a database that all processes share, and add its driver. If it was"
                            + " empty, Spring Boot has made this one. Where it is meant, as in tests, set"
                            + " tenon.jdbc.allow-in-memory-database=true.");
        }
    }

    static boolean isInMemory(@Nullable String url) {
        return url != null
                && (IN_MEMORY.matcher(url.strip()).matches()
                        || UNNAMED.matcher(url.strip()).matches());
    }
}
