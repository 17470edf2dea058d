package dev.tenon.spring;

import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/**
 * Says which dependency is missing where a {@code DataSource} could not be made for want of its driver: Boot and the
 * pool name a class.
 */
final class MissingDriverFailureAnalyzer implements FailureAnalyzer {
    private static final Pattern MISSING =
            Pattern.compile("(?:Failed to load driver class|Cannot load driver class:) ([\\w.]+)");
    private static final int CAUSES_MAX = 50;

    private static final Map<String, String> ARTIFACTS = Map.of(
            "org.postgresql.Driver", "org.postgresql:postgresql",
            "org.mariadb.jdbc.Driver", "org.mariadb.jdbc:mariadb-java-client",
            "com.mysql.cj.jdbc.Driver", "com.mysql:mysql-connector-j",
            "org.h2.Driver", "com.h2database:h2");

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        return missing(failure)
                .flatMap(driver -> Optional.ofNullable(ARTIFACTS.get(driver))
                        .map(artifact -> new FailureAnalysis(
                                "The DataSource of the application needs the driver " + driver
                                        + ", which is not on the class path. tenon-jdbc brings none.",
                                "Add the dependency " + artifact + ", at run time. Its version is Spring Boot's.",
                                failure)))
                .orElse(null);
    }

    /** The class of the driver that could not be had. */
    static Optional<String> missing(Throwable failure) {
        Throwable each = failure;
        for (int i = 0; each != null && i < CAUSES_MAX; i++) {
            Matcher missing = MISSING.matcher(String.valueOf(each.getMessage()));
            if (missing.find()) {
                return Optional.of(missing.group(1));
            }
            each = each.getCause();
        }
        return Optional.empty();
    }
}
