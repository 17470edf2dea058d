package dev.tenon.server.ids;

import dev.tenon.TimeSource;
import dev.tenon.id.Gene;
import dev.tenon.id.GeneGenerator;
import dev.tenon.id.IdLayout;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/** A Snowflake generator with a leased worker ID. */
final class SnowflakeIssuer implements NumberIssuer {
    private static final long WINDOW_NANOS = 25_000_000;
    private static final long SLOW_NANOS = 20_000_000;
    private static final long AVOID_NANOS = 5_000_000_000L;
    private static final int SHARE = 2;
    private static final Pattern NUMBER = Pattern.compile("0|-?[1-9][0-9]{0,18}");

    private final WorkerId worker;
    private final SnowflakeGenerator generator;
    private final Optional<GeneGenerator> shards;
    private final TimeSource time;
    private final long perWindow;
    private final AtomicLong window = new AtomicLong();
    private final AtomicLong issuedInWindow = new AtomicLong();
    private volatile long avoidUntilNanos;

    /**
     * @param worker closed with this
     * @param gene below each ID, if they carry one
     */
    SnowflakeIssuer(WorkerId worker, SnowflakeDefinition definition, Optional<Gene> gene, TimeSource time) {
        IdLayout layout = definition.layout();
        this.time = time;
        this.avoidUntilNanos = time.nanoTime();
        this.perWindow = (long) (layout.idsPerSecond() * WINDOW_NANOS / 1e9 / SHARE);
        this.worker = worker;
        try {
            this.generator = SnowflakeGenerator.builder(layout, worker)
                    .lane(definition.lane())
                    .build();
            this.shards = gene.map(g -> GeneGenerator.create(generator, g));
        } catch (RuntimeException e) {
            worker.close();
            throw e;
        }
    }

    /**
     * Below half of the layout's rate a generator never parks. What is beyond it, and everything for a while after a
     * call that took long (the store was asked), is for threads that may wait.
     */
    @Override
    public boolean admit(IdRequest request) {
        long now = time.nanoTime();
        if (now - avoidUntilNanos < 0) {
            return false;
        }
        long present = now / WINDOW_NANOS;
        long seen = window.get();
        if (seen != present && window.compareAndSet(seen, present)) {
            issuedInWindow.set(0);
        }
        return issuedInWindow.addAndGet(request.count()) <= perWindow;
    }

    @Override
    public long[] take(IdRequest request) {
        long[] taken = new long[request.count()];
        long before = time.nanoTime();
        boolean done = false;
        try {
            fill(taken, request);
            done = true;
        } finally {
            long after = time.nanoTime();
            if (!done || after - before > SLOW_NANOS) {
                avoidUntilNanos = after + AVOID_NANOS;
            }
        }
        return taken;
    }

    private void fill(long[] taken, IdRequest request) {
        if (shards.isEmpty()) {
            generator.fill(taken);
            return;
        }
        Gene gene = shards.get().gene();
        int shard = shardOf(gene, request.shardKey().orElseThrow());
        for (int i = 0; i < taken.length; i++) {
            taken[i] = shards.get().idLike(shard); // the shard as an ID: its lowest bits
        }
    }

    /** What is written like a number is one: keys are numbers more often than not, and callers in Java give them so. */
    private static int shardOf(Gene gene, String key) {
        if (NUMBER.matcher(key).matches()) {
            try {
                return gene.shardFor(Long.parseLong(key));
            } catch (NumberFormatException e) {
                // too long for a number: a text like others
            }
        }
        return gene.shardFor(key);
    }

    @Override
    public Map<String, Object> state() {
        return Map.of("workerId", worker.value());
    }

    @Override
    public void close() {
        worker.close();
    }
}
