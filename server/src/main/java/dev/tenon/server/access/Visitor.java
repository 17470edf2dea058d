package dev.tenon.server.access;

import java.util.Optional;

/**
 * Who asks, as far as the connection and the request tell.
 *
 * @param authorization the header {@code Authorization}, as it came
 * @param certificate the subject of the client's certificate, checked by the connection
 * @param address where the connection comes from
 */
public record Visitor(Optional<String> authorization, Optional<String> certificate, String address) {}
