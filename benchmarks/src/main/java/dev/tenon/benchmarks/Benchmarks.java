package dev.tenon.benchmarks;

import dev.tenon.testkit.EtcdCluster;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.SqlAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

/** Measures against every peer, part by part, and writes each part's figures and plot when it is done. */
public final class Benchmarks {
    private static final Path LAUNCHER = Path.of("tenon").toAbsolutePath();

    /** The class path of Seata's server. */
    private static final Path SEATA = Path.of("benchmarks/target/seata.classpath");

    private final Plan plan;
    private final Report report;

    private Benchmarks(Plan plan, Part part) {
        this.plan = plan;
        this.report = new Report(plan, part);
    }

    /** The arguments: the folder of the docs; {@code --short} for half the time; the parts, or all. */
    public static void main(String[] args) throws Exception {
        Path docs = Path.of(args[0]);
        List<String> words = new ArrayList<>(Arrays.asList(args).subList(1, args.length));
        Plan plan = words.remove("--short") ? Plan.SHORT : Plan.FULL;
        List<Part> parts = words.isEmpty()
                ? List.of(Part.values())
                : words.stream().map(Part::labelled).toList();
        int failed = 0;
        for (Part part : parts) {
            try {
                run(plan, part).writeTo(docs);
            } catch (Exception | Error e) { // what the other parts have to say is worth having
                failed = 1;
                System.err.println("The part \"" + part.label() + "\" failed:");
                e.printStackTrace();
            }
        }
        System.exit(failed); // some peers leave threads behind
    }

    static Report run(Plan plan, Part part) throws Exception {
        Benchmarks one = new Benchmarks(plan, part);
        switch (part) {
            case IDS -> one.ids();
            case NETWORK -> one.network();
            case CLUSTER -> one.cluster();
            case TRANSACTIONS -> one.transactions();
            case OUTBOX -> one.outbox();
            case MYSQL -> one.mySql();
            default -> one.locks(LockStage.on(part));
        }
        return one.report;
    }

    private void ids() throws Exception {
        report.duplicates(PeerDuplicates.hunt());
        report.ids(new IdRates(plan.forks(), plan.idRun()).run(plan.idThreads(), plan.idRounds()));
    }

    private void network() throws IOException {
        try (TenonProcess server = TenonProcess.start(LAUNCHER, List.of())) {
            NetworkIds ids = new NetworkIds(server, RedisServer.shared().socket(), plan.lockRun());
            for (int connections : plan.lockThreads()) {
                report.requests(connections, ids.run(connections, plan.lockRounds()));
            }
        }
    }

    private void cluster() throws Exception {
        try (TenonCluster tenon = TenonCluster.start(LAUNCHER);
                EtcdCluster etcd = EtcdCluster.start();
                LockContender ours = TenonLock.onServer("Tenon, a cluster of three, at the leader", tenon.leader());
                LockContender theirs = new EtcdServiceLock(
                        "etcd's lock service, three members, at the leader",
                        etcd.leader().socket());
                LockContender around = TenonLock.onServer("Tenon, at a follower", tenon.follower())) {
            LockPairs pairs = LockPairs.onOwnNames(List.of(ours, theirs, around), plan.lockRun());
            pairs.warmUp(Collections.max(plan.clusterClients()), plan.longWarmUp());
            for (int clients : plan.clusterClients()) {
                report.cluster(clients, pairs.run(clients, plan.lockRounds()));
            }
        }
    }

    private void outbox() throws Exception {
        int messages = Math.toIntExact(2 * plan.lockRun().toMillis());
        try (Accounts giro = Accounts.onPostgresWithLogicalLog();
                SendingOutbox ours = SendingOutboxes.tenon(giro);
                SendingOutbox tail = giro.tail();
                SendingOutbox gruelbox = SendingOutboxes.gruelbox(giro);
                SendingOutbox written = SendingOutboxes.written(giro);
                SendingOutbox backlog = SendingOutboxes.backlog(giro)) {
            report.sending(
                    new SendingRates(messages, plan.lockRounds()).run(List.of(ours, tail, gruelbox, written, backlog)));
        }
    }

    private void transactions() throws Exception {
        Path narayana = Files.createTempDirectory("tenon-narayana-");
        Path atomikos = Files.createTempDirectory("tenon-atomikos-");
        try (Accounts giro = Accounts.onPostgres();
                Accounts savings = Accounts.onMariaDb()) {
            transactions(
                    MeasuredTransactions.OUTBOX,
                    OutboxContenders.tenon(giro),
                    OutboxContenders.alone(giro),
                    OutboxContenders.gruelbox(giro),
                    OutboxContenders.tenonEnqueue(giro));
            transactions(
                    MeasuredTransactions.HANDLER,
                    OutboxContenders.tenonToHandler(giro),
                    OutboxContenders.gruelboxToHandler(giro),
                    OutboxContenders.tenonEnqueueToHandler(giro));
            transactions(
                    MeasuredTransactions.XA,
                    XaContenders.tenon(giro, savings),
                    XaContenders.narayana(giro, savings, narayana),
                    AtomikosContender.over(giro, savings, atomikos),
                    XaContenders.byHand(giro, savings));
            transactions(
                    MeasuredTransactions.LAST_RESOURCE,
                    XaContenders.tenonLast(giro, savings),
                    XaContenders.narayana(giro, savings, narayana),
                    XaContenders.narayanaLast(giro, savings, narayana),
                    AtomikosContender.over(giro, savings, atomikos));
            try (SeataServer server = SeataServer.start(SEATA)) {
                SeataContenders seata = SeataContenders.in(giro, server);
                transactions(MeasuredTransactions.TCC, StepContenders.tcc(giro), seata.tcc(), seata.at());
            }
            transactions(MeasuredTransactions.SAGA, StepContenders.saga(giro));
            if (giro.sum() + savings.sum() != 0) {
                throw new IllegalStateException("Money was made or lost: " + giro.sum() + " and " + savings.sum());
            }
        }
    }

    private void transactions(MeasuredTransactions table, Contender... contenders) throws InterruptedException {
        List<Contender> all = List.of(contenders);
        try {
            LockPairs runs = LockPairs.onOwnNames(all, plan.lockRun());
            runs.warmUp(table.threads(), plan.longWarmUp());
            report.transactions(table, runs.run(table.threads(), plan.lockRounds()));
        } finally {
            all.forEach(Contender::close);
        }
    }

    private void locks(LockStage stage) throws Exception {
        lockPairs(stage);
        lockRoundTrips(stage);
    }

    private void mySql() throws Exception {
        locks(LockStage.on(Part.MYSQL));
        SqlAddress server = MySqlServer.shared();
        try (Contender ours = SegmentContenders.tenon(server);
                Contender theirs = SegmentContenders.updateAndRead(server)) {
            LockPairs runs = LockPairs.onOneName(List.of(ours, theirs), plan.lockRun());
            runs.warmUp(1, plan.warmUp());
            report.segments("MySQL", runs.run(1, plan.lockRounds()));
        }
    }

    private void lockPairs(LockStage stage) throws InterruptedException {
        List<LockContender> contenders = new ArrayList<>();
        try {
            for (Supplier<LockContender> library : stage.libraries().apply(stage.socket())) {
                contenders.add(library.get());
            }
            contenders.add(((TenonLock) contenders.get(0)).throughTheStore());
            LockPairs pairs = LockPairs.onOneName(contenders, plan.lockRun());
            pairs.warmUp(Collections.max(plan.lockThreads()), plan.warmUp());
            for (int threads : plan.lockThreads()) {
                report.pairs(stage.store(), threads, pairs.run(threads, plan.lockRounds()));
            }
        } finally {
            contenders.forEach(LockContender::close);
        }
    }

    private void lockRoundTrips(LockStage stage) throws Exception {
        try (FaultProxy proxy = FaultProxy.to(stage.socket())) {
            LockRoundTrips trips = new LockRoundTrips(proxy, plan.lockRounds());
            List<LockRoundTrips.Count> counts = new ArrayList<>();
            for (Supplier<LockContender> library : stage.libraries().apply(proxy.address())) {
                try (LockContender one = library.get();
                        LockContender other = library.get()) {
                    counts.add(trips.count(one, other));
                }
            }
            report.roundTrips(stage.store(), counts);
        }
    }
}
