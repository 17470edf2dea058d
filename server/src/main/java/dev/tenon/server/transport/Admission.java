package dev.tenon.server.transport;

import dev.tenon.server.access.Audit;
import dev.tenon.server.access.Gate;
import dev.tenon.server.observe.Observer;

/**
 * How requests of every protocol are let in and recorded.
 *
 * @param gate decides what a caller may do
 * @param observer is told of every request
 * @param audit records what operators will ask about
 */
public record Admission(Gate gate, Observer observer, Audit audit) {}
