package dev.tenon.id;

import static dev.tenon.id.ChiSquare.assertEven;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sharding by {@code id % 2ⁿ} is even at 1, 100 and 10 000 IDs a second, in each lane and with genes: the textbook
 * generator, which begins each millisecond with sequence 0, sends nearly every row to one shard.
 */
class ShardSpreadTest {
    private static final IdLayout LAYOUT =
            IdLayout.builder().workerBits(4).sequenceBits(12).build();

    private final JumpyClock clock = new JumpyClock(Instant.parse("2026-11-21T12:00:00Z"));

    private SnowflakeGenerator generator(Lane lane) {
        return SnowflakeGenerator.builder(LAYOUT, WorkerId.fixed(3, clock))
                .lane(lane)
                .build();
    }

    private LongSupplier paced(Duration gap, LongSupplier numbers) {
        return () -> {
            clock.advance(gap);
            return numbers.getAsLong();
        };
    }

    static List<Duration> gaps() {
        return List.of(Duration.ofSeconds(1), Duration.ofMillis(10), Duration.ofNanos(100_000));
    }

    @ParameterizedTest
    @MethodSource("gaps")
    void isEvenInEachLane(Duration gap) {
        for (Lane lane : Lane.values()) {
            for (int shards : new int[] {16, 1024}) {
                SnowflakeGenerator ids = generator(lane);
                assertEven(lane + " every " + gap, shards, paced(gap, ids::nextId));
            }
        }
    }

    /**
     * A row whose ID is the first of several that a request takes: were the sequence to go on, it would reach one shard
     * in k.
     */
    @ParameterizedTest
    @MethodSource("gaps")
    void isEvenForTheFirstOfSeveralIds(Duration gap) {
        for (Lane lane : Lane.values()) {
            for (int taken : new int[] {2, 16, 100}) {
                for (int shards : new int[] {16, 1024}) {
                    SnowflakeGenerator ids = generator(lane);
                    LongSupplier request = paced(gap, () -> {
                        long first = ids.nextId();
                        ids.fill(new long[taken - 1]);
                        return first;
                    });
                    // Of one unit of time, whose requests come together, one is looked at.
                    long more = Duration.ofMillis(1).dividedBy(gap);
                    assertEven(taken + " for each request, " + lane + ", every " + gap, shards, () -> {
                        LongStream.range(0, more).forEach(each -> request.getAsLong());
                        return request.getAsLong();
                    });
                }
            }
        }
    }

    /** Many threads, each too slow to use up its blocks, while others keep the watch on. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8, 16})
    void isEvenWhereBlocksAreUsedInPart(int used) {
        for (int shards : new int[] {16, 1024}) {
            SnowflakeGenerator ids = generator(Lane.STRIPED);
            ids.nextId();
            ids.watch().begin();
            int[] left = {0};
            assertEven("blocks used for " + used, shards, () -> {
                if (left[0]-- == 0) {
                    left[0] = used - 1;
                    clock.advance(Duration.ofMillis(20)); // the block is too old
                    ids.watch().runOnce();
                }
                return ids.nextId();
            });
        }
    }

    @ParameterizedTest
    @MethodSource("gaps")
    void isEvenInsideEachShardOfAGene(Duration gap) {
        Gene gene = new Gene(4);
        Random users = new Random(1);
        for (int modulus : new int[] {16, 1024}) {
            GeneGenerator ids = GeneGenerator.create(generator(Lane.STRICT), gene);
            assertEven("gene every " + gap, 16, paced(gap, () -> ids.idFor(users.nextLong())));
            assertEven("numbers of one shard every " + gap, modulus, paced(gap, () -> gene.without(ids.idFor(42))));
        }
    }

    /** A job that goes round the shards would get every sixteenth number on each, were none skipped. */
    @ParameterizedTest
    @MethodSource("gaps")
    void isEvenInsideAShardWhereKeysComeInARhythm(Duration gap) {
        Gene gene = new Gene(4);
        long[] keys = oneKeyForEachShard(gene);
        GeneGenerator ids = GeneGenerator.create(generator(Lane.STRICT), gene);
        for (int modulus : new int[] {16, 1024}) {
            assertEven("rhythm every " + gap, modulus, () -> {
                List<Long> round = new ArrayList<>();
                for (long key : keys) {
                    clock.advance(gap);
                    round.add(gene.without(ids.idFor(key)));
                }
                return round.get(5);
            });
        }
        SnowflakeGenerator unskipped = generator(Lane.STRICT);
        assertThatThrownBy(() -> assertEven("rhythm, none skipped", 16, () -> {
                    unskipped.fill(new long[15]);
                    return unskipped.nextId();
                }))
                .isInstanceOf(AssertionError.class);
    }

    private static long[] oneKeyForEachShard(Gene gene) {
        long[] keys = new long[gene.shards()];
        for (int shard = 0; shard < keys.length; shard++) {
            while (gene.shardFor(keys[shard]) != shard) {
                keys[shard]++;
            }
        }
        return keys;
    }
}
