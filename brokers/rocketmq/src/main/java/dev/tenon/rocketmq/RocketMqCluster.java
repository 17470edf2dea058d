package dev.tenon.rocketmq;

import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.remoting.RPCHook;

/**
 * Where a RocketMQ is, and how its clients are let in. Immutable; thread-safe as far as its hook is.
 */
public final class RocketMqCluster {
    private final ClientConfig settings;
    private final Optional<RPCHook> hook;

    private RocketMqCluster(ClientConfig settings, Optional<RPCHook> hook) {
        this.settings = settings;
        this.hook = hook;
    }

    /**
     * A cluster by the addresses of its name servers.
     *
     * @param nameServers such as {@code "mq-1:9876;mq-2:9876"}
     * @throws IllegalArgumentException if there is none
     */
    public static RocketMqCluster at(String nameServers) {
        ClientConfig settings = new ClientConfig();
        settings.setNamesrvAddr(nameServers);
        return of(settings);
    }

    /**
     * A cluster by all that RocketMQ's clients can be told: TLS, namespace, timeouts. Their instance names are Tenon's.
     *
     * @param settings of which a copy is taken. Let {@code mqClientApiTimeout}, which a send may take as well if it is
     *     longer than 5 s, be less than the outbox's claim
     * @throws IllegalArgumentException if they name no name server
     */
    public static RocketMqCluster of(ClientConfig settings) {
        String names = settings.getNamesrvAddr();
        if (names == null || names.isBlank()) {
            throw new IllegalArgumentException("The settings need name servers, such as mq-1:9876;mq-2:9876");
        }
        return new RocketMqCluster(settings.cloneClientConfig(), Optional.empty());
    }

    /** This with a hook round each request, such as RocketMQ's {@code AclClientRPCHook}, which signs them. */
    public RocketMqCluster withHook(RPCHook signer) {
        return new RocketMqCluster(settings, Optional.of(Objects.requireNonNull(signer, "signer")));
    }

    /** The settings of one more client: clients that had one name would share their connections and their end. */
    ClientConfig forOneClient() {
        ClientConfig own = settings.cloneClientConfig();
        own.setInstanceName("tenon-" + UUID.randomUUID());
        return own;
    }

    Optional<RPCHook> hook() {
        return hook;
    }

    /** The name servers, for messages. */
    @Override
    public String toString() {
        return "RocketMQ at " + settings.getNamesrvAddr();
    }
}
