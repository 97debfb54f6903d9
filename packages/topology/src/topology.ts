/** The shape of a machine as everything else sees it. Plain data: build one with `parseTopology` or `pgft`. */

/** PGFT(h; m1..mh; w1..wh; p1..ph), Zahavi 2010: children, parents and parallel cables of each level, leaves first. */
export interface PgftShape {
  readonly m: ReadonlyArray<number>
  readonly w: ReadonlyArray<number>
  readonly p: ReadonlyArray<number>
}

/**
 * One level of switches. Its up-ports (equally: the links to the level above) are dense integers:
 * `firstPort[sw] + port`. On a PGFT port `u` of a switch leads to its parent `u mod w` by cable `floor(u / w)`.
 */
export interface SwitchLevel {
  readonly switches: number
  /** Number of links to the level above, all switches together; 0 at the top. */
  readonly links: number
  /** First up-port of each switch; length `switches + 1`. */
  readonly firstPort: Int32Array
  /** Switch of the level above at the other end of each link; length `links`. */
  readonly parentOfLink: Int32Array
  /** Names of the switches, where the source of the topology gives them. */
  readonly names?: ReadonlyArray<string>
}

/**
 * A fat tree or a switch graph. Ids of nodes and switches are dense integers in tree order: the nodes of a leaf, the
 * leaves of a pod and the L2 switches of a pod are contiguous. A **pod** is a set of leaves connected by the same L2
 * switches (the Jigsaw paper's "tree"); a machine with a single level of switches is one pod.
 */
export interface Topology {
  /** Canonical spec, `radix:18`. */
  readonly name: string
  /** Present for regular trees; an irregular graph of switches has none. */
  readonly pgft?: PgftShape
  /** Why a graph of switches that was read from a file is no regular tree: what is odd about one of its switches. */
  readonly irregularity?: string
  /** What a file holds of a machine that is not in its topology, or is odd: hosts that are no nodes, slow cables. */
  readonly remarks?: ReadonlyArray<string>
  readonly nodes: number
  readonly leaves: number
  readonly pods: number
  /** From the leaves up: `levels[0]` are the leaves, `levels[1]` the L2 switches, `levels[2]` the spines, … */
  readonly levels: ReadonlyArray<SwitchLevel>
  /** First node of each leaf; length `leaves + 1`. */
  readonly firstNodeOfLeaf: Int32Array
  readonly leafOfNode: Int32Array
  /** First leaf of each pod; length `pods + 1`. */
  readonly firstLeafOfPod: Int32Array
  readonly podOfLeaf: Int32Array
  /** First L2 switch of each pod; length `pods + 1`. */
  readonly firstL2OfPod: Int32Array
  /** Name of each node (`cab17`), where the source of the topology gives them. */
  readonly nodeNames?: ReadonlyArray<string>
}
