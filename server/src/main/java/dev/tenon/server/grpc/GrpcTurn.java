package dev.tenon.server.grpc;

import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Gate;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Visitor;
import dev.tenon.server.http.Certificates;
import dev.tenon.server.observe.Observer;
import dev.tenon.server.observe.Observer.Observation;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.GrpcServerResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call on its way: who asks, what for, and how it was answered. Every failure becomes a status here, and only here. Lives
 * on one event loop; only {@link #answerWhen} and {@link #onLoop} bring others there.
 */
final class GrpcTurn<Q, A> {
    private static final Logger LOG = LoggerFactory.getLogger(GrpcTurn.class);
    private static final int OK = 200;
    private static final int CLIENT_GONE = 499;

    private final GrpcServerRequest<Q, A> call;
    private final GrpcServerResponse<Q, A> response;
    private final Context context;
    private Runnable whenOver = () -> {};
    private @Nullable Observation observation;
    private @Nullable Caller caller;
    private boolean over;

    GrpcTurn(GrpcServerRequest<Q, A> call) {
        this.call = call;
        this.response = call.response();
        this.context = Vertx.currentContext();
        call.errorHandler(error -> end(CLIENT_GONE));
        call.exceptionHandler(failure -> end(CLIENT_GONE));
        response.exceptionHandler(failure -> end(CLIENT_GONE));
    }

    /** From now on it is observed. */
    void begin(String operation, List<String> names, Observer observer) {
        String name = names.size() == 1 ? names.get(0) : "";
        observation = observer.begin(
                operation, name, header -> Optional.ofNullable(call.headers().get(header)));
    }

    /**
     * Goes on only if the gate lets it.
     *
     * @param sifts whether what is about all names is limited to those that the caller sees
     */
    void admit(Gate gate, Need need, String name, boolean sifts) {
        Caller admitted = gate.admit(visitor(), need, name);
        boolean ofAll = name.isEmpty() && need.isNamed();
        if (ofAll && !sifts) {
            admitted.requireSees(name);
        }
        caller = admitted;
    }

    /** Who asks, as it stands in the audit log. */
    String caller() {
        return caller == null ? "unknown" : caller.name();
    }

    /** Who asks, once it was admitted. */
    Caller who() {
        if (caller == null) {
            throw new IllegalStateException("nobody was admitted yet");
        }
        return caller;
    }

    private Visitor visitor() {
        SocketAddress address = call.connection().remoteAddress();
        return new Visitor(
                Optional.ofNullable(call.headers().get("Authorization")),
                Certificates.subject(call.connection()),
                address == null ? "unknown" : String.valueOf(address.hostAddress()));
    }

    GrpcServerResponse<Q, A> response() {
        return response;
    }

    /** Whether it was answered, or there is nobody any more to answer. */
    boolean isOver() {
        return over;
    }

    /** To be run when it is over, however that comes. */
    void whenOver(Runnable then) {
        whenOver = then;
    }

    /** Runs something on the event loop of the connection. */
    void onLoop(Runnable work) {
        context.runOnContext(v -> work.run());
    }

    /** Answers when the stage completes, on whatever thread that is. */
    void answerWhen(CompletionStage<A> stage) {
        stage.whenComplete((answer, failure) -> {
            if (context == Vertx.currentContext()) {
                settle(answer, failure);
            } else {
                onLoop(() -> settle(answer, failure));
            }
        });
    }

    private void settle(@Nullable A answer, @Nullable Throwable failure) {
        if (answer == null) {
            fail(failure);
        } else if (!over) {
            end(OK);
            attempt(() -> response.end(answer));
        }
    }

    void fail(@Nullable Throwable failure) {
        if (over) {
            return;
        }
        GrpcFailure refusal = GrpcFailure.of(failure);
        if (refusal.isInternal()) {
            LOG.error("{} failed", call.fullMethodName(), failure);
        }
        end(refusal.httpStatus());
        attempt(() -> {
            response.trailers().set(GrpcFailure.DETAILS, refusal.details());
            response.status(GrpcStatus.valueOf(refusal.code())).statusMessage(refusal.message());
            response.end();
        });
    }

    private static void attempt(Runnable writing) {
        try {
            writing.run();
        } catch (IllegalStateException e) {
            LOG.debug("A call was over before its answer was written", e); // its deadline has passed just now
        }
    }

    private void end(int status) {
        if (over) {
            return;
        }
        over = true;
        Observation begun = observation;
        if (begun != null) {
            begun.end(status, caller == null ? "" : caller.name());
        }
        whenOver.run();
    }
}
