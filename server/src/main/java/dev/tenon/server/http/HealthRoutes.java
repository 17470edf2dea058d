package dev.tenon.server.http;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Need;
import dev.tenon.server.backend.ClusterAdmin;
import dev.tenon.server.ids.IdCatalog;
import dev.tenon.server.ids.IdCodes;
import dev.tenon.server.ids.NamedGenerator;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.server.problem.QuotedText;
import dev.tenon.server.service.IdCalls;
import dev.tenon.server.service.NodeServices;
import dev.tenon.server.service.Readiness;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * {@code /healthz}: the process answers; it would be wrong to restart it. {@code /readyz}: its store answers too, and
 * has not gone back.
 */
final class HealthRoutes {
    private static final long READY_TIMEOUT_MILLIS = 2_000;

    private final LockStore store;
    private final IdCatalog ids;
    private final IdCodes codes;
    private final Readiness readiness;
    private final IdCalls calls;
    private final Optional<ClusterAdmin> cluster;

    HealthRoutes(NodeServices services, IdCalls calls) {
        this.store = services.backend().lockStore();
        this.ids = services.ids();
        this.codes = services.codes();
        this.readiness = services.readiness();
        this.calls = calls;
        this.cluster = services.backend().cluster().filter(ClusterAdmin::takesMembers);
    }

    private String unready() {
        return cluster.map(nodes -> nodes.view()
                        .trouble()
                        .map(trouble -> "This node can't serve requests: " + trouble + ".")
                        .orElse("This node can't reach a majority of the cluster, or is still catching up; use "
                                + "another node, or retry later."))
                .orElse("The store does not answer; try again later.");
    }

    List<Route> routes() {
        return List.of(
                Route.read("/healthz", Need.NOTHING, this::healthy), Route.read("/readyz", Need.NOTHING, this::ready));
    }

    private Future<RouteResponse> healthy(Exchange x) {
        List<String> suspects = new ArrayList<>(ids.maybeRegressed());
        codes.regressions().forEach(code -> suspects.add(code.name()));
        suspects.removeIf(name -> !x.who().sees(name));
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("status", "up");
        if (!suspects.isEmpty()) {
            document.put("regressed", suspects);
        }
        putSeen(document, "forgotten", ids.forgotten().lately(), x.who());
        return Future.succeededFuture(RouteResponse.ok(document));
    }

    private Future<RouteResponse> ready(Exchange x) {
        if (readiness.isLeaving()) {
            throw new ProblemException(ProblemType.STOPPING, "This server is about to stop: use another one.");
        }
        return Future.fromCompletionStage(store.inspect("tenon-ready")
                        .toCompletableFuture()
                        .copy()
                        .orTimeout(READY_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS))
                .compose(v -> ids.maybeRegressed().isEmpty()
                        ? Future.succeededFuture(List.<NamedGenerator.Regression>of())
                        : calls.blocking(ids::regressions))
                .recover(e -> Future.failedFuture(new ProblemException(ProblemType.STORE_UNAVAILABLE, unready())))
                .map(regressions -> answered(regressions, x.who()));
    }

    private RouteResponse answered(List<NamedGenerator.Regression> regressions, Caller who) {
        if (regressions.isEmpty()) {
            requireNoRegression(codes.regressions(), who);
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("status", "ready");
            putSeen(document, "waiting", ids.forgotten().waiting(), who);
            putSeen(document, "forgotten", ids.forgotten().lately(), who);
            return RouteResponse.ok(document);
        }
        NamedGenerator.Regression first = regressions.get(0);
        throw regressed(
                regressions,
                first.detail() + ". Repair it: ./tenon id raise " + QuotedText.quoted(first.name()) + ".",
                who);
    }

    /** What there is to say of names that the caller may see. */
    private static void putSeen(Map<String, Object> document, String member, Map<String, String> said, Caller who) {
        Map<String, String> seen = new LinkedHashMap<>(said);
        seen.keySet().removeIf(name -> !who.sees(name));
        if (!seen.isEmpty()) {
            document.put(member, seen);
        }
    }

    private static void requireNoRegression(List<NamedGenerator.Regression> ofCodes, Caller who) {
        if (!ofCodes.isEmpty()) {
            throw regressed(ofCodes, ofCodes.get(0).detail() + ".", who);
        }
    }

    private static ProblemException regressed(List<NamedGenerator.Regression> all, String detail, Caller who) {
        if (!who.sees(all.get(0).name())) {
            return new ProblemException(
                    ProblemType.SEQUENCE_REGRESSED, "The store has gone back. Details need an API key.");
        }
        return new ProblemException(
                ProblemType.SEQUENCE_REGRESSED,
                detail,
                Map.of(
                        "names",
                        all.stream()
                                .map(NamedGenerator.Regression::name)
                                .filter(who::sees)
                                .toList()));
    }
}
