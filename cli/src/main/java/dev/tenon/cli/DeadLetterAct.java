package dev.tenon.cli;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is done to dead letters.
 *
 * @param server asked to do it
 * @param word {@code replay} or {@code discard}
 * @param reason why
 */
record DeadLetterAct(ServerOptions server, String word, String reason) {
    private static final int PAGE = 100;

    /** Refuses a command line that does not say clearly which ones are meant. */
    void require(CommandSpec spec, List<Long> numbers, boolean all, OutboxFilter filter) {
        if (numbers.isEmpty() != all) {
            throw new ParameterException(
                    spec.commandLine(), "Give the numbers of the dead letters, or --all (with --target, for example).");
        }
        if (!all && filter.isGiven()) {
            throw new ParameterException(spec.commandLine(), "--target, --message-key and --type go with --all.");
        }
    }

    /** Does it to these, one after the other. */
    int on(List<Long> numbers) {
        List<Long> done = new ArrayList<>();
        for (long number : numbers) {
            server.client()
                    .send(
                            "POST",
                            "/v1/outbox/dead-letters/" + number + "/" + word,
                            Map.of("reason", reason),
                            ServerClient.TIMEOUT);
            done.add(number);
        }
        return print(done);
    }

    /** Does it to all that are meant, page by page. */
    int onAll(OutboxName outbox, OutboxFilter filter) {
        List<Long> done = new ArrayList<>();
        Map<String, Object> body = new HashMap<>(filter.fields());
        body.putAll(Map.of("outbox", outbox.name(), "limit", PAGE, "reason", reason, "after", 0L));
        boolean more = true;
        while (more) {
            JsonNode answer =
                    server.client().send("POST", "/v1/outbox/dead-letters/" + word, body, ServerClient.TIMEOUT);
            answer.path("numbers").forEach(number -> done.add(number.asLong()));
            more = answer.hasNonNull("next");
            body.put("after", answer.path("next").asLong(0));
        }
        return print(done);
    }

    private int print(List<Long> done) {
        ObjectNode document = new JsonMapper().createObjectNode();
        done.forEach(document.putArray("numbers")::add);
        if (!server.printed(document)) {
            String past = word.equals("replay") ? "replayed" : "discarded";
            server.out()
                    .println(
                            done.size() == 1
                                    ? "Message " + done.get(0) + " is " + past + "."
                                    : done.size() + " messages are " + past + ".");
            server.out().flush();
        }
        return ExitCode.OK.code();
    }
}
