package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.jdbc.AutoUndoBench.On;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random transactions with automatic undo, and without, on random schemas: see {@link UndoMachine}. */
class UndoMachineTest {
    private static final long SEED = Long.getLong("tenon.undo.seed", 1);
    private static final int ROUNDS = Integer.getInteger("tenon.undo.rounds", 300);

    @ParameterizedTest
    @EnumSource(names = {"H2", "MARIADB", "POSTGRES"})
    void anUndoPutsBackWhatItsTransactionDidOrSaysWhyNot(On on) throws Exception {
        Set<UndoMachineFeature> features = features();
        TreeMap<String, Integer> failures = new TreeMap<>();
        int undone = 0;
        int suspended = 0;
        int rounds = 0;
        List<String> told = new ArrayList<>();
        UndoMachineDatabase database = new UndoMachineDatabase(on);
        for (long seed = SEED; rounds < ROUNDS; seed++) {
            Random random = new Random(seed);
            List<UndoMachineFeature> some =
                    new ArrayList<>(features.stream().filter(f -> f.isOn(on)).toList());
            java.util.Collections.shuffle(some, random);
            UndoMachineSchema schema = new UndoMachineSchema(
                    database, random, String.valueOf(seed), some.subList(0, Math.min(some.size(), random.nextInt(3))));
            UndoMachine machine = new UndoMachine(database, schema, random, Boolean.getBoolean("tenon.undo.strict"));
            try {
                database.run(schema.ddl());
                for (int i = 0; i < UndoMachine.ROUNDS; i++) {
                    rounds++;
                    machine.round();
                }
            } catch (Exception | AssertionError e) {
                rounds++;
                failures.merge(schema.features() + " " + String.valueOf(e).split("[:(]")[1], 1, Integer::sum);
                if (told.size() < 5) {
                    told.add("scripts/soak-undo --seed " + seed + " --on " + on + ": " + e + "\n"
                            + String.join(";\n", schema.ddl()) + ";\n" + machine.log());
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

    private static Set<UndoMachineFeature> features() {
        String names = System.getProperty("tenon.undo.features", "");
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
