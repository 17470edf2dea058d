package dev.tenon.cli;

import tools.jackson.databind.JsonNode;

/** The server refused a request; the message is the detail of its problem document. */
final class RefusedException extends RuntimeException {
    private final int status;
    private final String type;
    private final transient JsonNode document;

    RefusedException(int status, JsonNode document) {
        super(document.path("detail").asString("The server answered with status " + status + "."));
        this.status = status;
        this.type = document.path("type").asString("");
        this.document = document;
    }

    /** The HTTP status. */
    int status() {
        return status;
    }

    /** Whether this is the problem {@code urn:tenon:problem:KIND}. */
    boolean is(String kind) {
        return type.equals("urn:tenon:problem:" + kind);
    }

    /** Whether nothing was done, and another server may do it. */
    boolean nothingHappened() {
        return is("stopping") || is("store-unavailable") || is("overloaded");
    }

    /** The problem document. */
    JsonNode document() {
        return document;
    }
}
