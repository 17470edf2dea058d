package dev.tenon.examples.flashsale;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The other end of a {@link ShopProcess}. Not thread-safe. */
final class ForkedShop implements AutoCloseable {
    private final Process process;
    private final PrintWriter orders;
    private final BufferedReader answers;

    private ForkedShop(Process process) {
        this.process = process;
        this.orders = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
        this.answers = process.inputReader(StandardCharsets.UTF_8);
    }

    static ForkedShop start(Path stock) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> small = List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
        List<String> program =
                List.of("-cp", System.getProperty("java.class.path"), ShopProcess.class.getName(), stock.toString());
        ProcessBuilder builder = new ProcessBuilder(java).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.command().addAll(small);
        builder.command().addAll(program);
        return new ForkedShop(builder.start());
    }

    /** Connects the shop; returns when it is ready to sell. */
    void open(SaleBackend backend) throws IOException {
        orders.println(backend.kind() + " " + backend.uri());
        answer();
    }

    /** Starts selling, and does not wait. */
    void sell() {
        orders.println("sell");
    }

    /** Waits until it has sold; returns how many items. */
    int sold() throws IOException {
        return Integer.parseInt(answer());
    }

    /** Waits until it has disconnected. */
    void awaitClosed() throws IOException {
        answer();
    }

    private String answer() throws IOException {
        String line = answers.readLine();
        if (line == null) {
            throw new IOException("A shop has failed: " + process);
        }
        return line;
    }

    /** Ends the process. */
    @Override
    public void close() {
        orders.close();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
