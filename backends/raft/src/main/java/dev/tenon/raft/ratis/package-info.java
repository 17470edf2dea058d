/**
 * What Tenon bends of Apache Ratis 3.3.0: the classes that extend, wrap or cast what Ratis does not offer for that, and nothing else. Internal:
 * its public types serve {@code dev.tenon.raft} alone, and change with Ratis.
 *
 * <p>Each class says what it bends, why, and when it can go. Its test shows on Ratis' own class that the reason still stands, and that Ratis
 * still calls what is bent: a newer Ratis that needs a bend no more, or allows it no more, fails it.
 *
 * <table>
 * <caption>Bends</caption>
 * <tr><th>class</th><th>how</th><th>because Ratis</th><th>test</th></tr>
 * <tr><td>{@code ClusterRpc}</td><td>extends {@code GrpcFactory}</td><td>has no other way in for the next three</td><td>{@code ClusterRpcBendTest}</td></tr>
 * <tr><td>{@code AddressCheckingServer}</td><td>proxy of {@code RaftServer}</td><td>takes what is addressed to another identity</td>
 * <td>{@code AddressCheckingServerBendTest}</td></tr>
 * <tr><td>{@code PromptAppender}</td><td>extends {@code GrpcLogAppender} and {@code AwaitForSignal}</td><td>forgets wake-ups</td>
 * <td>{@code PromptAppenderBendTest}</td></tr>
 * <tr><td>{@code PromptLeader}</td><td>wraps {@code LeaderState}</td><td>tells a follower too late that an entry is committed</td>
 * <td>{@code PromptLeaderBendTest}</td></tr>
 * <tr><td>{@code OrderedEntries}</td><td>in {@code AddressCheckingServer}</td><td>confirms what is not on the disk, or flushes message by message</td>
 * <td>{@code OrderedEntriesBendTest}</td></tr>
 * <tr><td>{@code PreVotes}</td><td>in {@code AddressCheckingServer}</td><td>waits with its own election for each preliminary vote</td>
 * <td>{@code PreVotesBendTest}</td></tr>
 * <tr><td>{@code OlderCopy}</td><td>in {@code AddressCheckingServer}</td><td>does not notice that a node has forgotten entries</td>
 * <td>{@code OlderCopyBendTest}</td></tr>
 * <tr><td>{@code LocalRpc}</td><td>implements {@code RpcType}</td><td>has no transport without a port</td><td>{@code LocalRpcBendTest}</td></tr>
 * <tr><td>{@code DirectRequests}</td><td>casts {@code RaftServer.Division}</td><td>changes threads for each request</td>
 * <td>{@code DirectRequestsBendTest}</td></tr>
 * <tr><td>{@code SnapshotStorage}</td><td>extends {@code SimpleStateMachineStorage}</td><td>lists the folder for each message</td>
 * <td>{@code SnapshotStorageBendTest}</td></tr>
 * </table>
 */
@NullMarked
package dev.tenon.raft.ratis;

import org.jspecify.annotations.NullMarked;
