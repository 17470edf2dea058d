package dev.tenon.examples.flashsale;

import dev.tenon.TimeSource;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.lock.Locks;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.memory.MemoryBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * Five hundred items, and four shops of fifty buyers who all want ten. Each buyer reads how many are left, thinks for a
 * moment and writes one less. Without a lock more is sold than there is; with the lock exactly what there is.
 *
 * <pre>
 * FlashSale                                      memory and H2, with nothing installed
 * FlashSale redis=redis://localhost:6379         four processes, and the Redis there
 *           mariadb=jdbc:mariadb://localhost/test?user=…&amp;password=…
 *           postgres=jdbc:postgresql://localhost/test?user=…&amp;password=…
 *           zookeeper=127.0.0.1:2181             a ZooKeeper
 *           etcd=http://127.0.0.1:2379           an etcd
 *           raft=http://127.0.0.1:7700           a Tenon server: ./tenon server
 * </pre>
 *
 * The shops are four processes, but for memory and H2: these stores live in one process, so the shops are in it as
 * well, each with locks of its own, which compete as those of four processes would.
 */
public final class FlashSale implements AutoCloseable {
    /** How many items there are. */
    public static final int STOCK = 500;

    private static final int SHOPS = 4;

    private final Path file;
    private final StockFile stock;
    private final List<ForkedShop> forked = new ArrayList<>();

    private FlashSale(Path file) throws IOException {
        this.file = file;
        this.stock = StockFile.open(file);
    }

    /**
     * How a sale went.
     *
     * @param backend where the lock was
     * @param locked whether the lock was used
     * @param sold how many items were sold
     * @param took from the first to the last
     */
    public record Result(String backend, boolean locked, int sold, Duration took) {
        /** How many were sold that were not there. */
        public int oversold() {
            return sold - STOCK;
        }

        @Override
        public String toString() {
            return "%-10s%-9s%6d%10d%9.1f"
                    .formatted(backend, locked ? "with" : "without", sold, oversold(), took.toMillis() / 1000.0);
        }
    }

    /** Runs the example. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Stream<String> backends = args.length == 0 ? Stream.of("memory", "h2") : Stream.of(args);
        try (FlashSale sale = prepare()) {
            System.out.println("backend   lock       sold  oversold  seconds");
            for (SaleBackend backend : backends.map(SaleBackend::parse).toList()) {
                System.out.println(sale.run(backend, false));
                System.out.println(sale.run(backend, true));
            }
        }
    }

    /** Makes room for the stock. */
    public static FlashSale prepare() throws IOException {
        return new FlashSale(Files.createTempFile("flash-sale", ".stock"));
    }

    /** Sells everything once. */
    public Result run(SaleBackend backend, boolean locked) throws IOException, InterruptedException {
        stock.write(STOCK);
        Sale sale =
                backend.inProcess() ? sellHere(backend, locked) : sellInProcesses(locked ? backend : SaleBackend.NONE);
        return new Result(backend.kind(), locked, sale.sold(), Duration.ofNanos(sale.nanos()));
    }

    /** Ends the processes and removes the stock. */
    @Override
    public void close() throws IOException {
        closeShops();
        stock.close();
        Files.delete(file);
    }

    private record Sale(int sold, long nanos) {}

    private Sale sellInProcesses(SaleBackend backend) throws IOException {
        try {
            openShops(backend);
            long start = System.nanoTime();
            forked.forEach(ForkedShop::sell);
            int sold = 0;
            for (ForkedShop shop : forked) {
                sold += shop.sold();
            }
            long end = System.nanoTime();
            for (ForkedShop shop : forked) {
                shop.awaitClosed();
            }
            return new Sale(sold, end - start);
        } catch (IOException e) {
            closeShops();
            throw e;
        }
    }

    /** One after the other: four that start at once would be slow enough to look dead to each other. */
    private void openShops(SaleBackend backend) throws IOException {
        while (forked.size() < SHOPS) {
            forked.add(ForkedShop.start(file));
        }
        for (ForkedShop shop : forked) {
            shop.open(backend);
        }
    }

    private void closeShops() {
        forked.forEach(ForkedShop::close);
        forked.clear();
    }

    private Sale sellHere(SaleBackend backend, boolean locked) throws InterruptedException {
        if (backend.kind().equals("memory")) {
            try (MemoryBackend memory = MemoryBackend.create()) {
                return sellHere(memory.lockStore(), locked);
            }
        }
        try (JdbcBackend h2 = JdbcBackend.connect("jdbc:h2:mem:flash-sale")) {
            return sellHere(h2.lockStore(), locked);
        }
    }

    private Sale sellHere(LockStore store, boolean locked) throws InterruptedException {
        ExecutorService shops = Executors.newFixedThreadPool(SHOPS);
        List<Locks> locks = new ArrayList<>();
        try {
            List<Callable<Integer>> sales = new ArrayList<>();
            for (int i = 1; i <= SHOPS; i++) {
                Locks own = Locks.over(store, "shop " + i, TimeSource.system());
                locks.add(own);
                Checkout checkout = locked ? new Checkout.Guarded(own, () -> {}) : new Checkout.Unguarded();
                sales.add(() -> new Shop(stock).sell(checkout));
            }
            long start = System.nanoTime();
            int sold = 0;
            for (Future<Integer> sale : shops.invokeAll(sales)) {
                sold += sale.get();
            }
            return new Sale(sold, System.nanoTime() - start);
        } catch (ExecutionException e) {
            throw new IllegalStateException("A shop failed", e.getCause());
        } finally {
            locks.forEach(Locks::close);
            shops.shutdownNow();
        }
    }
}
