package dev.tenon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code tenon lock who}. */
@Command(
        name = "who",
        description = "Shows the holders of a lock and those that wait for it.",
        mixinStandardHelpOptions = true)
final class LockWhoCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "NAME", description = "The lock.")
    private String name = "";

    @Override
    public Integer call() {
        JsonNode lock = server.client().fetch("/v1/locks/" + ServerClient.segment(name));
        if (!server.printed(lock)) {
            print(lock, server.out());
        }
        return ExitCode.OK.code();
    }

    private void print(JsonNode lock, Lines out) {
        for (JsonNode holder : lock.path("holders")) {
            out.println(name + " is held by " + holder.path("owner").asString() + how(holder) + " under token "
                    + holder.path("token").asString() + " since "
                    + holder.path("since").asString() + ", for another "
                    + holder.path("leaseLeft").asString() + " unless renewed" + wanted(holder));
        }
        if (lock.path("holders").isEmpty()) {
            out.println(name + " is free");
        }
        int place = 0;
        for (JsonNode waiter : lock.path("queue")) {
            place++;
            out.println("waiting " + place + ": " + waiter.path("owner").asString() + how(waiter) + " since "
                    + waiter.path("since").asString() + ", for another "
                    + waiter.path("waitLeft").asString() + " at most");
        }
        out.flush();
    }

    private static String wanted(JsonNode holder) {
        String by = holder.path("revokedBy").asString("");
        return by.isEmpty() ? "" : "; asked back by " + by;
    }

    /** The mode, unless it is the one that goes without saying. */
    private static String how(JsonNode holder) {
        String mode = holder.path("mode").asString("exclusive");
        return switch (mode) {
            case "exclusive" -> "";
            case "permits" -> " (" + holder.path("permits").asString() + " permits)";
            default -> " (" + mode + ")";
        };
    }
}
