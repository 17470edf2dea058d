package dev.tenon.testkit;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;

/**
 * Counts round trips by time: through a proxy that delays each way, an action takes as many delays as it crosses the line.
 * Before each run a plain round trip is timed over a line of the same delay, and the action is measured by that and not by
 * the delay itself, so that a busy machine, which is late in both, does not count as more round trips.
 */
public final class RoundTrips {
    private RoundTrips() {}

    /** What is measured; it may throw. */
    @FunctionalInterface
    public interface Action {
        /** Does it once. */
        void run() throws Exception;
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
