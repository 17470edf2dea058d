package dev.tenon.server.grpc;

import com.google.protobuf.Message;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * One method of the interface, of one request each.
 *
 * @param need what it asks of its caller, for each of the names
 * @param names what a request is about; empty: nothing that has a name
 * @param sifts whether it shows of all names those that its caller may see
 * @param work what it does, once the gate lets it
 */
record GrpcMethod<Q extends Message, A extends Message>(
        MethodDescriptor<Q, A> descriptor, Need need, Function<Q, List<String>> names, boolean sifts, Work<Q, A> work) {
    private static final List<String> NO_NAME = List.of("");

    /** What a method does; it answers the call, now or later, or throws. */
    @FunctionalInterface
    interface Work<Q extends Message, A extends Message> {
        void run(Q request, CallContext<Q, A> call);
    }

    /** A method that does something when the gate lets it; it answers the call. */
    GrpcMethod(MethodDescriptor<Q, A> descriptor, Need need, Function<Q, List<String>> names, Work<Q, A> work) {
        this(descriptor, need, names, false, work);
    }

    /**
     * A method about all names, of which it shows and does what its caller may. The stage may complete on any thread.
     */
    static <Q extends Message, A extends Message> GrpcMethod<Q, A> sifted(
            MethodDescriptor<Q, A> descriptor, Need need, BiFunction<Q, Caller, CompletionStage<A>> work) {
        return new GrpcMethod<>(
                descriptor,
                need,
                GrpcMethod::nameless,
                true,
                (request, call) -> call.answerWhen(work.apply(request, call.who())));
    }

    /** A method of one answer. The stage may complete on any thread. */
    static <Q extends Message, A extends Message> GrpcMethod<Q, A> unary(
            MethodDescriptor<Q, A> descriptor,
            Need need,
            Function<Q, List<String>> names,
            Function<Q, CompletionStage<A>> work) {
        return new GrpcMethod<>(descriptor, need, names, (request, call) -> call.answerWhen(work.apply(request)));
    }

    /** A method of one answer that depends on who asks. The stage may complete on any thread. */
    static <Q extends Message, A extends Message> GrpcMethod<Q, A> unaryFor(
            MethodDescriptor<Q, A> descriptor,
            Need need,
            Function<Q, List<String>> names,
            BiFunction<Q, Caller, CompletionStage<A>> work) {
        return new GrpcMethod<>(
                descriptor, need, names, (request, call) -> call.answerWhen(work.apply(request, call.who())));
    }

    /** The names of a request about nothing that has one. */
    static <Q> List<String> nameless(Q request) {
        return NO_NAME;
    }

    /** What is about all names at once asks for the right to all of them. */
    Need needFor(String name) {
        boolean named = need.isNamed();
        return named && name.isEmpty() && !sifts ? new Need(need.right(), Scope.SERVER) : need;
    }
}
