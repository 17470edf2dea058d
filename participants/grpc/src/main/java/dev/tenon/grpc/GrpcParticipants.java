package dev.tenon.grpc;

import dev.tenon.TenonException;
import dev.tenon.protocol.ParticipantGrpc;
import dev.tenon.protocol.ParticipantReply;
import dev.tenon.protocol.ParticipantRequest;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.http.CallSignature;
import dev.tenon.tx.http.HttpParticipants;
import dev.tenon.tx.http.HttpTargets;
import dev.tenon.tx.notify.WebhookSecrets;
import dev.tenon.tx.notify.WebhookSignature;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.net.URI;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Participants whose target is {@code grpc://host:port/name}, or {@code grpcs://} for TLS: they serve
 * {@code tenon.v1.Participant} ({@link ParticipantService}, or code made of the {@code .proto} file in any language).
 * DONE, REFUSED and NOT_YET are {@link Reply}'s; every status but OK means that it is to be called again. Thread-safe;
 * its connections close themselves when they are idle.
 */
public final class GrpcParticipants implements Participants, AutoCloseable {
    /** The most servers that are connected to; beyond that, the one that was used least recently is let go. */
    private static final int CHANNELS_MAX = 200;

    private static final int IDLE_SECONDS = 60;

    private final Duration timeout;
    private final HttpTargets targets;
    private final WebhookSecrets secrets;
    private final Channels channels;

    private GrpcParticipants(Duration timeout, HttpTargets targets, WebhookSecrets secrets, Channels channels) {
        this.timeout = timeout;
        this.targets = targets;
        this.secrets = secrets;
        this.channels = channels;
    }

    /**
     * Participants at any address. TLS trusts whom the JDK trusts.
     *
     * @param timeout how long one may take to answer, its connection included
     */
    public static GrpcParticipants create(Duration timeout) {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("A call takes some time, not " + timeout);
        }
        return new GrpcParticipants(timeout, HttpTargets.ANY, WebhookSecrets.NONE, new Channels());
    }

    /** These, over the same connections, but calls go to allowed addresses only. */
    public GrpcParticipants within(HttpTargets allowed) {
        return new GrpcParticipants(timeout, Objects.requireNonNull(allowed, "allowed"), secrets, channels);
    }

    /**
     * These, over the same connections, and the secrets that {@link HttpTargets#signedWith} names. A call whose secret
     * is not among them is made as soon as it is.
     */
    public GrpcParticipants signing(WebhookSecrets named) {
        return new GrpcParticipants(timeout, targets, Objects.requireNonNull(named, "named"), channels);
    }

    @Override
    public Optional<Participant> find(String target) {
        return HttpTargets.isGrpc(target) ? Optional.of(this::call) : Optional.empty();
    }

    private Reply call(BranchCall call) {
        URI uri = targets.require(call.target());
        String path = uri.getPath() == null ? "" : uri.getPath();
        String name = path.startsWith("/") ? path.substring(1) : path;
        ParticipantRequest request = ParticipantRequest.newBuilder()
                .setGid(call.gid().text())
                .setBranch(call.branch())
                .setOperation(call.operation().text())
                .setParticipant(name)
                .setPayload(call.payload())
                .build();
        try {
            return reply(ParticipantGrpc.newBlockingStub(channels.to(uri))
                    .withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS)
                    .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(signature(uri, call, name)))
                    .call(request));
        } catch (StatusRuntimeException e) {
            throw new TenonException(
                    "answered "
                            + HttpParticipants.kept(e.getStatus().getCode() + ": "
                                    + e.getStatus().getDescription()),
                    e);
        }
    }

    private Metadata signature(URI uri, BranchCall call, String name) {
        Metadata metadata = new Metadata();
        targets.secret(uri).ifPresent(secret -> {
            WebhookSignature by = secrets.find(secret)
                    .orElseThrow(() -> new TenonException("no webhook secret of the name \"" + secret + "\" here"));
            CallSignature.of(by)
                    .sign(call, name)
                    .forEach((key, value) ->
                            metadata.put(Metadata.Key.of(key, Metadata.ASCII_STRING_MARSHALLER), value));
        });
        return metadata;
    }

    private static Reply reply(ParticipantReply answer) {
        String text = HttpParticipants.kept(answer.getText());
        return switch (answer.getOutcome()) {
            case DONE -> Reply.done(text);
            case REFUSED -> Reply.refused(text.isBlank() ? "no reason given" : text);
            case NOT_YET -> Reply.notYet(text.isBlank() ? "no reason given" : text);
            case OUTCOME_UNSPECIFIED, UNRECOGNIZED -> throw new TenonException("answered without an outcome: " + text);
        };
    }

    /** Ends the connections; calls that are under way fail. Idempotent. */
    @Override
    public void close() {
        channels.close();
    }

    /** One connection for each server, those that were used least recently first. */
    private static final class Channels {
        private final ReentrantLock mutex = new ReentrantLock();
        private final Map<String, ManagedChannel> all = new LinkedHashMap<>(16, 0.75f, true);
        private boolean closed;

        ManagedChannel to(URI uri) {
            boolean tls = uri.getScheme().toLowerCase(Locale.ROOT).equals("grpcs");
            int port = uri.getPort() >= 0 ? uri.getPort() : tls ? 443 : 80;
            String host = uri.getHost().toLowerCase(Locale.ROOT);
            mutex.lock();
            try {
                if (closed) {
                    throw new TenonException("Not called, as this process stops");
                }
                String key = (tls ? "s " : "- ") + host + ":" + port;
                ManagedChannel known = all.get(key);
                if (known != null && known.getState(false) != ConnectivityState.TRANSIENT_FAILURE) {
                    return known;
                }
                if (known != null) {
                    known.shutdown(); // it would wait for up to two minutes before it connects again
                }
                ManagedChannel fresh = open(host, port, tls);
                all.put(key, fresh);
                letGo();
                return fresh;
            } finally {
                mutex.unlock();
            }
        }

        private void letGo() {
            Iterator<ManagedChannel> eldest = all.values().iterator();
            while (all.size() > CHANNELS_MAX && eldest.hasNext()) {
                eldest.next().shutdown(); // what is under way comes to its end
                eldest.remove();
            }
        }

        private static ManagedChannel open(String host, int port, boolean tls) {
            String name = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
            NettyChannelBuilder builder = NettyChannelBuilder.forAddress(name, port)
                    .idleTimeout(IDLE_SECONDS, TimeUnit.SECONDS)
                    .disableRetry()
                    .disableServiceConfigLookUp();
            return (tls ? builder.useTransportSecurity() : builder.usePlaintext()).build();
        }

        void close() {
            mutex.lock();
            try {
                closed = true;
                all.values().forEach(ManagedChannel::shutdownNow);
                all.clear();
            } finally {
                mutex.unlock();
            }
        }
    }
}
