/** Takes orders, and sees each through: IDs, the saga, TCC and the outbox. */
@NullMarked
package dev.tenon.examples.shop.orders;

import org.jspecify.annotations.NullMarked;
