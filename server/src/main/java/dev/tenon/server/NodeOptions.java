package dev.tenon.server;

import dev.tenon.server.access.Gate;
import dev.tenon.server.http.Endpoint;
import dev.tenon.server.http.WebPages;
import dev.tenon.server.observe.Observer;

/**
 * How a node faces the world.
 *
 * @param host the address to listen on
 * @param port 0: any free one
 * @param gate who may do what
 * @param observer who hears of every request
 * @param protection against those who mean no good, or too much of it
 */
public record NodeOptions(String host, int port, Gate gate, Observer observer, Protection protection) {
    /** These, with another observer. */
    public NodeOptions observedBy(Observer other) {
        return new NodeOptions(host, port, gate, other, protection);
    }

    /** Open to everyone who reaches the address. */
    public static NodeOptions at(String host, int port) {
        return new NodeOptions(host, port, Gate.OPEN, Observer.NONE, Protection.DEFAULT);
    }

    /** Where its public port is, and what is checked there. */
    Endpoint endpoint() {
        return new Endpoint(
                host,
                port,
                protection.limits(),
                protection.tls(),
                WebPages.of(host, gate, protection.tls(), protection.hosts(), protection.origins()));
    }

    /** These, with another gate. */
    public NodeOptions withGate(Gate other) {
        return new NodeOptions(host, port, other, observer, protection);
    }

    /** These, with other protection. */
    public NodeOptions withProtection(Protection other) {
        return new NodeOptions(host, port, gate, observer, other);
    }
}
