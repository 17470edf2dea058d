package dev.tenon.jdbc.bank;

import dev.tenon.testkit.SqlAddress;
import dev.tenon.testkit.crash.CrashPoints;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A JVM of the bank that is killed while it stands at many points at once, each in a world of its own. */
public final class BankProcess {
    private BankProcess() {}

    /**
     * Reads lines {@code world point}, and says {@code there world} when it is there.
     *
     * @param args the mode; then URL, user and password of each database
     */
    public static void main(String[] args) throws Exception {
        List<BankDatabase> databases = new ArrayList<>();
        for (int i = 1; i < args.length; i += 3) {
            databases.add(open(new SqlAddress(args[i], args[i + 1], args[i + 2])));
        }
        CrashPoints bank = CrashPoints.of(BankMode.valueOf(args[0]).in(databases));
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            int space = line.indexOf(' ');
            String world = line.substring(0, space);
            bank.hold(world, line.substring(space + 1), () -> System.out.println("there " + world));
        }
        new CountDownLatch(1).await();
    }

    /** MariaDB, MySQL or PostgreSQL, as its address says. */
    static BankDatabase open(SqlAddress address) {
        if (address.url().startsWith("jdbc:mysql:")) {
            return BankDatabase.mySql(address);
        }
        return address.url().startsWith("jdbc:mariadb:")
                ? BankDatabase.mariaDb(address)
                : BankDatabase.postgres(address);
    }
}
