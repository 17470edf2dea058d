/** Participants of transactions over gRPC, called and served, and the log of transactions as messages. */
@NullMarked
package dev.tenon.grpc;

import org.jspecify.annotations.NullMarked;
