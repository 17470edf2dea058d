/**
 * Participants behind an HTTP address, in any language: how they are called, and what their answers mean. Tests: {@code
 * CallSignatureTest} and {@code RefusalWarningsTest} in this module, {@code HttpParticipantsTest} in {@code
 * participants/grpc}, {@code BarrierFilterTest} in {@code participants/servlet}.
 */
@NullMarked
package dev.tenon.tx.http;

import org.jspecify.annotations.NullMarked;
