/** Shape of a machine as plain data, for all other packages. `parseTopology` and `pgft` build a topology. */

/**
 * Shape of PGFT(h; m1..mh; w1..wh; p1..ph), Zahavi 2010, leaves first: `m` is the number of children of a switch of
 * each level, `w` the parents of a node or switch of the level below, `p` the parallel cables to each parent.
 */
export interface PgftShape {
  readonly m: ReadonlyArray<number>
  readonly w: ReadonlyArray<number>
  readonly p: ReadonlyArray<number>
}

/**
 * Level of switches. The up-ports of all switches of a level, and so the links to the level above, have dense integers
 * as ids: `firstPort[sw] + port`. On a PGFT, port `u` of a switch leads to parent `u mod w` by cable `floor(u / w)`.
 */
export interface SwitchLevel {
  readonly switches: number
  /** Number of links of all switches to the level above; 0 at the top. */
  readonly links: number
  /** Id of the first up-port of each switch, then the number of all links; length `switches + 1`. */
  readonly firstPort: Int32Array
  /** Switch at the upper end of each link, a number within the level above; length `links`. */
  readonly parentOfLink: Int32Array
  /** Names of the switches; absent if the source of the topology has none. */
  readonly names?: ReadonlyArray<string>
}

/**
 * Regular tree that a machine would be if no part were absent, with the id that each part of the machine has in the
 * whole tree. The ids of the machine's parts are dense and in the order of the ids in the whole tree.
 */
export interface Envelope {
  readonly shape: PgftShape
  /** Id in the whole tree of each node. */
  readonly nodes: Int32Array
  /** Id in the whole tree of each switch of each level, from the leaves up. */
  readonly switches: ReadonlyArray<Int32Array>
  /** Id in the whole tree of each link of each level. Modulo the up-ports of a switch, the id is the up-port. */
  readonly links: ReadonlyArray<Int32Array>
}

/**
 * Rails of a machine whose nodes have several adapters. A **rail** is a tree over all nodes, on which each node has one
 * adapter. All rails are equal: a node, a switch and a link have the same position in each rail.
 */
export interface Rails {
  /** Number of rails, from 2 to 64. */
  readonly count: number
  /**
   * Lowest level of the switches that all rails have in common, at least 1; absent if the rails have no common switch.
   * Rails never have a common cable: a common switch has the cables of each rail.
   */
  readonly commonFrom?: number
}

/**
 * Nodes with a faster interconnect between them, such as an NVLink domain. A block may have a part of a leaf, a leaf, or
 * several leaves.
 */
export interface NodeBlock {
  readonly name: string
  /** Ids of the nodes, ascending; at least one. */
  readonly nodes: Int32Array
}

/**
 * Fat tree or switch graph. Ids of nodes and switches are dense integers in tree order: the nodes of a leaf, the leaves
 * of a pod and the L2 switches of a pod are contiguous. A **pod** is a set of leaves that L2 switches connect, with
 * these L2 switches (a "tree" in the Jigsaw paper). A machine with a single level of switches is a single pod.
 */
export interface Topology {
  /** Name of the machine; from `parseTopology`, the spec without folder and `@FILE`, such as `radix:18`. */
  readonly name: string
  /** Shape of a regular tree; absent if a part of the tree is absent, and for an irregular graph of switches. */
  readonly pgft?: PgftShape
  /**
   * Whole tree around a machine with absent parts; absent otherwise. An absent part has no id, so `nodes` and all other
   * numbers count only present parts. A policy that works with positions in the whole tree reads the positions here.
   */
  readonly envelope?: Envelope
  /**
   * Rails of a machine whose nodes have several adapters; absent if each node has one adapter. All other members count
   * one rail: a switch or link is a **position**, and stands for a switch or cable of each rail. A job that holds a link
   * holds the cable at the link's position in each rail, so a policy needs to know one rail only. `wholeFabric` returns all
   * switches and cables.
   */
  readonly rails?: Rails
  /**
   * Reason why no regular tree contains a switch graph, such as "switches a and b, which are connected below, both lead
   * to c"; else absent.
   */
  readonly irregularity?: string
  /** Remarks on the machine's file, such as hosts that are no nodes, and cables slower than most; absent if none. */
  readonly remarks?: ReadonlyArray<string>
  readonly nodes: number
  readonly leaves: number
  readonly pods: number
  /** Levels from the leaves up: `levels[0]` has the leaves, `levels[1]` the L2 switches, `levels[2]` the spines, … */
  readonly levels: ReadonlyArray<SwitchLevel>
  /** First node of each leaf, then the number of all nodes; length `leaves + 1`. */
  readonly firstNodeOfLeaf: Int32Array
  readonly leafOfNode: Int32Array
  /** First leaf of each pod, then the number of all leaves; length `pods + 1`. */
  readonly firstLeafOfPod: Int32Array
  readonly podOfLeaf: Int32Array
  /** First L2 switch of each pod, then the number of all L2 switches; length `pods + 1`. */
  readonly firstL2OfPod: Int32Array
  /**
   * Blocks of nodes in the order of their first nodes: each node is in one block. Absent if the source of the topology
   * names no block. The policies slurm-block and kueue-tas read the blocks; links do not depend on them.
   */
  readonly blocks?: ReadonlyArray<NodeBlock>
  /** Name of each node, such as `cab17`; absent if the source of the topology has none. */
  readonly nodeNames?: ReadonlyArray<string>
}
