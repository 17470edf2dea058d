package dev.tenon.server.grpc;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How long a client gives a call: at most eight digits, and a unit (gRPC over HTTP/2, "Timeout"). */
final class GrpcTimeout {
    static final String HEADER = "grpc-timeout";

    private static final Pattern FORMAT = Pattern.compile("([0-9]{1,8})([HMSmun])");

    private GrpcTimeout() {}

    /** In milliseconds; empty: as long as it takes. */
    static OptionalLong millis(@Nullable String text) {
        if (text == null) {
            return OptionalLong.empty();
        }
        Matcher matcher = FORMAT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(HEADER + " must be up to 8 digits and one of H, M, S, m, u, n");
        }
        TimeUnit unit = switch (matcher.group(2)) {
            case "H" -> TimeUnit.HOURS;
            case "M" -> TimeUnit.MINUTES;
            case "S" -> TimeUnit.SECONDS;
            case "m" -> TimeUnit.MILLISECONDS;
            case "u" -> TimeUnit.MICROSECONDS;
            default -> TimeUnit.NANOSECONDS;
        };
        return OptionalLong.of(unit.toMillis(Long.parseLong(matcher.group(1))));
    }
}
