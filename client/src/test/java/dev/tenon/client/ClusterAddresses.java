package dev.tenon.client;

import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Where the nodes of a cluster are for each other. All have the same addresses by name; where a name leads to depends
 * on who asks, and is in a hosts file of each: to itself at a loopback address of its own, to the others at those of
 * what stands between them.
 */
final class ClusterAddresses implements AutoCloseable {
    private final Path folder;
    private final List<String> names;
    private final TestPort port = TestPort.reserve();

    /** @param folder where the hosts files are written */
    ClusterAddresses(Path folder, List<String> names) {
        this.folder = folder;
        this.names = names;
    }

    /** As the nodes know it. */
    String of(String name) {
        return name + ".test:" + port.number();
    }

    /** Where {@code from} believes {@code to} to be. */
    InetSocketAddress seen(String from, String to) {
        return new InetSocketAddress(host(from, to), port.number());
    }

    private String host(String from, String to) {
        return "127.0." + (1 + names.indexOf(from)) + "." + (1 + names.indexOf(to));
    }

    /** The hosts file of a node. */
    Path hosts(String name) {
        return write(folder.resolve(name + ".hosts"), to -> host(name, to));
    }

    /**
     * The hosts file of a process that shall be this node at an address that the others do not know; it reaches them
     * straight away.
     */
    Path hostsElsewhere(String name) {
        String own = "127.0.99." + (1 + names.indexOf(name));
        return write(folder.resolve(name + ".elsewhere.hosts"), to -> to.equals(name) ? own : host(to, to));
    }

    private Path write(Path file, UnaryOperator<String> seen) {
        try {
            StringBuilder hosts = new StringBuilder("127.0.0.1 localhost\n127.0.0.1 "
                    + InetAddress.getLocalHost().getHostName() + "\n");
            for (String to : names) {
                hosts.append(seen.apply(to)).append(' ').append(to).append(".test\n");
            }
            return Files.writeString(file, hosts);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        port.close();
    }
}
