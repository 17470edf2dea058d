package dev.tenon.benchmarks;

import java.util.Locale;

/** What can be measured alone. Each part has its place on the page, and a plot. */
enum Part {
    IDS,
    REDIS,
    POSTGRESQL,
    MARIADB,
    MYSQL,
    ZOOKEEPER,
    ETCD,
    CLUSTER,
    NETWORK,
    TRANSACTIONS,
    OUTBOX;

    /** As it is written in commands, marks and file names. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Part labelled(String label) {
        return valueOf(label.toUpperCase(Locale.ROOT));
    }
}
