package dev.tenon.server.grpc;

import com.google.protobuf.Message;
import dev.tenon.server.access.Right;
import dev.tenon.server.transport.Admission;
import dev.tenon.server.transport.SlowPeers;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Map;

/**
 * The way into one method. The call is let in at its headers, by who makes it; then its message is read, under the
 * bounds that bodies have; then each name in it must be one that the caller may use. Nothing is unpacked, kept or
 * written down for somebody who is not let in. Thread-safe.
 */
final class GrpcEntry<Q extends Message, A extends Message> {
    private static final String ENCODING = "grpc-encoding";
    private static final String IDENTITY = "identity";

    private final GrpcMethod<Q, A> method;
    private final Admission admission;
    private final MessageReader<Q> reader;

    GrpcEntry(GrpcMethod<Q, A> method, Admission admission) {
        this.method = method;
        this.admission = admission;
        this.reader = MessageReader.of(method.descriptor());
    }

    /** Takes a call. On the event loop of its connection. */
    void take(HttpServerRequest request, SlowPeers peers) {
        CallContext<Q, A> call =
                new CallContext<>(method.descriptor().getFullMethodName(), admission.observer(), request, peers);
        call.attempt(() -> {
            String encoding = request.getHeader(ENCODING);
            if (encoding != null && !encoding.equals(IDENTITY)) {
                throw NotServedException.compressed();
            }
            call.setDeadline();
            call.admit(admission.gate(), method.need(), "");
            call.read(message -> begin(message, call));
        });
    }

    private void begin(byte[] message, CallContext<Q, A> call) {
        call.takesRoom(reader.weight(message));
        Q request = reader.read(message);
        List<String> about = method.names().apply(request);
        if (about.isEmpty()) {
            throw new IllegalArgumentException(reader.list() + " is empty; name one or more");
        }
        call.begins(about);
        about.forEach(name -> admit(name, call));
        if (method.need().right() == Right.ADMIN) {
            Map<String, Object> called = Map.of("method", method.descriptor().getFullMethodName());
            admission.audit().tell("admin-call", call.caller(), String.join(",", about), called);
        }
        method.work().run(request, call);
    }

    private void admit(String name, CallContext<Q, A> call) {
        if (!name.isEmpty()) {
            call.who().requireSees(name);
        } else if (method.need().isNamed() && !method.sifts()) {
            call.admit(admission.gate(), method.needFor(name), name);
            call.who().requireSees(name);
        }
    }
}
