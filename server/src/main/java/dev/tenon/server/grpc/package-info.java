/** The gRPC interface: what {@code protocol/} describes, over the services of the node. */
@NullMarked
package dev.tenon.server.grpc;

import org.jspecify.annotations.NullMarked;
