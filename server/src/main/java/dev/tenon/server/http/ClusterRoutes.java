package dev.tenon.server.http;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.server.access.Audit;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.backend.ClusterAdmin;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.server.problem.QuotedText;
import dev.tenon.server.service.IdCalls;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code /v1/cluster}. */
final class ClusterRoutes {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterRoutes.class);

    private final Optional<ClusterAdmin> cluster;
    private final IdCalls calls;
    private final Audit audit;

    ClusterRoutes(Optional<ClusterAdmin> cluster, IdCalls calls, Audit audit) {
        this.cluster = cluster;
        this.calls = calls;
        this.audit = audit;
    }

    /** Body of a POST to {@code /v1/cluster/members}. */
    record MemberBody(@Nullable String name, @Nullable String address) {}

    /** Body of a POST to {@code /v1/cluster/leader}. */
    record LeaderBody(@Nullable String name) {}

    /** The cluster. */
    record ClusterDocument(
            String node,
            @Nullable String leader,
            long term,
            long applied,
            @Nullable Long snapshot,
            List<MemberDocument> members) {}

    /** A node. */
    record MemberDocument(
            String name,
            @Nullable String address,
            boolean leads,
            @Nullable Long committed,
            @Nullable String trouble) {}

    private interface Change {
        void run(ClusterAdmin members);
    }

    List<Route> routes() {
        return List.of(
                Route.read("/v1/cluster", Need.read(Scope.SERVER), this::show),
                Route.of("POST", "/v1/cluster/members", Need.admin(Scope.SERVER), this::add),
                Route.of("DELETE", "/v1/cluster/members", Need.admin(Scope.SERVER), this::remove),
                Route.of("POST", "/v1/cluster/leader", Need.admin(Scope.SERVER), this::lead));
    }

    private Future<RouteResponse> show(Exchange x) {
        x.query();
        return Future.succeededFuture(RouteResponse.ok(document(cluster.orElseThrow(ClusterRoutes::overAStore))));
    }

    private Future<RouteResponse> add(Exchange x) {
        x.query();
        MemberBody body = x.read(MemberBody.class);
        String name = required("name", body.name());
        String address = required("address", body.address());
        return changed(x, "adds node " + name + " at " + address, members -> members.add(name, address));
    }

    private Future<RouteResponse> remove(Exchange x) {
        String name = required("name", x.query("name").get("name"));
        ClusterAdmin members = members();
        requireMember(members, name);
        return changed(x, "removes node " + name, all -> all.remove(name));
    }

    private Future<RouteResponse> lead(Exchange x) {
        x.query();
        String name = required("name", x.read(LeaderBody.class).name());
        requireMember(members(), name);
        return changed(x, "makes node " + name + " the leader", all -> all.transfer(name));
    }

    private Future<RouteResponse> changed(Exchange x, String what, Change change) {
        ClusterAdmin members = members();
        String caller = x.caller();
        return calls.blocking(() -> {
            try {
                change.run(members);
            } catch (BackendUnavailableException | OutcomeUnknownException e) {
                throw e;
            } catch (TenonException e) {
                throw new ProblemException(
                        ProblemType.CLUSTER_UNCHANGED,
                        e.getMessage() + ". Nothing was changed. Look at ./tenon cluster status, and ask again.");
            }
            LOG.info("{} {}", caller, what);
            audit.tell("cluster-changed", caller, "", Map.of("change", what));
            return RouteResponse.ok(document(members));
        });
    }

    private ClusterAdmin members() {
        ClusterAdmin members = cluster.orElseThrow(ClusterRoutes::overAStore);
        if (!members.takesMembers()) {
            throw new ProblemException(
                    ProblemType.NO_CLUSTER,
                    "This server is one node and alone; it can have no others. Start each node of a new cluster with --node "
                            + "NAME --peers NAME=HOST:PORT,…, this one too.");
        }
        return members;
    }

    private static ProblemException overAStore() {
        return new ProblemException(
                ProblemType.NO_CLUSTER,
                "This server keeps everything in a store, and has no nodes of its own. Any number of servers may be over one "
                        + "store; look after the store's own nodes with its own tools.");
    }

    private static void requireMember(ClusterAdmin members, String name) {
        ClusterAdmin.View view = members.view();
        if (view.member(name).isEmpty()) {
            throw new ProblemException(
                    ProblemType.UNKNOWN_MEMBER,
                    "There is no node " + QuotedText.quoted(name) + "; the members are "
                            + view.members().stream()
                                    .map(ClusterAdmin.Member::name)
                                    .collect(Collectors.joining(", "))
                            + ".");
        }
    }

    private static String required(String field, @Nullable String value) {
        if (value == null || value.isEmpty()) {
            throw new ProblemException(ProblemType.BAD_REQUEST, "\"" + field + "\" is missing.");
        }
        return value;
    }

    private static ClusterDocument document(ClusterAdmin members) {
        ClusterAdmin.View view = members.view();
        return new ClusterDocument(
                view.node(),
                view.leader().orElse(null),
                view.term(),
                view.applied(),
                view.snapshot().isPresent() ? view.snapshot().getAsLong() : null,
                view.members().stream()
                        .map(m -> new MemberDocument(
                                m.name(),
                                m.address().isEmpty() ? null : m.address(),
                                view.leader().filter(m.name()::equals).isPresent(),
                                m.committed().isPresent() ? m.committed().getAsLong() : null,
                                m.trouble().orElse(null)))
                        .toList());
    }
}
