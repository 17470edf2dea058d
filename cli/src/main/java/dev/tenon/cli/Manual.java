package dev.tenon.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import picocli.AutoComplete;
import picocli.CommandLine;

/**
 * Manual pages and the completion script. The build writes them ({@link #main}) from what the commands say of
 * themselves, the server's options included, and puts them beside the classes; commands print what was written.
 */
final class Manual {
    /** The completion script, for bash and zsh. */
    static final String COMPLETION = "manual/tenon-completion.bash";

    private static final String SERVER = "dev.tenon.server.TenonServer";

    private Manual() {}

    /**
     * Writes all of it.
     *
     * @param args the folder of the classes; the moment of the build
     */
    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]).resolve("dev/tenon/cli/manual"));
        // picocli sorts options by the letters of the machine's language, and all machines are to write the same.
        Locale machine = Locale.getDefault();
        Locale.setDefault(Locale.ROOT);
        try {
            CommandLine all = everything();
            Files.writeString(folder.resolveSibling(COMPLETION), AutoComplete.bash("tenon", all));
            write(folder, all, args[1].substring(0, 10));
        } finally {
            Locale.setDefault(machine);
        }
    }

    private static void write(Path folder, CommandLine command, String date) throws IOException {
        ManPage page = new ManPage(command, date);
        Files.writeString(folder.resolve(page.name() + ".1"), page.text());
        for (CommandLine inner : command.getSubcommands().values()) {
            if (!inner.getCommandSpec().usageMessage().hidden()) {
                write(folder, inner, date);
            }
        }
    }

    /**
     * The command line as a user knows it. {@code tenon server} is another program, which the launcher chooses; it is
     * there where its class is, as it is in a build.
     */
    static CommandLine everything() {
        CommandLine all = TenonCli.line();
        try {
            CommandLine server = new CommandLine(Class.forName(SERVER)).setCommandName("server");
            all.addSubcommand("server", server);
        } catch (ClassNotFoundException e) {
            // Not in a build: the client's commands alone.
        }
        return all;
    }

    /** The file of a page; {@code lock-run} for {@code tenon lock run}, empty for {@code tenon}. */
    static String page(String command) {
        return "manual/tenon" + (command.isEmpty() ? "" : "-" + command) + ".1";
    }

    /** Whether there is such a page. */
    static boolean has(String command) {
        return Manual.class.getResource(page(command)) != null;
    }

    /** What the build has written. */
    static String included(String file) {
        try (InputStream in = Objects.requireNonNull(
                Manual.class.getResourceAsStream(file), () -> file + " is not in this build; build with Maven")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
