/** Tests of the released archive. */
package dev.tenon.dist;
