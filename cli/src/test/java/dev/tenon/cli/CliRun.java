package dev.tenon.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * One command, run in this process.
 *
 * @param exitCode how it ended
 * @param out what it printed
 * @param err what it complained of
 */
record CliRun(int exitCode, String out, String err) {
    static CliRun of(int port, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--server");
        all.add("http://127.0.0.1:" + port);
        return of(all.toArray(new String[0]));
    }

    static CliRun of(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = TenonCli.line().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        int exitCode = line.execute(arguments);
        return new CliRun(exitCode, out.toString(), err.toString());
    }

    JsonNode json() {
        return new JsonMapper().readTree(out);
    }
}
