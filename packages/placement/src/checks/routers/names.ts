/** Names of the checks of a router, in their order. A check needs all checks of `basis` before it. */
export const routerCheckNames = {
  members: 'has the members of its contract',
  serves: 'serves a topology, and gives the reason if it does not serve one',
  answers: 'every call returns in time, and throws nothing',
  exist: 'every entry has a switch, a node and a port that exist, each switch once, leaves first',
  reads: 'the router reads no clock, no random number and no environment',
  arguments: 'the router changes neither the topology nor its arguments',
  same: 'the tables depend only on the topology and on the calls',
  none: 'changes none: no start and no end changes an entry',
  own: 'changes own: a start changes only entries for nodes of its job',
  end: 'changes own: the end of a job takes back exactly the entries of the job',
  port: 'port() has the entries that the calls returned',
  loops: 'entries lead to their nodes, without a loop',
  owned: 'links owned: entries for a job use only nodes and links of the job',
  connects: 'the tables connect every two nodes of a running job',
  whole: 'changes none or any: every leaf reaches each node that has an entry',
  order: 'changes none or own: the tables are equal after any order of the same jobs',
  failures: 'change: the tables connect the nodes of a job, as long as working links do',
  unroutable: 'change: unroutable names two nodes of a job that no working links connect',
  repair: 'change: the repair of all failures restores the tables',
} as const

/** Name of a check of a router. */
export type RouterCheckName = (typeof routerCheckNames)[keyof typeof routerCheckNames]
