package dev.tenon.examples.quarkus;

import jakarta.ws.rs.ClientErrorException;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response.Status;
import java.sql.SQLException;

/** The shop over HTTP: {@code POST /orders?customer=ann&item=chair}, {@code GET /points/ann}. */
@Path("/")
public final class Shop {
    private final Orders orders;
    private final Points points;

    Shop(Orders orders, Points points) {
        this.orders = orders;
        this.points = points;
    }

    /** What the customer gets. */
    public record Placed(String id) {}

    /** Sells one: 409 if there is none left. */
    @POST
    @Path("orders")
    public Placed place(@QueryParam("customer") String customer, @QueryParam("item") String item)
            throws InterruptedException {
        try {
            return new Placed(Long.toString(orders.place(customer, item)));
        } catch (SoldOutException e) {
            throw new ClientErrorException(e.getMessage(), Status.CONFLICT, e);
        }
    }

    /** How many points a customer has. */
    @GET
    @Path("points/{customer}")
    public int points(String customer) throws SQLException {
        return points.of(customer);
    }
}
