package dev.tenon.examples.flashsale;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One process's part of the sale: fifty buyers at a time, each of whom buys until nothing is left or the purse is
 * empty.
 */
final class Shop {
    static final int BUYERS = 50;
    static final int ITEMS_PER_BUYER = 10;

    private static final long THINK_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    private final StockFile stock;

    Shop(StockFile stock) {
        this.stock = stock;
    }

    /** Sells until all buyers have gone; returns how many items were sold. */
    int sell(Checkout checkout) throws InterruptedException {
        ExecutorService crowd = Executors.newFixedThreadPool(BUYERS);
        try {
            List<Callable<Integer>> buyers = new ArrayList<>();
            for (int i = 0; i < BUYERS; i++) {
                buyers.add(() -> buy(checkout));
            }
            int sold = 0;
            for (Future<Integer> bought : crowd.invokeAll(buyers)) {
                sold += bought.get();
            }
            return sold;
        } catch (ExecutionException e) {
            throw new IllegalStateException("A buyer failed", e.getCause());
        } finally {
            crowd.shutdownNow();
        }
    }

    // tag::sale[]
    private int buy(Checkout checkout) throws Exception {
        for (int bought = 0; bought < ITEMS_PER_BUYER; bought++) {
            AutoCloseable turn = checkout.enter();
            try {
                if (!takeOne()) {
                    return bought;
                }
            } finally {
                turn.close();
            }
        }
        return ITEMS_PER_BUYER;
    }

    private boolean takeOne() throws IOException {
        int left = stock.left();
        if (left == 0) {
            return false;
        }
        LockSupport.parkNanos(THINK_NANOS); // the payment takes a moment
        stock.write(left - 1);
        return true;
    }
    // end::sale[]
}
