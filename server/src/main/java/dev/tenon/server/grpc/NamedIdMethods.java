package dev.tenon.server.grpc;

import static dev.tenon.server.grpc.GrpcMethod.sifted;
import static dev.tenon.server.grpc.GrpcMethod.unary;
import static dev.tenon.server.grpc.GrpcMethod.unaryFor;

import dev.tenon.BackendUnavailableException;
import dev.tenon.LeaseLostException;
import dev.tenon.Names;
import dev.tenon.protocol.DecodeIdResponse;
import dev.tenon.protocol.DefineIdsRequest;
import dev.tenon.protocol.DeleteIdsRequest;
import dev.tenon.protocol.DeleteIdsResponse;
import dev.tenon.protocol.IdsDefinition;
import dev.tenon.protocol.IdsGrpc;
import dev.tenon.protocol.ListIdsResponse;
import dev.tenon.protocol.NextIdByCodeRequest;
import dev.tenon.protocol.NextIdByCodeResponse;
import dev.tenon.protocol.NextIdsRequest;
import dev.tenon.protocol.NextIdsResponse;
import dev.tenon.server.access.Audit;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.ids.DefinitionFormat;
import dev.tenon.server.ids.GeneratorDefinition;
import dev.tenon.server.ids.IdCatalog;
import dev.tenon.server.ids.IdCodes;
import dev.tenon.server.ids.IdRequest;
import dev.tenon.server.ids.NamedGenerator;
import dev.tenon.server.json.Json;
import dev.tenon.server.quota.DefinitionQuota;
import dev.tenon.server.service.IdCalls;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The service {@code tenon.v1.Ids}: the same IDs that the HTTP interface gives out. */
final class NamedIdMethods {
    private static final int COUNT_MAX = 10_000;

    private final IdCatalog ids;
    private final IdCodes codes;
    private final IdCalls calls;
    private final DefinitionQuota quota;
    private final Audit audit;

    NamedIdMethods(IdCatalog ids, IdCodes codes, IdCalls calls, DefinitionQuota quota, Audit audit) {
        this.quota = quota;
        this.ids = ids;
        this.codes = codes;
        this.audit = audit;
        this.calls = calls;
    }

    List<GrpcMethod<?, ?>> methods() {
        return List.of(
                unary(IdsGrpc.getNextMethod(), Need.use(Scope.IDS), q -> List.of(q.getName()), this::next),
                sifted(IdsGrpc.getNextByCodeMethod(), Need.use(Scope.IDS), this::nextByCode),
                unary(
                        IdsGrpc.getDecodeMethod(),
                        Need.read(Scope.IDS),
                        q -> List.of(q.getName()),
                        q -> calls.stage(() -> DecodeIdResponse.newBuilder()
                                .setJson(Json.text(
                                        calls.found(checked(q.getName())).decode(q.getId())))
                                .build())),
                unaryFor(IdsGrpc.getDefineMethod(), Need.admin(Scope.IDS), q -> List.of(q.getName()), this::define),
                unary(
                        IdsGrpc.getDescribeMethod(),
                        Need.read(Scope.IDS),
                        q -> List.of(q.getName()),
                        q -> calls.stage(() -> message(
                                q.getName(),
                                ids.report(checked(q.getName())).orElseThrow(() -> IdCalls.unknown(q.getName()))))),
                unaryFor(IdsGrpc.getDeleteMethod(), Need.admin(Scope.IDS), q -> List.of(q.getName()), this::delete),
                unary(
                        IdsGrpc.getListMethod(),
                        Need.read(Scope.IDS),
                        GrpcMethod::nameless,
                        q -> calls.stage(() -> ListIdsResponse.newBuilder()
                                .addAllDefinitions(ids.describeAll(name -> true).stream()
                                        .map(one -> message(String.valueOf(one.get("name")), one))
                                        .toList())
                                .build())));
    }

    private CompletionStage<NextIdsResponse> next(NextIdsRequest request) {
        int count = request.getCount() == 0 ? 1 : request.getCount();
        if (count < 1 || count > COUNT_MAX) {
            throw new IllegalArgumentException("Count must be between 1 and " + COUNT_MAX + ": " + count);
        }
        IdRequest ask = new IdRequest(
                count,
                IdRequest.Order.OWN,
                request.hasShardKey() ? Optional.of(request.getShardKey()) : Optional.empty());
        return ofThisNode(calls.next(checked(request.getName()), ask)
                .map(next -> NextIdsResponse.newBuilder().addAllIds(next).build()));
    }

    private CompletionStage<NextIdByCodeResponse> nextByCode(NextIdByCodeRequest request, Caller who) {
        int code = request.getCode();
        return ofThisNode(calls.blocking(() -> {
            codes.requireSeen(code, who);
            NextIdByCodeResponse.Builder answer = NextIdByCodeResponse.newBuilder();
            if (request.getText()) {
                answer.setText(request.getShuffled() ? codes.unionIdStr(code) : codes.unionSeqIdStr(code));
            } else {
                answer.setNumber(request.getShuffled() ? codes.unionId(code) : codes.unionSeqId(code));
            }
            return answer.build();
        }));
    }

    /**
     * That this node has lost its worker ID, as it can't write just now, says nothing of the others: the client is to
     * ask one of them.
     */
    private static <T> CompletionStage<T> ofThisNode(Future<T> answer) {
        return answer.recover(failure -> Future.failedFuture(
                        failure instanceof LeaseLostException
                                ? new BackendUnavailableException(String.valueOf(failure.getMessage()), failure)
                                : failure))
                .toCompletionStage();
    }

    private CompletionStage<IdsDefinition> define(DefineIdsRequest request, Caller who) {
        String name = checked(request.getName());
        GeneratorDefinition definition = DefinitionFormat.read(Json.readObject(Buffer.buffer(request.getDefinition())));
        return calls.stage(() -> {
            NamedGenerator defined = quota.using(
                            who.keyId(),
                            "ids " + name,
                            request.getDefinition().length(),
                            () -> ids.has(name),
                            () -> ids.define(name, definition))
                    .ids();
            return message(name, defined.report());
        });
    }

    private CompletionStage<DeleteIdsResponse> delete(DeleteIdsRequest request, Caller who) {
        String name = DefinitionMethods.checked(request.getName());
        return calls.stage(() -> {
            if (!ids.remove(name)) {
                throw IdCalls.unknown(name);
            }
            quota.gone("ids " + name);
            audit.tell("ids-deleted", who.name(), name, Map.of());
            return DeleteIdsResponse.getDefaultInstance();
        });
    }

    private static IdsDefinition message(String name, Map<String, Object> document) {
        return IdsDefinition.newBuilder()
                .setName(name)
                .setJson(Json.text(document))
                .build();
    }

    static String checked(String name) {
        Names.requireValid("ID name", name);
        if (name.indexOf('/') >= 0) {
            throw new IllegalArgumentException("An ID name must not contain a slash: " + name);
        }
        return name;
    }
}
