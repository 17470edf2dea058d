package dev.tenon.testkit;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;

/**
 * Counts round trips by time: through a proxy that delays each way, an action takes as many delays as it crosses the
 * line. Before each run a plain round trip is timed over a line of the same delay, and the action is measured by that
 * and not by the delay itself, so that a busy machine, which is late in both, does not count as more round trips.
 */
public final class RoundTrips {
    private static final int LINES = 5;

    private RoundTrips() {}

    /** What is measured; it may throw. */
    @FunctionalInterface
    public interface Action {
        /** Does it once. */
        void run() throws Exception;
    }

    /** A measure over a line of some delay; it prepares what it needs itself, each time anew. */
    @FunctionalInterface
    public interface Measure {
        /**
         * Measures.
         *
         * @param oneWay the delay each way
         * @return how many round trips it took
         */
        double over(Duration oneWay) throws Exception;
    }

    /**
     * Measures, and measures again over a line twice as long if the result is not as expected, up to sixteen times as
     * long: what a busy machine adds is the same over any line, and a round trip is not.
     *
     * @param least the least that is expected
     * @param most the most
     * @param oneWay the delay each way of the first line
     * @param measure what to do with each line
     * @return the first result that is as expected, or the last
     * @throws Exception what the measure throws
     */
    public static double within(double least, double most, Duration oneWay, Measure measure) throws Exception {
        Duration line = oneWay;
        double result = measure.over(line);
        for (int i = 1; i < LINES && (result < least || result > most); i++) {
            line = line.multipliedBy(2);
            result = measure.over(line);
        }
        return result;
    }

    /**
     * Runs the action some times with the delay set on the proxy, and lifts the delay in the end.
     *
     * @param proxy the way that the action's traffic takes
     * @param oneWay the delay to set each way: much longer than the work itself, 20 ms or more
     * @param times how often to run it
     * @param action what to measure
     * @return the action's median time divided by the median time of a plain round trip
     * @throws IllegalArgumentException if the delay or the number of times is not positive
     * @throws Exception what the action throws
     */
    public static double measure(FaultProxy proxy, Duration oneWay, int times, Action action) throws Exception {
        if (times < 1 || oneWay.isZero() || oneWay.isNegative()) {
            throw new IllegalArgumentException("needs a positive delay and at least one run");
        }
        long[] measured = new long[times];
        long[] plain = new long[times];
        try (ServerSocket echo = new ServerSocket(0);
                FaultProxy line = FaultProxy.to(TestPort.loopback(echo.getLocalPort()));
                Socket socket = new Socket(
                        line.address().getHostString(), line.address().getPort())) {
            socket.setTcpNoDelay(true);
            FaultProxy.daemon("tenon-round-trips-echo", () -> echo(echo));
            // Unmeasured: the connection is through, and the code is loaded.
            roundTrip(socket);
            line.delay(oneWay);
            proxy.delay(oneWay);
            for (int i = 0; i < times; i++) {
                plain[i] = time(() -> roundTrip(socket));
                measured[i] = time(action);
            }
        } finally {
            proxy.delay(Duration.ZERO);
        }
        return (double) median(measured) / median(plain);
    }

    private static long time(Action action) throws Exception {
        long start = System.nanoTime();
        action.run();
        return System.nanoTime() - start;
    }

    private static void roundTrip(Socket socket) throws IOException {
        socket.getOutputStream().write(1);
        if (socket.getInputStream().read() != 1) {
            throw new IOException("the plain line is broken");
        }
    }

    private static void echo(ServerSocket from) {
        try (Socket socket = from.accept()) {
            socket.setTcpNoDelay(true);
            socket.getInputStream().transferTo(socket.getOutputStream());
        } catch (IOException e) {
            // The measure is over, or says itself that the line is broken.
        }
    }

    private static long median(long[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }
}
