package dev.tenon.spring;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/**
 * What a native image must take along: the scripts of the backends, the connections that XA and automatic undo hand
 * out, and customizers of clients.
 */
final class TenonHints implements RuntimeHintsRegistrar {
    /** Folders of *.sql and *.lua files; Ant patterns, of which older Spring takes the first and newer the second. */
    private static final List<String> SCRIPTS = List.of(
            "dev/tenon/jdbc/*.sql", "dev/tenon/jdbc/**/*.sql", "dev/tenon/redis/*.lua", "dev/tenon/redis/**/*.lua");

    /** Types of which there are proxies that pass calls on to the driver; by name, as not every backend has one. */
    private static final List<String> HANDED_OUT =
            List.of("java.sql.Connection", "java.sql.Statement", "java.sql.PreparedStatement");

    /** What these inherit from. */
    private static final List<String> INHERITED = List.of("java.sql.Wrapper", "java.lang.AutoCloseable");

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        SCRIPTS.forEach(pattern -> hints.resources().registerPattern(pattern));
        for (String handed : HANDED_OUT) {
            hints.proxies().registerJdkProxy(TypeReference.of(handed));
            hints.reflection().registerType(TypeReference.of(handed), MemberCategory.INVOKE_PUBLIC_METHODS);
        }
        Stream.concat(ClientCustomizers.OF_REST.stream(), ClientCustomizers.OF_WEB.stream())
                .forEach(type -> hints.proxies().registerJdkProxy(TypeReference.of(type)));
        for (String inherited : INHERITED) {
            hints.reflection().registerType(TypeReference.of(inherited), MemberCategory.INVOKE_PUBLIC_METHODS);
        }
    }
}
