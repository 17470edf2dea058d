package dev.tenon.benchmarks;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/**
 * What Spring Boot starters add to an application: jars, and work at its start. Run by scripts/starter-cost, as a
 * source file: it stands on the JDK alone.
 */
final class StarterCost {
    private static final String MARK = "<!-- below: written by scripts/starter-cost -->";

    /** The applications, those that are compared beside each other. */
    private enum Application {
        BARE("Spring Boot alone"),
        TENON_IDS(
                "Tenon",
                BARE,
                "--tenon.backend=none",
                "--tenon.ids.order.kind=snowflake",
                "--tenon.ids.order.worker-id=1",
                "--expected=dev.tenon.id.IdGenerator"),
        COSID(
                "CosId",
                BARE,
                "--cosid.namespace=shop",
                "--cosid.machine.enabled=true",
                "--cosid.machine.distributor.type=manual",
                "--cosid.machine.distributor.manual.machine-id=1",
                "--cosid.snowflake.enabled=true",
                "--expected=me.ahoo.cosid.provider.IdGeneratorProvider"),
        TENON_REDIS(
                "Tenon, `tenon-redis`",
                BARE,
                "--tenon.redis.uri=redis://127.0.0.1:${redis}",
                "--expected=dev.tenon.lock.Locks"),
        REDISSON("Redisson", BARE, "--spring.data.redis.port=${redis}", "--expected=org.redisson.api.RedissonClient"),
        DATABASE("Spring Boot with a `DataSource`", "--spring.datasource.url=jdbc:h2:mem:shop"),
        TENON_JDBC(
                "Tenon, `tenon-jdbc`",
                DATABASE,
                "--spring.datasource.url=jdbc:h2:mem:shop",
                "--tenon.jdbc.allow-in-memory-database=true",
                "--spring.application.name=shop",
                "--expected=dev.tenon.tx.tcc.Tcc"),
        SEATA(
                "Seata",
                DATABASE,
                "--spring.datasource.url=jdbc:h2:mem:shop",
                "--spring.application.name=shop",
                "--seata.enable-auto-data-source-proxy=false",
                "--seata.tx-service-group=shop",
                "--seata.service.vgroup-mapping.shop=default",
                "--seata.service.grouplist.default=127.0.0.1:1",
                "--seata.transport.enable-tm-client-channel-check-fail-fast=false",
                "--seata.transport.enable-rm-client-channel-check-fail-fast=false",
                "--expected=org.apache.seata.spring.annotation.GlobalTransactionScanner");

        final String title;
        private final Application without;
        private final List<String> settings;

        Application(String title, String... settings) {
            this.title = title;
            this.without = this;
            this.settings = List.of(settings);
        }

        Application(String title, Application without, String... settings) {
            this.title = title;
            this.without = without;
            this.settings = List.of(settings);
        }

        String profile() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * What an application said of its start: until it was up, the processor time of its JVM until then, and what there
     * was then.
     */
    private record Start(long millis, long cpuMillis, long classes, long beans, long threads) {}

    private final Path work;
    private final int redis;
    private final Map<Application, List<Start>> starts = new EnumMap<>(Application.class);

    private StarterCost(Path work, int redis) {
        this.work = work;
        this.redis = redis;
    }

    /** The folder of the class paths and classes, the page, and how often each is started. */
    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[2]);
        int port = freePort();
        Process server = new ProcessBuilder(
                        "redis-server", "--port", "" + port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(server::destroyForcibly));
        StarterCost cost = new StarterCost(Path.of(args[0]), port);
        for (int round = 0; round <= rounds; round++) {
            for (Application application : Application.values()) {
                Start start = cost.start(application);
                if (round > 0) { // the first one is for the disk
                    cost.starts
                            .computeIfAbsent(application, first -> new ArrayList<>())
                            .add(start);
                }
            }
        }
        cost.write(Path.of(args[1]), rounds);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Start start(Application application) throws Exception {
        String main = application == Application.TENON_JDBC ? "starters.TenonTccApplication" : "starters.Application";
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-cp",
                work.resolve("classes") + File.pathSeparator + classPath(application),
                main,
                "--spring.main.banner-mode=off",
                "--logging.level.root=error"));
        application.settings.forEach(setting -> command.add(setting.replace("${redis}", "" + redis)));
        Path out = work.resolve(application.profile() + ".out");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        if (!process.waitFor(5, TimeUnit.MINUTES)) {
            process.destroyForcibly();
        }
        String said = Files.readString(out, StandardCharsets.UTF_8);
        long[] figures = said.lines()
                .filter(line -> line.startsWith("STARTED "))
                .flatMap(line -> Arrays.stream(line.split(" ")).skip(1))
                .mapToLong(Long::parseLong)
                .toArray();
        if (figures.length != 5) {
            throw new IllegalStateException(application + " did not start:\n" + said);
        }
        return new Start(figures[0], figures[1], figures[2], figures[3], figures[4]);
    }

    private String classPath(Application application) throws IOException {
        return Files.readString(work.resolve(application.profile() + ".classpath"))
                .strip();
    }

    /** The jars that are not there without the starter, the largest first. */
    private List<Path> added(Application application) throws IOException {
        Set<String> without = new TreeSet<>();
        for (String jar : classPath(application.without).split(File.pathSeparator)) {
            without.add(new File(jar).getName());
        }
        List<Path> added = new ArrayList<>();
        for (String jar : classPath(application).split(File.pathSeparator)) {
            if (!without.contains(new File(jar).getName())) {
                added.add(Path.of(jar));
            }
        }
        added.sort(Comparator.comparingLong(StarterCost::size).reversed());
        return added;
    }

    private static long size(Path jar) {
        return jar.toFile().length();
    }

    private void write(Path page, int rounds) throws IOException {
        StringBuilder text = new StringBuilder(MARK).append("\n\n");
        text.append("Run on ").append(LocalDate.now()).append(", on ");
        text.append(Runtime.getRuntime().availableProcessors()).append(" cores that are shared with others, with JDK ");
        text.append(System.getProperty("java.version"))
                .append(": the median of ")
                .append(rounds);
        text.append(" starts of each, in turns.\n\n");
        table(text, "IDs, with a fixed worker ID", Application.TENON_IDS, Application.COSID);
        table(text, "Locks on Redis", Application.TENON_REDIS, Application.REDISSON);
        table(text, "Transactions, with a database in memory", Application.TENON_JDBC, Application.SEATA);
        text.append("## The jars\n");
        for (Application application : Application.values()) {
            if (application.without != application) {
                jars(text, application);
            }
        }
        String prose = Files.readString(page).split(MARK, 2)[0];
        Files.writeString(page, prose + text);
    }

    private void table(StringBuilder text, String title, Application tenon, Application other) throws IOException {
        text.append("### ").append(title).append("\n\n");
        text.append("| | jars added | MB added | start | processor time | classes | beans | threads |\n");
        text.append("|---|--:|--:|--:|--:|--:|--:|--:|\n");
        for (Application application : List.of(tenon.without, tenon, other)) {
            List<Path> added = added(application);
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %d | %.1f | %.2f s | %.2f s | %d | %d | %d |%n",
                    application.title,
                    added.size(),
                    added.stream().mapToLong(StarterCost::size).sum() / 1e6,
                    median(application, Start::millis) / 1e3,
                    median(application, Start::cpuMillis) / 1e3,
                    median(application, Start::classes),
                    median(application, Start::beans),
                    median(application, Start::threads)));
        }
        text.append('\n');
    }

    private long median(Application application, ToLongFunction<Start> figure) {
        long[] all = Objects.requireNonNull(starts.get(application)).stream()
                .mapToLong(figure)
                .sorted()
                .toArray();
        return all[(all.length - 1) / 2];
    }

    private void jars(StringBuilder text, Application application) throws IOException {
        List<String> names = new ArrayList<>();
        for (Path jar : added(application)) {
            names.add(jar.toFile().getName() + " " + (size(jar) + 999) / 1000 + " kB");
        }
        text.append("\n**").append(application.title).append("**, beside ");
        text.append(application.without.title).append(": ");
        text.append(String.join(", ", names)).append(".\n");
    }
}
