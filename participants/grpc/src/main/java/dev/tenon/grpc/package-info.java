/**
 * Participants of transactions over gRPC, called and served; and what clients and servers of Tenon tell each other, as
 * messages.
 */
@NullMarked
package dev.tenon.grpc;

import org.jspecify.annotations.NullMarked;
