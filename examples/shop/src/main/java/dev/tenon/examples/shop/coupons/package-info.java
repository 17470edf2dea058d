/** Coupons, in Redis: a lock and a fence. */
@NullMarked
package dev.tenon.examples.shop.coupons;

import org.jspecify.annotations.NullMarked;
