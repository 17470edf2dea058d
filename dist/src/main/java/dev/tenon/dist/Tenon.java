package dev.tenon.dist;

import dev.tenon.cli.TenonCli;
import dev.tenon.server.TenonKey;
import dev.tenon.server.TenonRestore;
import dev.tenon.server.TenonServer;
import java.util.Arrays;

/** What {@code java -jar} runs: the server and the command line behind one name, as {@code bin/tenon} has them. */
public final class Tenon {
    private Tenon() {}

    /**
     * Runs the program that the first word names with the words after it; the process ends with that program's exit
     * code.
     */
    public static void main(String[] args) {
        String program = args.length == 0 ? "" : args[0];
        String[] rest = Arrays.copyOfRange(args, Math.min(1, args.length), args.length);
        switch (program) {
            case "server" -> TenonServer.main(rest);
            case "restore" -> TenonRestore.main(rest);
            case "key" -> TenonKey.main(rest);
            default -> TenonCli.main(args);
        }
    }
}
