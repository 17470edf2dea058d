package dev.tenon.examples.micronaut;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.serde.annotation.Serdeable;
import java.sql.SQLException;

/** The shop over HTTP: {@code POST /orders?customer=ann&item=chair}, {@code GET /points/ann}. */
@Controller
@ExecuteOn(TaskExecutors.BLOCKING) // it waits for the lock and the database
class Shop {
    private final Orders orders;
    private final Points points;

    Shop(Orders orders, Points points) {
        this.orders = orders;
        this.points = points;
    }

    /** What the customer gets. */
    @Serdeable
    record Placed(String id) {}

    @Post("/orders")
    HttpResponse<?> place(@QueryValue String customer, @QueryValue String item) throws InterruptedException {
        try {
            return HttpResponse.ok(new Placed(Long.toString(orders.place(customer, item))));
        } catch (SoldOutException e) {
            return HttpResponse.status(409, e.getMessage());
        }
    }

    @Get("/points/{customer}")
    int points(String customer) throws SQLException {
        return points.of(customer);
    }
}
