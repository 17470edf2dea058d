/**
 * What Tenon bends of Apache Ratis 3.3.0: the classes that extend, wrap or cast what Ratis does not offer for that, and
 * nothing else. Internal: its public types serve {@code dev.tenon.raft} alone, and change with Ratis.
 *
 * <p>Each class says what it bends, why, and when it can go. Its test, the class's name with {@code BendTest}, shows on
 * Ratis' own class that the reason still stands, and that Ratis still calls what is bent: a newer Ratis that needs a
 * bend no more, or allows it no more, fails it.
 *
 * <table>
 * <caption>Bends</caption>
 * <tr><th>class</th><th>how</th><th>because Ratis</th></tr>
 * <tr><td>{@code ClusterRpc}</td><td>extends {@code GrpcFactory}</td>
 * <td>has no other way in for the next three</td></tr>
 * <tr><td>{@code AddressCheckingServer}</td><td>proxy of {@code RaftServer}</td>
 * <td>takes what is addressed to another identity</td></tr>
 * <tr><td>{@code PromptAppender}</td><td>extends {@code GrpcLogAppender} and {@code AwaitForSignal}</td>
 * <td>forgets wake-ups</td></tr>
 * <tr><td>{@code PromptLeader}</td><td>wraps {@code LeaderState}</td>
 * <td>tells a follower too late that an entry is committed</td></tr>
 * <tr><td>{@code OrderedEntries}</td><td>in {@code AddressCheckingServer}</td>
 * <td>confirms what is not on the disk, or flushes message by message</td></tr>
 * <tr><td>{@code PreVotes}</td><td>in {@code AddressCheckingServer}</td>
 * <td>waits with its own election for each preliminary vote</td></tr>
 * <tr><td>{@code OlderCopy}</td><td>in {@code AddressCheckingServer}</td>
 * <td>does not notice that a node has forgotten entries</td></tr>
 * <tr><td>{@code LocalRpc}</td><td>implements {@code RpcType}</td>
 * <td>has no transport without a port</td></tr>
 * <tr><td>{@code DirectRequests}</td><td>casts {@code RaftServer.Division}</td>
 * <td>changes threads for each request</td></tr>
 * <tr><td>{@code SnapshotStorage}</td><td>extends {@code SimpleStateMachineStorage}</td>
 * <td>lists the folder for each message</td></tr>
 * </table>
 */
@NullMarked
package dev.tenon.raft.ratis;

import org.jspecify.annotations.NullMarked;
