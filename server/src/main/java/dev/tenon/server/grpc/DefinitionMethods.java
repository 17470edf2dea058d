package dev.tenon.server.grpc;

import static dev.tenon.server.grpc.GrpcMethod.unary;
import static dev.tenon.server.grpc.GrpcMethod.unaryFor;

import dev.tenon.Names;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.protocol.DefinitionsGrpc;
import dev.tenon.protocol.FindDefinitionResponse;
import dev.tenon.protocol.ListDefinitionsResponse;
import dev.tenon.protocol.PutDefinitionRequest;
import dev.tenon.protocol.PutDefinitionResponse;
import dev.tenon.protocol.RemoveDefinitionRequest;
import dev.tenon.protocol.RemoveDefinitionResponse;
import dev.tenon.protocol.ReplaceDefinitionResponse;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.ids.IdCatalog;
import dev.tenon.server.quota.DefinitionQuota;
import dev.tenon.server.service.IdCalls;
import java.util.List;
import java.util.Map;

/**
 * The service {@code tenon.v1.Definitions}: the texts of definitions, on threads that may block, without what the
 * server keeps in their store for itself (the keys of public IDs are secrets). What is stored is a definition that the
 * server can read.
 */
final class DefinitionMethods {
    private static final int PAGE_MAX = 100;

    private final IdCatalog ids;
    private final IdCalls calls;
    private final DefinitionQuota quota;

    DefinitionMethods(IdCatalog ids, IdCalls calls, DefinitionQuota quota) {
        this.quota = quota;
        this.ids = ids;
        this.calls = calls;
    }

    List<GrpcMethod<?, ?>> methods() {
        return List.of(
                unary(
                        DefinitionsGrpc.getFindMethod(),
                        Need.read(Scope.IDS),
                        q -> List.of(q.getName()),
                        q -> calls.stage(() -> {
                            FindDefinitionResponse.Builder answer = FindDefinitionResponse.newBuilder();
                            ids.text(checked(q.getName())).ifPresent(answer::setText);
                            return answer.build();
                        })),
                unaryFor(
                        DefinitionsGrpc.getPutIfAbsentMethod(),
                        Need.admin(Scope.IDS),
                        q -> List.of(q.getName()),
                        (q, who) -> calls.stage(() -> put(q, who))),
                unary(
                        DefinitionsGrpc.getReplaceMethod(),
                        Need.admin(Scope.IDS),
                        q -> List.of(q.getName()),
                        q -> calls.stage(() -> ReplaceDefinitionResponse.newBuilder()
                                .setReplaced(ids.replace(
                                        NamedIdMethods.checked(q.getName()),
                                        q.getBefore(),
                                        DefinitionStore.requireText(q.getText())))
                                .build())),
                unary(
                        DefinitionsGrpc.getRemoveMethod(),
                        Need.admin(Scope.IDS),
                        q -> List.of(q.getName()),
                        q -> calls.stage(() -> RemoveDefinitionResponse.newBuilder()
                                .setRemoved(removed(q))
                                .build())),
                unary(
                        DefinitionsGrpc.getListMethod(),
                        Need.read(Scope.IDS),
                        GrpcMethod::nameless,
                        q -> calls.stage(() -> page(q.getAfter()))));
    }

    private PutDefinitionResponse put(PutDefinitionRequest request, Caller who) {
        String name = NamedIdMethods.checked(request.getName());
        String text = DefinitionStore.requireText(request.getText());
        return PutDefinitionResponse.newBuilder()
                .setText(quota.using(
                        who.keyId(),
                        "ids " + name,
                        text.length(),
                        () -> ids.has(name),
                        () -> ids.putIfAbsent(name, text)))
                .build();
    }

    private boolean removed(RemoveDefinitionRequest request) {
        String name = checked(request.getName());
        boolean removed = ids.remove(name, request.getText());
        if (removed) {
            quota.gone("ids " + name);
        }
        return removed;
    }

    private ListDefinitionsResponse page(String after) {
        List<Map.Entry<String, String>> rest = ids.texts().entrySet().stream()
                .filter(one -> one.getKey().compareTo(after) > 0)
                .sorted(Map.Entry.comparingByKey())
                .limit(PAGE_MAX + 1L)
                .toList();
        boolean more = rest.size() > PAGE_MAX;
        ListDefinitionsResponse.Builder answer = ListDefinitionsResponse.newBuilder();
        for (Map.Entry<String, String> one : more ? rest.subList(0, PAGE_MAX) : rest) {
            answer.addDefinitions(ListDefinitionsResponse.One.newBuilder()
                    .setName(one.getKey())
                    .setText(one.getValue()));
        }
        if (more) {
            answer.setNext(rest.get(PAGE_MAX - 1).getKey());
        }
        return answer.build();
    }

    /** Before definitions were checked there could be names with a slash, which must be seen and removed. */
    static String checked(String name) {
        Names.requireValid("name", name);
        if (IdCatalog.isOwn(name)) {
            throw new IllegalArgumentException("Names that begin with a slash are reserved for the server");
        }
        return name;
    }
}
