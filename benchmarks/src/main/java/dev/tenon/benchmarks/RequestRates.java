package dev.tenon.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Requests a second, by the tools that the field uses: {@code redis-benchmark} and {@code wrk}. */
final class RequestRates {
    private static final Pattern WRK = Pattern.compile("RESULT ([\\d.]+) ([\\d.]+) ([\\d.]+) ([\\d.]+) (\\d+)");
    private static final Pattern REDIS_RATE = Pattern.compile("throughput summary: ([\\d.]+) requests per second");
    private static final Pattern REDIS_SHARE = Pattern.compile("([\\d.]+)% <= ([\\d.]+) milliseconds \\(cum");

    private RequestRates() {}

    /**
     * What one run saw.
     *
     * @param title of what was asked
     * @param perSecond IDs a second
     * @param median of a request
     * @param tail 99 % of the requests are faster
     * @param extreme 99.9 % of them are
     */
    record Score(String title, double perSecond, Duration median, Duration tail, Duration extreme) {}

    /** {@code INCR} on one key. */
    static Score redis(InetSocketAddress server, int connections, Duration about) throws IOException {
        long requests = Math.max(1_000, 50_000 * about.toMillis() / 1_000);
        String said = run(
                List.of(
                        "redis-benchmark",
                        "-h",
                        server.getHostString(),
                        "-p",
                        Integer.toString(server.getPort()),
                        "-t",
                        "incr",
                        "-c",
                        Integer.toString(connections),
                        "-n",
                        Long.toString(requests),
                        "--precision",
                        "3"),
                "redis-tools");
        Matcher rate = REDIS_RATE.matcher(said);
        if (!rate.find()) {
            throw new IllegalStateException("redis-benchmark said:\n" + said);
        }
        return new Score(
                "Redis, INCR",
                Double.parseDouble(rate.group(1)),
                redisShare(said, 50),
                redisShare(said, 99),
                redisShare(said, 99.9));
    }

    private static Duration redisShare(String said, double percent) {
        Matcher share = REDIS_SHARE.matcher(said);
        while (share.find()) {
            if (Double.parseDouble(share.group(1)) >= percent) {
                return millis(share.group(2));
            }
        }
        throw new IllegalStateException("redis-benchmark names no " + percent + " %:\n" + said);
    }

    /** POST, one ID each. */
    static Score http(String title, String url, int connections, Duration time) throws IOException {
        Path script = Files.createTempFile("next", ".lua");
        try (InputStream in = Objects.requireNonNull(RequestRates.class.getResourceAsStream("next.lua"))) {
            Files.write(script, in.readAllBytes());
            String said = run(
                    List.of(
                            "wrk",
                            "-t",
                            "1",
                            "-c",
                            Integer.toString(connections),
                            "-d",
                            Math.max(1, time.toSeconds()) + "s",
                            "-s",
                            script.toString(),
                            url),
                    "wrk");
            Matcher result = WRK.matcher(said);
            if (!result.find() || !result.group(5).equals("0")) {
                throw new IllegalStateException("wrk said:\n" + said);
            }
            return new Score(
                    title,
                    Double.parseDouble(result.group(1)),
                    millis(result.group(2)),
                    millis(result.group(3)),
                    millis(result.group(4)));
        } finally {
            Files.delete(script);
        }
    }

    private static Duration millis(String text) {
        return Duration.ofNanos(Math.round(Double.parseDouble(text) * 1e6));
    }

    private static String run(List<String> command, String toInstall) throws IOException {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new IOException(
                    String.format(Locale.ROOT, "Install %s (Debian: %s): it is needed here", command.get(0), toInstall),
                    e);
        }
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
