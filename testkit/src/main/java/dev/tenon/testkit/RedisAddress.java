package dev.tenon.testkit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * One database of a Redis server.
 *
 * @param host the server's host
 * @param port its port
 * @param database the number of the database, from 0
 */
public record RedisAddress(String host, int port, int database) {
    private static final int TIMEOUT_MILLIS = 5_000;
    private static final String COUNTER = "tenon-test-databases";

    /** The address as clients take it: {@code redis://host:port/database}. */
    public String uri() {
        return "redis://" + host + ":" + port + "/" + database;
    }

    /** The server's address, for a {@link FaultProxy} to it. */
    public InetSocketAddress socket() {
        return new InetSocketAddress(host, port);
    }

    /** The same database by another way, such as through a {@link FaultProxy}. */
    public RedisAddress at(InetSocketAddress way) {
        return new RedisAddress(way.getHostString(), way.getPort(), database);
    }

    /**
     * Another database of the same server, emptied. The server itself counts them, so that the test JVMs that share it
     * do not meet; after the last one it begins again at 1.
     *
     * @throws UncheckedIOException if the server does not answer
     */
    public RedisAddress newDatabase() {
        try (Socket socket = connect(socket())) {
            long count = Long.parseLong(ask(socket, "INCR", COUNTER));
            // An array of two bulk strings: the setting's name and its value.
            String[] setting = ask(socket, "CONFIG", "GET", "databases").split("\n");
            long databases = Long.parseLong(setting[setting.length - 1]);
            int number = (int) (1 + (count - 1) % (databases - 1));
            ask(socket, "SELECT", Integer.toString(number));
            ask(socket, "FLUSHDB");
            return new RedisAddress(host, port, number);
        } catch (IOException e) {
            throw new UncheckedIOException("no new database on " + uri(), e);
        }
    }

    /**
     * Sends one command on a connection of its own: a second opinion for tests, beside the client under test.
     *
     * @param command the command and its arguments
     * @return the reply as text; the parts of an array one a line; {@code "(nil)"} for none
     * @throws UncheckedIOException if the server does not answer, or answers with an error
     */
    public String command(String... command) {
        try (Socket socket = connect(socket())) {
            if (database != 0) { // where each connection begins; a Sentinel has no other and knows no SELECT
                ask(socket, "SELECT", Integer.toString(database));
            }
            return ask(socket, command);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static boolean answersPing(InetSocketAddress address) {
        try (Socket socket = connect(address)) {
            return ask(socket, "PING").equals("PONG");
        } catch (IOException e) {
            return false;
        }
    }

    private static Socket connect(InetSocketAddress address) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.connect(new InetSocketAddress(address.getHostString(), address.getPort()), TIMEOUT_MILLIS);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private static String ask(Socket socket, String... command) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(("*" + command.length + "\r\n").getBytes(StandardCharsets.UTF_8));
        for (String part : command) {
            byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
            out.writeBytes(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.UTF_8));
            out.writeBytes(bytes);
            out.writeBytes("\r\n".getBytes(StandardCharsets.UTF_8));
        }
        socket.getOutputStream().write(out.toByteArray());
        // One request at a time: nothing of a later reply can be caught in the buffer.
        return reply(new BufferedInputStream(socket.getInputStream()));
    }

    private static String reply(InputStream in) throws IOException {
        String line = line(in);
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+', ':' -> rest;
            case '$' -> {
                int length = Integer.parseInt(rest);
                if (length < 0) {
                    yield "(nil)";
                }
                byte[] bytes = in.readNBytes(length + 2);
                yield new String(bytes, 0, length, StandardCharsets.UTF_8);
            }
            case '*' -> {
                StringBuilder all = new StringBuilder();
                for (int i = Integer.parseInt(rest); i > 0; i--) {
                    all.append(reply(in)).append(i > 1 ? "\n" : "");
                }
                yield all.toString();
            }
            default -> throw new IOException("Redis answers " + line);
        };
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\r'; c = in.read()) {
            if (c < 0) {
                throw new IOException("Redis has closed the connection");
            }
            line.append((char) c);
        }
        in.read();
        return line.toString();
    }
}
