package dev.tenon.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code tenon lock who}. */
@Command(name = "who", description = "Says who holds a lock and who waits for it.", mixinStandardHelpOptions = true)
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

    private void print(JsonNode lock, PrintWriter out) {
        JsonNode holder = lock.path("holder");
        if (lock.path("held").asBoolean(false)) {
            out.println(name + " is held by " + holder.path("owner").asString() + " under token "
                    + holder.path("token").asString() + " since "
                    + holder.path("since").asString() + ", for another "
                    + holder.path("leaseLeft").asString() + " unless renewed");
        } else {
            out.println(name + " is free");
        }
        int place = 0;
        for (JsonNode waiter : lock.path("queue")) {
            place++;
            out.println("waiting " + place + ": " + waiter.path("owner").asString() + " since "
                    + waiter.path("since").asString() + ", for another "
                    + waiter.path("waitLeft").asString() + " at most");
        }
        out.flush();
    }
}
