package dev.tenon.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/**
 * A real nginx of this test's own, in front of servers of the test: a child process in the foreground on a free
 * loopback port, all of whose files are in a temporary folder. It is gone once it is closed or this JVM ends. Threads
 * may share it.
 */
public final class NginxServer implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(30);
    private static final Pattern LISTEN = Pattern.compile("\\blisten 80;");

    private final TestPort port = TestPort.reserve();
    private final LocalHost host;

    private NginxServer(Path binary, String http) {
        String listening = LISTEN.matcher(http).replaceAll("listen 127.0.0.1:" + port.number() + ";");
        if (listening.equals(http)) {
            throw new IllegalArgumentException("there is no \"listen 80;\" in: " + http);
        }
        host = new LocalHost("nginx", port.number(), new Commands(binary, listening));
    }

    /**
     * Starts it and waits until it accepts connections.
     *
     * @param http what stands in the http block of its configuration; {@code listen 80;} becomes the port of this one
     * @throws IllegalStateException if there is no nginx on this machine, or it does not take the configuration; the
     *     message shows what it said
     */
    public static NginxServer start(String http) {
        Path binary = Programs.onPath("nginx")
                .orElseThrow(
                        () -> new IllegalStateException("no nginx here: run scripts/install-test-servers (as root on"
                                + " Debian or Ubuntu), or install nginx"));
        NginxServer nginx = new NginxServer(binary, http);
        try {
            nginx.host.start();
            Awaitility.await()
                    .atMost(START_LIMIT)
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> !nginx.host.running() || accepts(nginx.socket()));
            if (!nginx.host.running()) {
                throw new IllegalStateException("nginx ended while starting:\n" + nginx.log());
            }
            return nginx;
        } catch (RuntimeException e) {
            nginx.close();
            throw e;
        }
    }

    /** Where it listens. */
    public InetSocketAddress socket() {
        return port.address();
    }

    /** The end of what it has logged so far, for messages of failed tests. */
    public String log() {
        return host.log();
    }

    /** Ends it and removes its files. Harmless when done twice. */
    @Override
    public void close() {
        host.close();
        port.close();
    }

    private static boolean accepts(InetSocketAddress address) {
        try (Socket socket = new Socket(address.getHostString(), address.getPort())) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private record Commands(Path binary, String http) implements ServerRecipe.Local {
        @Override
        public void prepare(Path folder) {
            // Started as root, its workers would be somebody who can't reach the folder.
            String user = "root".equals(System.getProperty("user.name")) ? "user root;\n" : "";
            try {
                Files.writeString(folder.resolve("nginx.conf"), user + """
                        daemon off;
                        worker_processes 1;
                        pid nginx.pid;
                        error_log stderr warn;
                        events { worker_connections 1024; }
                        http {
                        access_log off;
                        client_body_temp_path client_body;
                        proxy_temp_path proxy;
                        fastcgi_temp_path fastcgi;
                        uwsgi_temp_path uwsgi;
                        scgi_temp_path scgi;
                        """ + http + "}\n");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public List<String> serve(Path folder, int port) {
            return List.of(binary.toString(), "-e", "stderr", "-p", folder + "/", "-c", "nginx.conf");
        }

        /** Fast shutdown. */
        @Override
        public String stopSignal() {
            return "TERM";
        }
    }
}
