package dev.tenon.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.Timer;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Predicate;
import java.util.stream.BaseStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Who may see whom. The table is the one of the architecture: an arrow that is not in it does not exist. */
final class ArrowRules {
    private static final String ROOT = "dev.tenon";
    private static final Set<String> BACKENDS =
            Set.of("memory", "jdbc", "redis", "zookeeper", "etcd", "raft", "sharded");
    private static final Set<String> BROKERS = Set.of("kafka", "rabbitmq", "rocketmq");
    private static final Set<String> ADAPTERS =
            Set.of("hibernate", "mybatis", "shedlock", "shardingsphere", "jackson", "jta", "kotlin");
    private static final Set<String> ALGORITHMS = Set.of("core", "id", "lock", "ring", "tx");

    /** Programs that show or measure the rest, and are on nobody's class path. */
    static final Set<String> SHOW_EVERYTHING = Set.of("examples", "benchmarks");

    /** Package below the root (core is the root itself) and the others that it may see. */
    static final Map<String, Set<String>> ARROWS = arrows();

    /**
     * Packages of libraries, and the only modules that may see them; what shows everything may as well. Of the JDK's
     * own packages there are those that have a place of their own. What is in no row may be seen by none.
     */
    static final Map<String, Set<String>> LIBRARIES = Map.ofEntries(
            Map.entry("io.lettuce", Set.of("redis")),
            Map.entry("reactor", Set.of("redis", "spring")),
            Map.entry("io.etcd", Set.of("etcd")),
            Map.entry("io.grpc", Set.of("etcd", "grpc", "server", "client")),
            Map.entry("io.netty", Set.of("etcd", "redis", "server", "client")),
            Map.entry("com.google.protobuf", Set.of("etcd", "grpc", "server", "client")),
            Map.entry("com.google.rpc", Set.of("server", "client")),
            Map.entry("com.google.common", Set.of("etcd")),
            Map.entry("org.apache.curator", Set.of("zookeeper", "spring")),
            Map.entry("org.apache.zookeeper", Set.of("zookeeper")),
            Map.entry("org.apache.ratis", Set.of("raft")),
            Map.entry("org.apache.kafka", Set.of("kafka")),
            Map.entry("com.rabbitmq", Set.of("rabbitmq")),
            Map.entry("org.apache.rocketmq", Set.of("rocketmq")),
            Map.entry("java.sql", Set.of("jdbc", "tx", "testkit", "servlet", "rocketmq")),
            Map.entry("javax.sql", Set.of("jdbc", "tx", "testkit", "spring")),
            Map.entry("javax.transaction.xa", Set.of("tx", "testkit")),
            Map.entry("org.postgresql", Set.of("jdbc")),
            Map.entry("net.sf.jsqlparser", Set.of("jdbc")),
            Map.entry("jakarta.servlet", Set.of("servlet", "spring")),
            Map.entry("io.vertx", Set.of("server")),
            Map.entry("io.micrometer", Set.of("server", "spring")),
            Map.entry("io.opentelemetry", Set.of("server")),
            Map.entry("org.snakeyaml", Set.of("server")),
            Map.entry("ch.qos.logback", Set.of("server")),
            Map.entry("org.slf4j", Set.of("server", "raft")),
            Map.entry("com.sun.management", Set.of("server")),
            Map.entry("com.fasterxml.jackson", Set.of("jackson", "server", "spring")),
            Map.entry("tools.jackson", Set.of("jackson", "server", "spring", "cli", "dist", "site")),
            Map.entry("org.springframework", Set.of("spring")),
            Map.entry("org.aopalliance", Set.of("spring")),
            Map.entry("org.apache.commons.logging", Set.of("spring")),
            Map.entry("org.hibernate", Set.of("hibernate")),
            Map.entry("org.apache.ibatis", Set.of("mybatis", "spring")),
            Map.entry("com.baomidou", Set.of("mybatis", "spring")),
            Map.entry("org.apache.shardingsphere", Set.of("shardingsphere")),
            Map.entry("jakarta.transaction", Set.of("jta")),
            Map.entry("kotlin", Set.of("kotlin")),
            Map.entry("kotlinx", Set.of("kotlin")),
            Map.entry("org.jetbrains.annotations", Set.of("kotlin")),
            Map.entry("net.javacrumbs", Set.of("shedlock", "spring")),
            Map.entry("picocli", Set.of("server", "cli")),
            Map.entry("org.HdrHistogram", Set.of("cli")),
            Map.entry("com.sun.net.httpserver", Set.of("cli")),
            Map.entry("org.commonmark", Set.of("site")),
            Map.entry("org.junit", Set.of("testkit")),
            Map.entry("org.assertj", Set.of("testkit")),
            Map.entry("org.awaitility", Set.of("testkit")));

    /**
     * What any class may see beside Tenon: the JDK, but for what has a row in the table, and the annotations of
     * nullness.
     */
    private static final List<String> ANYWHERE =
            List.of("java", "javax.crypto", "javax.net", "javax.security.auth", "org.jspecify");

    private ArrowRules() {}

    private static Map<String, Set<String>> arrows() {
        Map<String, Set<String>> arrows = new TreeMap<>();
        arrows.put("core", Set.of());
        arrows.put("id", Set.of("core"));
        arrows.put("lock", Set.of("core"));
        arrows.put("ring", Set.of());
        arrows.put("tx", Set.of("core", "id"));
        for (String backend : BACKENDS) {
            arrows.put(backend, ALGORITHMS);
        }
        for (String broker : BROKERS) {
            arrows.put(broker, Set.of("core", "id", "tx"));
        }
        for (String adapter : ADAPTERS) {
            arrows.put(adapter, ALGORITHMS);
        }
        arrows.put("testkit", ALGORITHMS);
        arrows.put("console", Set.of());
        arrows.put("protocol", Set.of());
        arrows.put("servlet", ALGORITHMS);
        arrows.put("grpc", union(ALGORITHMS, Set.of("protocol")));
        arrows.put("client", union(ALGORITHMS, Set.of("protocol", "grpc")));
        arrows.put("server", union(union(ALGORITHMS, BACKENDS), Set.of("console", "protocol", "grpc")));
        arrows.put("cli", Set.of("core"));
        arrows.put("dist", Set.of("server", "cli"));
        arrows.put("site", Set.of());
        arrows.put("spring", union(union(ALGORITHMS, BACKENDS), union(ADAPTERS, Set.of("client"))));
        Set<String> everything = union(Set.copyOf(arrows.keySet()), Set.of());
        SHOW_EVERYTHING.forEach(module -> arrows.put(module, everything));
        return arrows;
    }

    /** Every rule, each of which can be checked alone. */
    static List<ArchRule> all() {
        return List.of(
                arrowsOfTheTable(),
                librariesStayInTheirModules(),
                algorithmsStandOnTheJdk(),
                noPackageForLeftovers(),
                nothingStaticChanges(),
                threadsAreNamed(),
                implementationsCarryTheirBackend());
    }

    static ArchRule arrowsOfTheTable() {
        return classes()
                .that()
                .resideInAPackage(ROOT + "..")
                .should(new Each("see only what the table of arrows allows") {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        String from = module(type);
                        if (!ARROWS.containsKey(from)) {
                            violated(type, type.getName() + " is in no module of the table of arrows", events);
                            return;
                        }
                        for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                            JavaClass target = dependency.getTargetClass().getBaseComponentType();
                            String to = module(target);
                            boolean foreign = !isOurs(target) || to.equals(from);
                            if (!foreign && !ARROWS.get(from).contains(to)) {
                                violated(
                                        type,
                                        from + " must not see " + to + ": " + dependency.getDescription(),
                                        events);
                            }
                        }
                    }
                })
                .allowEmptyShould(true);
    }

    static ArchRule librariesStayInTheirModules() {
        return classes()
                .that()
                .resideInAPackage(ROOT + "..")
                .should(new Each("see a library only where the table has it") {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        String from = module(type);
                        if (SHOW_EVERYTHING.contains(from)) {
                            return;
                        }
                        for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                            JavaClass target = dependency.getTargetClass().getBaseComponentType();
                            Optional<String> library = library(target);
                            boolean known = library.isPresent() || isAnywhere(target);
                            if (!known
                                    || !library.map(LIBRARIES::get)
                                            .map(m -> m.contains(from))
                                            .orElse(true)) {
                                violated(
                                        type,
                                        from + " must not see " + library.orElse("a library of no row") + ": "
                                                + dependency.getDescription(),
                                        events);
                            }
                        }
                    }
                })
                .allowEmptyShould(true);
    }

    /** The libraries that these classes see, with the modules that see them. */
    static Map<String, Set<String>> librariesSeen(JavaClasses classes) {
        Map<String, Set<String>> seen = new TreeMap<>();
        for (JavaClass type : classes) {
            String from = module(type);
            if (!SHOW_EVERYTHING.contains(from)) {
                for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    library(dependency.getTargetClass().getBaseComponentType())
                            .ifPresent(library -> seen.computeIfAbsent(library, key -> new TreeSet<>())
                                    .add(from));
                }
            }
        }
        return seen;
    }

    /** The modules of these classes: what the tables may name. */
    static Set<String> modules(JavaClasses classes) {
        return classes.stream().map(ArrowRules::module).collect(Collectors.toCollection(TreeSet::new));
    }

    /** The row of the table that a class is in. */
    private static Optional<String> library(JavaClass type) {
        return LIBRARIES.keySet().stream()
                .filter(library -> isIn(type, library))
                .max(Comparator.comparingInt(String::length));
    }

    private static boolean isAnywhere(JavaClass type) {
        return type.isPrimitive() || isOurs(type) || ANYWHERE.stream().anyMatch(pack -> isIn(type, pack));
    }

    private static boolean isIn(JavaClass type, String pack) {
        return type.getPackageName().equals(pack) || type.getPackageName().startsWith(pack + ".");
    }

    static ArchRule algorithmsStandOnTheJdk() {
        return classes()
                .that(are("algorithms", type -> isOurs(type) && ALGORITHMS.contains(module(type))))
                .should()
                .onlyDependOnClassesThat(are("in java.*, the JDK's javax.*, JSpecify or Tenon", type -> {
                    String pack = type.getBaseComponentType().getPackageName();
                    return type.getBaseComponentType().isPrimitive()
                            || pack.startsWith("java.")
                            || pack.startsWith("javax.crypto")
                            || pack.startsWith("javax.sql")
                            || pack.startsWith("javax.transaction.xa")
                            || pack.startsWith("org.jspecify.")
                            || isOurs(type.getBaseComponentType());
                }))
                .allowEmptyShould(true);
    }

    static ArchRule noPackageForLeftovers() {
        return noClasses()
                .should()
                .resideInAnyPackage(
                        "..util..", "..utils..", "..common..", "..commons..", "..helper..", "..helpers..", "..misc..")
                .allowEmptyShould(true);
    }

    /** Two instances in one JVM never see each other. */
    static ArchRule nothingStaticChanges() {
        // Behind an interface of the JDK's collections there may be Map.of and the like, which don't change.
        List<Class<?>> mayChange = List.of(Collection.class, Map.class, Iterable.class);
        List<Class<?>> change = List.of(
                Lock.class,
                ReadWriteLock.class,
                StampedLock.class,
                Semaphore.class,
                CountDownLatch.class,
                Future.class,
                Executor.class,
                Queue.class,
                Thread.class,
                ThreadLocal.class,
                Timer.class,
                StringBuilder.class,
                Random.class,
                BitSet.class);
        return fields().that()
                .areStatic()
                .and(are(
                        "written by people",
                        (JavaField field) -> !field.getModifiers().contains(JavaModifier.SYNTHETIC)))
                .should()
                .beFinal()
                .andShould(new ArchCondition<>("not be of a type that changes") {
                    @Override
                    public void check(JavaField field, ConditionEvents events) {
                        JavaClass type = field.getRawType();
                        boolean changes = type.getPackageName().equals("java.util.concurrent.atomic")
                                || change.stream().anyMatch(type::isAssignableTo)
                                || mayChange.stream().anyMatch(type::isAssignableTo) && !type.isInterface()
                                || (type.isArray() && !field.getModifiers().contains(JavaModifier.PRIVATE));
                        if (changes) {
                            events.add(
                                    SimpleConditionEvent.violated(field, field.getFullName() + " is a mutable static"));
                        }
                    }
                })
                .allowEmptyShould(true);
    }

    /**
     * Nothing waits for the common pool, which the application may have filled, and which has one thread on two cores
     * (ADR 78).
     */
    static ArchRule threadsAreNamed() {
        return noClasses()
                .that(are(
                        "of users' processes or the server's",
                        type -> !SHOW_EVERYTHING.contains(module(type))
                                && !module(type).equals("testkit")))
                .should()
                .callMethodWhere(DescribedPredicate.describe("its work is done by the common pool", call -> {
                    String name = call.getTarget().getName();
                    boolean futures = call.getTargetOwner().isAssignableTo(CompletionStage.class);
                    boolean streams = call.getTargetOwner().isAssignableTo(BaseStream.class);
                    return name.equals("commonPool")
                            || name.equals("parallelStream")
                            || (streams && name.equals("parallel"))
                            || (futures
                                    && (name.endsWith("Async") || name.equals("delayedExecutor"))
                                    && call.getTarget().getRawParameterTypes().stream()
                                            .noneMatch(type -> type.isEquivalentTo(Executor.class)));
                }))
                .allowEmptyShould(true);
    }

    static ArchRule implementationsCarryTheirBackend() {
        return classes()
                .that(are(
                        "implementations of an SPI in a backend",
                        type -> (BACKENDS.contains(module(type)) || module(type).equals("client"))
                                && ContractCoverage.spiOf(type).findAny().isPresent()))
                .should(new Each("carry the prefix of their backend") {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        String outermost =
                                type.getName().substring(type.getPackageName().length() + 1);
                        if (!outermost.toLowerCase(Locale.ROOT).startsWith(module(type))) {
                            violated(type, type.getName() + " does not start with " + module(type), events);
                        }
                    }
                })
                .allowEmptyShould(true);
    }

    private static boolean isOurs(JavaClass type) {
        return isIn(type, ROOT);
    }

    /** The first part of the package below the root; core for the root itself. */
    static String module(JavaClass type) {
        String pack = type.getPackageName();
        if (!pack.startsWith(ROOT + ".")) {
            return "core";
        }
        String below = pack.substring(ROOT.length() + 1);
        return below.contains(".") ? below.substring(0, below.indexOf('.')) : below;
    }

    private static Set<String> union(Set<String> some, Set<String> more) {
        return Stream.concat(some.stream(), more.stream()).collect(Collectors.toUnmodifiableSet());
    }

    private static <T> DescribedPredicate<T> are(String description, Predicate<T> test) {
        return DescribedPredicate.describe(description, test);
    }

    private abstract static class Each extends ArchCondition<JavaClass> {
        Each(String description) {
            super(description);
        }

        @Override
        public abstract void check(JavaClass type, ConditionEvents events);

        static void violated(JavaClass type, String message, ConditionEvents events) {
            events.add(SimpleConditionEvent.violated(type, message));
        }
    }
}
