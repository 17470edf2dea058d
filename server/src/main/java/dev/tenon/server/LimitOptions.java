package dev.tenon.server;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.tenon.server.access.Limits;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** How much of the server one client, and all of them, may have; the defaults are those of {@link Limits#DEFAULT}. */
final class LimitOptions {
    private static final int HEADER_LEAST = 1024;
    private static final int BODY_LEAST = 1024;
    private static final int BODY_MOST = 16 * 1024 * 1024;

    @Spec(Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--rate-limit",
            paramLabel = "N",
            description = "Requests a second of one key, or of one address without keys (100000); 0: no limit.")
    private int rate = Limits.DEFAULT.rate();

    @Option(
            names = "--max-connections",
            paramLabel = "N",
            description = "Connections, in all (20000, or three quarters"
                    + " of the files that the system lets this process open, if that is less).")
    private int connections = Math.min(Limits.DEFAULT.connections(), mostConnections());

    @Option(
            names = "--max-connections-per-address",
            paramLabel = "N",
            description = "Connections of one address (half of all).")
    private int connectionsPerAddress;

    @Mixin
    private QuotaOptions quotas = new QuotaOptions();

    @Option(
            names = "--max-header-size",
            paramLabel = "BYTES",
            description = "First line of a request, and its headers together (8192).")
    private int headerBytes = Limits.DEFAULT.headerBytes();

    @Option(names = "--max-body-size", paramLabel = "BYTES", description = "Body of a request (65536).")
    private int bodyBytes = Limits.DEFAULT.bodyBytes();

    @Option(
            names = "--request-timeout",
            paramLabel = "D",
            converter = DurationConverter.class,
            description = "For a request to arrive, and for its answer to be taken (30s).")
    private Duration patience = Limits.DEFAULT.patience();

    @Option(
            names = "--idle-timeout",
            paramLabel = "D",
            converter = DurationConverter.class,
            description = "For the next request on a connection (75s).")
    private Duration idle = Limits.DEFAULT.idle();

    /** What the options say, if it makes sense. */
    Limits checked() {
        require("--rate-limit", rate, 0, Integer.MAX_VALUE);
        require("--max-connections", connections, 1, Integer.MAX_VALUE);
        require("--max-connections-per-address", connectionsPerAddress, 0, Integer.MAX_VALUE);
        require("--max-header-size", headerBytes, HEADER_LEAST, Integer.MAX_VALUE / 2);
        require("--max-body-size", bodyBytes, BODY_LEAST, BODY_MOST);
        int perAddress = connectionsPerAddress == 0 ? Math.max(1, connections / 2) : connectionsPerAddress;
        return new Limits(
                rate,
                connections,
                perAddress,
                quotas.checked(),
                headerBytes,
                bodyBytes,
                patient("--request-timeout", patience),
                patient("--idle-timeout", idle));
    }

    private void require(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw new ParameterException(
                    spec.commandLine(),
                    option + " must be " + (most == Integer.MAX_VALUE ? least + " or more" : least + " to " + most)
                            + ", not " + value + ".");
        }
    }

    private Duration patient(String option, Duration value) {
        if (value.compareTo(Duration.ofSeconds(1)) < 0 || value.compareTo(Duration.ofDays(1)) > 0) {
            throw new ParameterException(spec.commandLine(), option + " must be 1s to 1d, not " + value + ".");
        }
        return value;
    }

    private static int mostConnections() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? (int) Math.max(1, Math.min(Integer.MAX_VALUE, unix.getMaxFileDescriptorCount() / 4 * 3))
                : Integer.MAX_VALUE;
    }
}
