/**
 * What the HTTP and gRPC interfaces offer, whichever of them is asked. Start at
 * {@link dev.tenon.server.service.NodeServices}.
 */
@NullMarked
package dev.tenon.server.service;

import org.jspecify.annotations.NullMarked;
