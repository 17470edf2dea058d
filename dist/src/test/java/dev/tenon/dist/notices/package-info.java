/** Tests of the notices that go into the release. */
package dev.tenon.dist.notices;
