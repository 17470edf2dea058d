package dev.tenon.benchmarks;

import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.RedisServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.openjdk.jmh.runner.RunnerException;

/** Runs every measure against every peer, and writes the page and the plot. */
public final class Benchmarks {
    private final Plan plan;
    private final Report report = new Report();

    private Benchmarks(Plan plan) {
        this.plan = plan;
    }

    /** The argument is the folder of the docs. */
    public static void main(String[] args) throws Exception {
        Path docs = Path.of(args[0]);
        run(Plan.FULL).writeTo(docs.resolve("benchmarks.md"), docs.resolve("benchmarks.svg"));
        System.exit(0); // some peers leave threads behind
    }

    static Report run(Plan plan) throws Exception {
        Benchmarks all = new Benchmarks(plan);
        all.ids();
        try (RedisServer server = RedisServer.start()) {
            all.lockPairs(server);
            all.lockRoundTrips(server);
        }
        return all.report;
    }

    private void ids() throws RunnerException {
        report.ids(new IdRates(plan.forks(), plan.idRun()).run(plan.idThreads(), plan.idRounds()));
    }

    private void lockPairs(RedisServer server) throws InterruptedException {
        String uri = server.address().uri();
        List<LockContender> contenders = new ArrayList<>();
        try {
            for (Function<String, LockContender> library : libraries()) {
                contenders.add(library.apply(uri));
            }
            LockPairs pairs = new LockPairs(contenders, plan.lockRun());
            for (int threads : plan.lockThreads()) {
                report.pairs(threads, pairs.run(threads, plan.lockRounds()));
            }
        } finally {
            contenders.forEach(LockContender::close);
        }
    }

    private void lockRoundTrips(RedisServer server) throws Exception {
        try (FaultProxy proxy = FaultProxy.to(server.address().socket())) {
            String uri = server.address().at(proxy.address()).uri();
            LockRoundTrips trips = new LockRoundTrips(proxy, plan.lockRounds());
            List<LockRoundTrips.Count> counts = new ArrayList<>();
            for (Function<String, LockContender> library : libraries()) {
                try (LockContender one = library.apply(uri);
                        LockContender other = library.apply(uri)) {
                    counts.add(trips.count(one, other));
                }
            }
            report.roundTrips(counts);
        }
    }

    private static List<Function<String, LockContender>> libraries() {
        return List.of(TenonLock::new, RedissonLock::new, RawLock::new);
    }
}
