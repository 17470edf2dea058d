package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.jdbc.AutoUndoBench.On;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.at.AtResource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random transactions with automatic undo, and without, on random schemas: see {@link UndoMachine}. */
class UndoMachineTest {
    private static final long SEED = Long.getLong("tenon.undo.seed", 1);
    private static final int ROUNDS = Integer.getInteger("tenon.undo.rounds", 0);

    /**
     * What automatic undo takes, or refuses before it runs; the rest is suspended, or goes wrong in ways that the page
     * names.
     */
    private static final Set<UndoMachineFeature> HOLD = EnumSet.of(
            UndoMachineFeature.TWO_STATEMENTS,
            UndoMachineFeature.UNSTABLE_WHERE,
            UndoMachineFeature.ZERO_ID,
            UndoMachineFeature.COMMENTS,
            UndoMachineFeature.CASE_ONLY,
            UndoMachineFeature.WILDCARD_NAMES,
            UndoMachineFeature.INHERITANCE,
            UndoMachineFeature.GENERATED_KEYS,
            UndoMachineFeature.WRITING_QUERIES,
            UndoMachineFeature.CASCADES,
            UndoMachineFeature.SHIFTS,
            UndoMachineFeature.REPEATED_HOUR,
            UndoMachineFeature.DOMAIN_KEY,
            UndoMachineFeature.SELF_REFERENCE);

    static List<On> databases() {
        String only = System.getProperty("tenon.undo.on");
        return only == null ? List.of(On.H2, On.MARIADB, On.MYSQL, On.POSTGRES) : List.of(On.valueOf(only));
    }

    /** How many, unless somebody says it: few where no wait for a lock is shorter than a second. */
    private static int rounds(On on) {
        return ROUNDS > 0
                ? ROUNDS
                : switch (on) {
                    case MYSQL -> 40;
                    case MARIADB -> 60;
                    default -> 100;
                };
    }

    @ParameterizedTest
    @MethodSource("databases")
    void anUndoPutsBackWhatItsTransactionDidOrSaysWhyNot(On on) throws Exception {
        Set<UndoMachineFeature> features = features();
        TreeMap<String, Integer> failures = new TreeMap<>();
        int undone = 0;
        int suspended = 0;
        int rounds = 0;
        List<String> told = new ArrayList<>();
        int wanted = rounds(on);
        UndoMachineDatabase database = new UndoMachineDatabase(on);
        for (long seed = SEED; rounds < wanted; seed++) {
            Random random = new Random(seed);
            List<UndoMachineFeature> some =
                    new ArrayList<>(features.stream().filter(f -> f.isOn(on)).toList());
            Collections.shuffle(some, random);
            UndoMachineSchema schema = new UndoMachineSchema(
                    database, random, String.valueOf(seed), some.subList(0, Math.min(some.size(), random.nextInt(3))));
            UndoMachine machine = new UndoMachine(
                    database, schema, database.resource(), random, Boolean.getBoolean("tenon.undo.strict"));
            try {
                database.run(schema.ddl());
                for (int i = 0; i < UndoMachine.ROUNDS; i++) {
                    rounds++;
                    machine.round();
                }
                database.clear();
            } catch (Exception | AssertionError e) {
                rounds++;
                failures.merge(schema.features() + " " + String.valueOf(e).split("[:(]")[1], 1, Integer::sum);
                String how = "scripts/soak-undo --seed " + seed + " --on " + on + ": " + e + "\n"
                        + String.join(";\n", schema.ddl()) + ";\n" + machine.log();
                if (told.size() < 5) {
                    told.add(how);
                    System.out.println(how); // a soak goes on for an hour after it
                }
                // What is open would hold what the next one needs.
                database = new UndoMachineDatabase(on);
            }
            undone += machine.undone;
            suspended += machine.suspended;
            if (rounds / 1_000 != (rounds + UndoMachine.ROUNDS) / 1_000) {
                System.out.println(on + " " + rounds + " rounds, " + undone + " undone, " + suspended + " suspended");
            }
        }
        database.close();
        System.out.println(
                on + " " + rounds + " rounds, " + undone + " undone, " + suspended + " suspended, " + failures);
        assertThat(told).as(failures.toString()).isEmpty();
        assertThat(undone).isPositive();
    }

    @Test
    void anUndoThatPutsNothingBackIsFound() throws Exception {
        try (UndoMachineDatabase database = new UndoMachineDatabase(On.H2)) {
            AtResource good = database.resource();
            AtResource forgetful = new AtResource() {
                @Override
                public Connection connect(TransactionId gid, String branch) throws SQLException {
                    return good.connect(gid, branch);
                }

                @Override
                public Participant participant() {
                    return call -> good.participant()
                            .call(new BranchCall(call.gid(), call.branch(), Operation.CONFIRM, "", "", Map.of(), 1));
                }
            };
            Random random = new Random(1);
            UndoMachineSchema schema = new UndoMachineSchema(database, random, "x", List.of());
            database.run(schema.ddl());
            UndoMachine machine = new UndoMachine(database, schema, forgetful, random, false);
            assertThatThrownBy(() -> {
                        for (int i = 0; i < UndoMachine.ROUNDS; i++) {
                            machine.round();
                        }
                    })
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("and should be");
        }
    }

    private static Set<UndoMachineFeature> features() {
        String names = System.getProperty("tenon.undo.features", "");
        if (names.isEmpty()) {
            return HOLD;
        }
        if (names.equals("all")) {
            return EnumSet.allOf(UndoMachineFeature.class);
        }
        Set<UndoMachineFeature> features = EnumSet.noneOf(UndoMachineFeature.class);
        Arrays.stream(names.split(","))
                .filter(n -> !n.isEmpty())
                .forEach(n -> features.add(UndoMachineFeature.valueOf(n)));
        return features;
    }
}
