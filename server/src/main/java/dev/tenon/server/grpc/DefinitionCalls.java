package dev.tenon.server.grpc;

import static dev.tenon.server.grpc.GrpcMethod.unary;
import static dev.tenon.server.grpc.GrpcMethod.unaryFor;

import dev.tenon.Names;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.protocol.DefinitionsGrpc;
import dev.tenon.protocol.FindDefinitionResponse;
import dev.tenon.protocol.ListDefinitionsResponse;
import dev.tenon.protocol.PutDefinitionResponse;
import dev.tenon.server.ServerBackend;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.http.IdCalls;
import dev.tenon.server.quota.DefinitionQuota;
import java.util.List;
import java.util.Map;

/**
 * The service {@code tenon.v1.Definitions}: the store of definitions, on threads that may block, without what the server keeps
 * there for itself (the keys of public IDs are secrets).
 */
final class DefinitionCalls {
    /** What the server's own names begin with, and no name of IDs. */
    private static final String OWN = "/";

    private static final int PAGE_MAX = 100;

    private final DefinitionStore definitions;
    private final IdCalls calls;
    private final DefinitionQuota quota;

    DefinitionCalls(ServerBackend backend, IdCalls calls, DefinitionQuota quota) {
        this.quota = quota;
        this.definitions = backend.definitions();
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
                            definitions.find(checked(q.getName())).ifPresent(answer::setText);
                            return answer.build();
                        })),
                unaryFor(
                        DefinitionsGrpc.getPutIfAbsentMethod(),
                        Need.admin(Scope.IDS),
                        q -> List.of(q.getName()),
                        (q, who) -> calls.stage(() -> PutDefinitionResponse.newBuilder()
                                .setText(put(checked(q.getName()), DefinitionStore.requireText(q.getText()), who))
                                .build())),
                unary(
                        DefinitionsGrpc.getListMethod(),
                        Need.read(Scope.IDS),
                        GrpcMethod::nameless,
                        q -> calls.stage(() -> page(q.getAfter()))));
    }

    private String put(String name, String text, Caller who) {
        return quota.using(
                who.keyId(),
                "ids " + name,
                text.length(),
                () -> definitions.find(name).isPresent(),
                () -> definitions.putIfAbsent(name, text));
    }

    private ListDefinitionsResponse page(String after) {
        List<Map.Entry<String, String>> rest = definitions.all().entrySet().stream()
                .filter(one -> !one.getKey().startsWith(OWN) && one.getKey().compareTo(after) > 0)
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

    private static String checked(String name) {
        Names.requireValid("name", name);
        if (name.startsWith(OWN)) {
            throw new IllegalArgumentException("Names that begin with \"" + OWN + "\" are the server's own");
        }
        return name;
    }
}
