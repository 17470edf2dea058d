package dev.tenon.server.tx;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tenon.server.json.Json;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.Operation;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.http.HttpParticipants;
import dev.tenon.tx.http.HttpTargets;
import dev.tenon.tx.notify.WebhookSecrets;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * A transaction as a client describes it in JSON, made into a draft; what is wrong with it is named by its field.
 * Immutable.
 */
final class TransactionFormat {
    /** The branch that is the question to a message's sender. */
    static final String CHECK_BACK = "check-back";

    /** What the body of a notification's one branch is called. */
    private static final String NOTIFY = "notify";

    private static final Duration DEADLINE = Duration.ofSeconds(30);

    /** As long as a day, then an operator is asked. */
    private static final RetryPolicy RETRY = RetryPolicy.FOR_EVER.upTo(300);

    private final HttpTargets targets;
    private final WebhookSecrets secrets;

    /**
     * @param targets which participants may be named
     * @param secrets which secrets may be named
     */
    TransactionFormat(HttpTargets targets, WebhookSecrets secrets) {
        this.targets = targets;
        this.secrets = secrets;
    }

    private record SagaBody(
            @Nullable String gid,
            @Nullable String kind,
            @Nullable String deadline,
            @JsonProperty("wait") @Nullable Boolean waits,
            @Nullable List<@Nullable StepBody> steps) {}

    private record StepBody(
            @Nullable String name,
            @Nullable List<String> after,
            @Nullable String action,
            @Nullable String compensate,
            @Nullable Boolean pivot,
            @Nullable JsonNode payload) {}

    private record TccBody(
            @Nullable String gid,
            @Nullable String kind,
            @Nullable String deadline,
            @JsonProperty("wait") @Nullable Boolean waits,
            @Nullable List<@Nullable BranchBody> branches) {}

    private record BranchBody(
            @Nullable String name,
            @JsonProperty("try") @Nullable String tries,
            @Nullable String confirm,
            @Nullable String cancel,
            @Nullable JsonNode payload) {}

    private record MessageBody(
            @Nullable String gid,
            @Nullable String kind,
            @Nullable String deadline,
            @JsonProperty("wait") @Nullable Boolean waits,
            @Nullable String checkBack,
            @Nullable Boolean prepared,
            @JsonProperty("targets") @Nullable List<@Nullable TargetBody> receivers) {}

    private record TargetBody(
            @Nullable String name,
            @Nullable String url,
            @Nullable JsonNode payload) {}

    private record NotifyBody(
            @Nullable String gid,
            @Nullable String kind,
            @Nullable String deadline,
            @JsonProperty("wait") @Nullable Boolean waits,
            @Nullable String url,
            @Nullable JsonNode payload,
            @Nullable ScheduleBody schedule,
            @Nullable String secret) {}

    private record ScheduleBody(
            @Nullable String first,
            @Nullable Double factor,
            @Nullable String cap,
            @Nullable String age) {}

    /**
     * Reads a description.
     *
     * @param fresh an ID for a transaction that brings none
     * @throws ProblemException if it describes none
     */
    TransactionRequest read(JsonNode body, Supplier<TransactionId> fresh) {
        String kind = body.path("kind").isString() ? body.path("kind").asString() : "";
        try {
            return switch (kind) {
                case "saga" -> saga(Json.convert(body, SagaBody.class), fresh);
                case "tcc" -> tcc(Json.convert(body, TccBody.class), fresh);
                case "message" -> message(Json.convert(body, MessageBody.class), fresh);
                case "notify" -> notification(Json.convert(body, NotifyBody.class), fresh);
                case "xa", "at" ->
                    throw TransactionFields.wrong(
                            "kind",
                            "\"" + kind
                                    + "\" works on connections to databases, which only a Java process has: begin it "
                                    + "there (docs/transactions); over HTTP there are saga, tcc, message and notify");
                default ->
                    throw TransactionFields.wrong("kind", "it must be \"saga\", \"tcc\", \"message\" or \"notify\"");
            };
        } catch (JacksonException e) {
            throw new ProblemException(ProblemType.MALFORMED_JSON, Json.explain(e));
        }
    }

    private TransactionRequest saga(SagaBody body, Supplier<TransactionId> fresh) {
        List<BranchRecord> steps = new ArrayList<>();
        List<String> before = List.of();
        for (TransactionFields.Item<StepBody> item : TransactionFields.items("steps", body.steps())) {
            StepBody step = item.value();
            String name = TransactionFields.branchName(item.field("name"), step.name());
            Map<Operation, String> calls = new EnumMap<>(Operation.class);
            calls.put(Operation.ACTION, target(item.field("action"), step.action()));
            optional(item.field("compensate"), step.compensate(), Operation.COMPENSATE, calls);
            BranchRecord branch = BranchRecord.planned(name, calls, payload(step.payload()))
                    .after(step.after() == null ? before : TransactionFields.names(item.field("after"), step.after()));
            steps.add(Boolean.TRUE.equals(step.pivot()) ? branch.asPivot() : branch);
            before = List.of(name);
        }
        return asked(
                TransactionKind.SAGA,
                new Head(body.gid(), body.waits(), fresh),
                new Terms(TransactionState.ACTIVE, deadline(body.deadline()), RETRY),
                steps);
    }

    private TransactionRequest tcc(TccBody body, Supplier<TransactionId> fresh) {
        List<BranchRecord> branches = new ArrayList<>();
        for (TransactionFields.Item<BranchBody> item : TransactionFields.items("branches", body.branches())) {
            BranchBody given = item.value();
            String name = TransactionFields.branchName(item.field("name"), given.name());
            Map<Operation, String> calls = new EnumMap<>(Operation.class);
            optional(item.field("try"), given.tries(), Operation.TRY, calls);
            calls.put(Operation.CONFIRM, target(item.field("confirm"), given.confirm()));
            calls.put(Operation.CANCEL, target(item.field("cancel"), given.cancel()));
            BranchRecord branch = BranchRecord.planned(name, calls, payload(given.payload()));
            // Who tries it himself may do so from now on: then it is to be confirmed, or cancelled, whatever comes.
            branches.add(calls.containsKey(Operation.TRY) ? branch : branch.afresh(BranchState.CALLED));
        }
        return asked(
                TransactionKind.TCC,
                new Head(body.gid(), body.waits(), fresh),
                new Terms(TransactionState.ACTIVE, deadline(body.deadline()), RETRY),
                branches);
    }

    private TransactionRequest message(MessageBody body, Supplier<TransactionId> fresh) {
        boolean prepared = Boolean.TRUE.equals(body.prepared());
        List<BranchRecord> branches = new ArrayList<>();
        for (TransactionFields.Item<TargetBody> item : TransactionFields.items("targets", body.receivers())) {
            TargetBody given = item.value();
            String name = TransactionFields.branchName(item.field("name"), given.name());
            if (name.equals(CHECK_BACK)) {
                throw TransactionFields.wrong(
                        item.field("name"), "\"" + CHECK_BACK + "\" is reserved for the check-back");
            }
            String url = target(item.field("url"), given.url());
            branches.add(BranchRecord.planned(name, Map.of(Operation.DELIVER, url), payload(given.payload())));
        }
        if (body.checkBack() != null) {
            if (!prepared) {
                throw TransactionFields.wrong(
                        "checkBack", "only a prepared message has a check-back: add \"prepared\":true");
            }
            String url = target("checkBack", body.checkBack());
            branches.add(BranchRecord.planned(CHECK_BACK, Map.of(Operation.CHECK, url), ""));
        }
        TransactionState state = prepared ? TransactionState.ACTIVE : TransactionState.COMMITTING;
        return asked(
                TransactionKind.MESSAGE,
                new Head(body.gid(), body.waits(), fresh),
                new Terms(state, deadline(body.deadline()), RETRY),
                branches);
    }

    private TransactionRequest notification(NotifyBody body, Supplier<TransactionId> fresh) {
        ScheduleBody schedule = body.schedule() == null ? new ScheduleBody(null, null, null, null) : body.schedule();
        Duration first = TransactionFields.duration("schedule.first", schedule.first(), Duration.ofSeconds(1));
        Duration cap = TransactionFields.duration("schedule.cap", schedule.cap(), Duration.ofHours(1));
        if (body.deadline() != null && schedule.age() != null) {
            throw TransactionFields.wrong(
                    "deadline", "it means the same as the \"age\" of the schedule: give one of the two");
        }
        Duration age = body.deadline() == null
                ? TransactionFields.duration("schedule.age", schedule.age(), Duration.ofDays(1))
                : deadline(body.deadline());
        double factor = schedule.factor() == null ? 2 : schedule.factor();
        RetryPolicy retry =
                TransactionFields.checked("schedule", () -> new RetryPolicy(first, factor, cap, OptionalInt.empty()));
        String url = signed(target("url", body.url()), body.secret());
        return asked(
                TransactionKind.NOTIFY,
                new Head(body.gid(), body.waits(), fresh),
                new Terms(TransactionState.ACTIVE, age, retry),
                List.of(BranchRecord.planned(NOTIFY, Map.of(Operation.NOTIFY, url), payload(body.payload()))));
    }

    /** What a kind says of the whole transaction. */
    private record Terms(TransactionState state, Duration deadline, RetryPolicy retry) {}

    private record Head(@Nullable String gid, @Nullable Boolean waits, Supplier<TransactionId> fresh) {}

    private static TransactionRequest asked(TransactionKind kind, Head head, Terms terms, List<BranchRecord> branches) {
        TransactionId id = head.gid() == null ? head.fresh().get() : TransactionFields.gid(head.gid());
        TransactionDraft draft = TransactionFields.checked(
                "",
                () -> new TransactionDraft(
                        id,
                        kind,
                        TransactionService.SERVICE,
                        "",
                        "",
                        Optional.empty(),
                        terms.state(),
                        terms.deadline(),
                        terms.retry(),
                        branches));
        return new TransactionRequest(draft, Boolean.TRUE.equals(head.waits()));
    }

    private static Duration deadline(@Nullable String text) {
        return TransactionFields.duration("deadline", text, DEADLINE);
    }

    private String signed(String url, @Nullable String secret) {
        if (secret == null) {
            return url;
        }
        if (HttpTargets.isGrpc(url)) {
            throw TransactionFields.wrong("secret", "it signs headers of HTTP; leave it out for " + url);
        }
        String target = TransactionFields.checked("secret", () -> HttpParticipants.signed(url, secret));
        if (targets.secret(URI.create(url)).isPresent()) {
            throw TransactionFields.wrong("secret", "calls to that address are signed by --sign-calls; leave it out");
        }
        if (secrets.find(secret).isEmpty() || targets.areSignedWith(secret)) {
            // Does not repeat it: who takes this for the secret itself has sent one.
            throw TransactionFields.wrong(
                    "secret", "this server has no secret of that name for notifications (--webhook-secrets)");
        }
        return target;
    }

    private static String payload(@Nullable JsonNode payload) {
        return payload == null ? "" : Json.text(payload);
    }

    private void optional(String field, @Nullable String url, Operation operation, Map<Operation, String> calls) {
        if (url != null) {
            calls.put(operation, target(field, url));
        }
    }

    private String target(String field, @Nullable String url) {
        return TransactionFields.checked(field, () -> targets.require(TransactionFields.required(field, url)))
                .toString();
    }
}
