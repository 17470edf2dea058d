package dev.tenon.tx.xa;

import java.util.Map;
import java.util.UUID;

/** Two H2 databases in memory. */
class H2XaTest extends XaScenario {
    @Override
    Map<String, Place> newPlaces() {
        return Map.of(
                "one", Place.h2(UUID.randomUUID().toString()).prepared(),
                "two", Place.h2(UUID.randomUUID().toString()).prepared());
    }
}
