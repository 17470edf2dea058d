package dev.tenon.server.grpc;

import dev.tenon.server.NodeOptions;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import io.grpc.MethodDescriptor;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpcio.server.GrpcIoServer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One method of the interface, of one request each.
 *
 * @param need what it asks of its caller, for each of the names
 * @param names what a request is about; empty: nothing that has a name
 * @param sifts whether it shows of all names those that its caller may see
 * @param work what it does, once the gate lets it
 */
record GrpcMethod<Q, A>(
        MethodDescriptor<Q, A> descriptor, Need need, Function<Q, List<String>> names, boolean sifts, Work<Q, A> work) {
    private static final List<String> NO_NAME = List.of("");

    /** What a method does; it answers the turn, now or later, or throws. */
    @FunctionalInterface
    interface Work<Q, A> {
        void run(Q request, GrpcTurn<Q, A> turn);
    }

    /** A method that does something when the gate lets it; it answers the turn. */
    GrpcMethod(MethodDescriptor<Q, A> descriptor, Need need, Function<Q, List<String>> names, Work<Q, A> work) {
        this(descriptor, need, names, false, work);
    }

    /** A method about all names, of which it shows and does what its caller may. The stage may complete on any thread. */
    static <Q, A> GrpcMethod<Q, A> sifted(
            MethodDescriptor<Q, A> descriptor, Need need, BiFunction<Q, Caller, CompletionStage<A>> work) {
        return new GrpcMethod<>(
                descriptor,
                need,
                GrpcMethod::nameless,
                true,
                (request, turn) -> turn.answerWhen(work.apply(request, turn.who())));
    }

    /** A method of one answer. The stage may complete on any thread. */
    static <Q, A> GrpcMethod<Q, A> unary(
            MethodDescriptor<Q, A> descriptor,
            Need need,
            Function<Q, List<String>> names,
            Function<Q, CompletionStage<A>> work) {
        return new GrpcMethod<>(descriptor, need, names, (request, turn) -> turn.answerWhen(work.apply(request)));
    }

    /** A method of one answer that depends on who asks. The stage may complete on any thread. */
    static <Q, A> GrpcMethod<Q, A> unaryFor(
            MethodDescriptor<Q, A> descriptor,
            Need need,
            Function<Q, List<String>> names,
            BiFunction<Q, Caller, CompletionStage<A>> work) {
        return new GrpcMethod<>(
                descriptor, need, names, (request, turn) -> turn.answerWhen(work.apply(request, turn.who())));
    }

    /** The names of a request about nothing that has one. */
    static <Q> List<String> nameless(Q request) {
        return NO_NAME;
    }

    void serve(GrpcIoServer server, NodeOptions options) {
        server.callHandler(descriptor, call -> accept(call, options));
    }

    private void accept(GrpcServerRequest<Q, A> call, NodeOptions options) {
        GrpcTurn<Q, A> turn = new GrpcTurn<>(call);
        Received<Q> received = new Received<>();
        call.handler(received::take);
        call.endHandler(v -> begin(received, turn, options));
    }

    private void begin(Received<Q> received, GrpcTurn<Q, A> turn, NodeOptions options) {
        try {
            Q request = received.only();
            List<String> about = names.apply(request);
            turn.begin(descriptor.getFullMethodName(), about, options.observer());
            about.forEach(name -> turn.admit(options.gate(), needFor(name), name, sifts));
            if (need.right() == Right.ADMIN) {
                Map<String, Object> method = Map.of("method", descriptor.getFullMethodName());
                options.protection().audit().tell("admin-call", turn.caller(), String.join(",", about), method);
            }
            work.run(request, turn);
        } catch (RuntimeException e) {
            turn.fail(e);
        }
    }

    /** What is about all names at once asks for the right to all of them. */
    private Need needFor(String name) {
        boolean named = need.isNamed();
        return named && name.isEmpty() && !sifts ? new Need(need.right(), Scope.SERVER) : need;
    }

    private static final class Received<Q> {
        private @Nullable Q message;
        private boolean many;

        void take(Q next) {
            many = message != null;
            message = next;
        }

        Q only() {
            Q one = message;
            if (one == null || many) {
                throw new IllegalArgumentException("This method takes one request");
            }
            return one;
        }
    }
}
