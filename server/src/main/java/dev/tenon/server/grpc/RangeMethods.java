package dev.tenon.server.grpc;

import static dev.tenon.server.grpc.GrpcMethod.unary;
import static dev.tenon.server.grpc.GrpcMethod.unaryFor;

import dev.tenon.Names;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.protocol.DefineRangeResponse;
import dev.tenon.protocol.NumberRange;
import dev.tenon.protocol.RaiseRangeResponse;
import dev.tenon.protocol.RangeDefinitionResponse;
import dev.tenon.protocol.RangesGrpc;
import dev.tenon.protocol.SequenceDefinition;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.server.quota.DefinitionQuota;
import dev.tenon.server.service.IdCalls;
import java.util.List;
import java.util.function.Supplier;

/** The service {@code tenon.v1.Ranges}: the range store, as it is, on threads that may block. */
final class RangeMethods {
    private final RangeStore ranges;
    private final IdCalls calls;
    private final DefinitionQuota quota;

    RangeMethods(ServerBackend backend, IdCalls calls, DefinitionQuota quota) {
        this.quota = quota;
        this.ranges = backend.ranges();
        this.calls = calls;
    }

    List<GrpcMethod<?, ?>> methods() {
        return List.of(
                unaryFor(
                        RangesGrpc.getNextMethod(),
                        Need.use(Scope.IDS),
                        q -> List.of(q.getName()),
                        (q, who) -> calls.stage(() ->
                                message(using(q.getName(), who, () -> ranges.next(q.getName(), q.getCount()))))),
                unaryFor(RangesGrpc.getDefineMethod(), Need.admin(Scope.IDS), q -> List.of(q.getName()), (q, who) -> {
                    SequenceDefinition d = q.getDefinition();
                    RangeDefinition definition = new RangeDefinition(d.getStart(), d.getStep(), d.getMax());
                    return calls.stage(() -> using(q.getName(), who, () -> {
                        ranges.define(q.getName(), definition);
                        return DefineRangeResponse.getDefaultInstance();
                    }));
                }),
                unary(
                        RangesGrpc.getDefinitionMethod(),
                        Need.read(Scope.IDS),
                        q -> List.of(q.getName()),
                        q -> calls.stage(() -> {
                            RangeDefinitionResponse.Builder answer = RangeDefinitionResponse.newBuilder();
                            ranges.definition(checked(q.getName())).ifPresent(d -> answer.setDefinition(message(d)));
                            return answer.build();
                        })),
                unaryFor(
                        RangesGrpc.getRaiseMethod(),
                        Need.admin(Scope.IDS),
                        q -> List.of(q.getName()),
                        (q, who) -> calls.stage(() -> RaiseRangeResponse.newBuilder()
                                .setNext(using(q.getName(), who, () -> ranges.raiseTo(q.getName(), q.getFloor())))
                                .build())));
    }

    private <T> T using(String name, Caller who, Supplier<T> work) {
        checked(name);
        return quota.using(
                who.keyId(),
                "sequence " + name,
                0,
                () -> ranges.definition(name).isPresent(),
                work);
    }

    private static String checked(String name) {
        return Names.requireValid("range name", name);
    }

    private static NumberRange message(IdRange range) {
        return NumberRange.newBuilder()
                .setFirst(range.first())
                .setCount(range.count())
                .setStep(range.step())
                .build();
    }

    private static SequenceDefinition message(RangeDefinition definition) {
        return SequenceDefinition.newBuilder()
                .setStart(definition.start())
                .setStep(definition.step())
                .setMax(definition.max())
                .build();
    }
}
