/** Wallets, on PostgreSQL. */
@NullMarked
package dev.tenon.examples.shop.payment;

import org.jspecify.annotations.NullMarked;
