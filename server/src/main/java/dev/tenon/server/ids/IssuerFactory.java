package dev.tenon.server.ids;

/** Makes what issues the IDs of a definition. */
@FunctionalInterface
public interface IssuerFactory {
    /** The issuer of one name; may block, and fail as the backend does. */
    Issuer issuer(String name, IdDefinition definition);
}
