/**
 * Every type of record with its fields, in the order in which they are written: the one place that says what a log holds.
 * From it follow the types of records, their schemas, the reference encoder, the revision of a log, and the tables in SPEC.md. To
 * add an optional field, add it here by `addedBy` with the next revision, write it, and read it; likewise a type by `typeAddedBy`.
 */
import {
  addedBy,
  digest,
  either,
  type Fields,
  flag,
  hexSha256,
  idset,
  integer,
  json,
  jsonObject,
  links,
  list,
  names,
  natural,
  naturalFrom,
  naturals,
  object,
  oneOf,
  optional,
  reference,
  required,
  runTimes,
  someOf,
  text,
  textOrNull,
  time,
} from './kinds.ts'
import { VERSION } from './versions.ts'

const cause = required(reference, 'what triggered it')
const job = required(text, 'its id')
const happened = optional(time, 'when it happened, where `t` is when it was learned')
const bandwidth = optional(natural, 'MB/s on each of the links')
const heldLinks = optional(links)
const communication = object({
  pattern: required(text, 'in which its ranks communicate'),
  share: required(natural, 'of its time, in 1/1000'),
})

const pgft = object({
  m: required(naturals, 'children of a switch, level by level'),
  w: required(naturals, 'parents of a switch or node'),
  p: required(naturals, 'parallel cables to each parent'),
})
const graph = object({
  leaves: required(naturals, 'nodes of each leaf'),
  parents: required(list(list(naturals)), 'of each switch below the top: the switch at the other end of each up-port'),
})

const topology = either(
  { name: required(text), pgft: required(pgft, 'the shape of a regular tree') },
  { name: required(text), graph: required(graph, 'any other, switch by switch') },
)
const part = object({ from: required(time), until: required(time) })
const linkClass = object({
  name: required(text),
  capacity: required(natural, 'MB/s of each of its links'),
  links: required(links),
})
const matrix = object({ name: required(text), sha256: required(hexSha256) })
const workload = object({
  name: required(text),
  source_sha256: optional(hexSha256, 'of the source file as published'),
  filter: required(text, 'that was applied, empty for none'),
  jobs: required(natural, 'left by it'),
  sha256: required(hexSha256, 'of their canonical list'),
  matrices: optional(someOf(matrix), 'communication matrices that jobs name'),
})
const claims = object({
  links: required(oneOf('owned', 'capped', 'rule', 'shared')),
  rule: optional(text, 'a named set of checks'),
  full_bandwidth: required(flag),
  exact_size: required(flag),
  monotone: required(flag),
  complete: required(flag),
  speedup_scenarios: required(flag, 'whether they apply'),
})
const policy = object({
  name: required(text),
  version: required(text),
  config: required(jsonObject, 'with every default filled in'),
  claims: required(claims, 'on this topology'),
  link_capacity: optional(natural, 'MB/s that jobs may hold together on one link, where links are capped'),
})
const queue = object({
  order: required(oneOf('submit', 'estimate', 'size'), 'smallest first; ties by submit'),
  backfill: required(oneOf('none', 'easy', 'conservative', 'external')),
  window: optional(natural, 'jobs that may pass the head, or have reservations'),
  kill: optional(oneOf(true), 'at its time backfilled jobs in the way of a reservation are killed'),
  reservation: addedBy(
    1,
    optional(oneOf('movable'), 'it may move to other parts at the same time, for a job that needs its own'),
  ),
  passing: addedBy(2, optional(oneOf('largest', 'smallest', 'shortest'), "which of the window's jobs are tried first")),
  replans: addedBy(2, optional(oneOf(true), 'what is reserved is chosen anew at every pass, for the same time')),
  movers: addedBy(
    4,
    optional(natural, 'the fewest nodes of a job that moves a movable reservation; 1 where it is not there'),
  ),
  requeue: optional(oneOf(true), 'jobs killed for a reservation or a failure wait again'),
})

const overruns = object({
  by: required(text, 'what becomes of them'),
  jobs: required(natural),
  node_seconds: required(natural, 'beyond what was asked for'),
  of_node_seconds: required(natural, 'of all jobs'),
  longest_seconds: addedBy(3, optional(natural, 'for which one of them may hold up the others')),
})

/** The header's fields behind `seq` and `type`. */
const header = {
  format: required(oneOf('cloister-log')),
  version: required(oneOf(VERSION)),
  revision: required(natural, 'counts the additions to the version'),
  requires: optional(names, 'features that a reader must know'),
  origin: required(oneOf('simulated', 'observed', 'driven')),
  topology: required(topology, 'the machine'),
  link_classes: optional(someOf(linkClass), 'what links can carry'),
  workload: required(workload, 'the jobs'),
  part: optional(part, 'the times of the run that this log is a part of'),
  policy: required(policy, 'who places them'),
  queue: required(queue, 'who is tried when'),
  estimates: required(oneOf('exact', 'requested'), "what is believed of a job's run time"),
  overrun: required(oneOf('run-on', 'kill'), 'what becomes of a job that outlives its estimate'),
  overruns: addedBy(1, optional(overruns, 'of jobs that outlive what their users asked for')),
  arrivals: required(text, 'how submit times were made'),
  scenario: required(text, 'which jobs were sped up; `none`'),
  bandwidth: optional(text, 'how jobs were drawn into classes of bandwidth'),
  communication: optional(text, 'how jobs were made to communicate'),
  router: required(textOrNull, 'of the forwarding tables; null for none'),
  seed: required(integer, 'of everything that was drawn'),
  refusals: required(flag, 'whether `refuse` records and notes are written'),
  seal_every: required(naturalFrom(2), 'records between two seals, at least 2'),
  program: required(text, 'that wrote the log, with its version'),
  run_times: optional(runTimes, 'how the time that a job takes depends on where it runs'),
  epoch: optional(integer, 'Unix seconds of t = 0'),
  names: optional(text, 'of the nodes, as a hostlist'),
  x: optional(jsonObject, 'anything'),
} satisfies Fields

const outage = { nodes: required(idset, 'may be empty'), links: heldLinks, happened } satisfies Fields

/** Of each type its fields behind `seq`, `t` and `type`; a header has no `t`. */
export const recordTable = {
  header,
  submit: {
    job: required(text, 'new'),
    size: required(natural, 'nodes'),
    estimate: optional(time, 'what the scheduler believes of its run time'),
    walltime: optional(time, 'what its user asked for, where that is another time and known'),
    name: optional(text),
    user: optional(text),
    account: optional(text),
    queue: optional(text, 'of those that users choose from'),
    bandwidth: optional(natural, 'MB/s that it wants of every link'),
    communication: optional(communication),
    happened,
  },
  cancel: { job, happened },
  finish: { job, cause, status: optional(oneOf('failed')), happened },
  down: outage,
  up: outage,
  reserve: {
    job,
    start: required(time, 'when it shall start'),
    nodes: required(idset),
    links: heldLinks,
    bandwidth,
    cause,
    happened,
  },
  unreserve: { job, for: required(reference, 'the reserve that is taken back'), cause, happened },
  allocate: {
    job,
    nodes: required(idset),
    links: heldLinks,
    ranks: optional(naturals, 'the node of each rank, where their order is not that of ids'),
    bandwidth,
    estimate: optional(time, 'on these resources, where it is another than the submit has'),
    backfill: optional(reference, 'the reserve that it was started ahead of'),
    note: optional(json, "the policy's"),
    cause,
    happened,
  },
  release: { job, cause, happened },
  route: {
    job,
    op: required(oneOf('add', 'remove')),
    scheme: required(text, "the header's router"),
    entries: required(natural, 'how many'),
    digest: required(digest, 'of the entries'),
    cause,
    happened,
  },
  kill: { job, code: required(oneOf('estimate', 'reservation', 'node-down', 'cancel'), 'why'), cause, happened },
  requeue: { job, cause, happened },
  reject: { job, code: required(text, 'why'), constraint: required(text, 'what failed'), cause, happened },
  refuse: {
    job,
    code: required(text, 'why'),
    constraint: required(text, 'what failed'),
    nearest: optional(json, 'what came nearest'),
    cause,
    happened,
  },
  progress: { job, rate: required(natural, 'in 1/1000 of the rate at which it runs by itself'), cause, happened },
  withdraw: { job, of: required(reference, 'the start or kill that was never carried out'), cause, happened },
  fault: {
    job,
    purpose: required(text, 'for which the policy was asked'),
    request: required(json, 'that it was asked'),
    message: required(text, 'that it failed with'),
    cause,
    code: optional(text, 'how it failed'),
    limit: optional(time, 'that it was given for the answer, where it took longer'),
  },
  gap: { since: required(time, 'nobody watched from here on') },
  seal: { state: required(digest, 'of the state'), hash: required(digest, 'of the bytes') },
  end: {
    submitted: required(natural),
    started: required(natural, 'allocates'),
    finished: required(natural),
    rejected: required(natural),
    killed: required(natural),
    cancelled: required(natural, 'jobs that left the queue by a cancel'),
  },
} satisfies { readonly [type: string]: Fields }

export type RecordTable = typeof recordTable
export type RecordType = keyof RecordTable

/** All fields of a type of record, in order. */
export function fieldsOf(type: RecordType): Fields {
  const seq = type === 'header' ? required(oneOf(0)) : required(natural)
  const named = { seq, ...(type === 'header' ? {} : { t: required(time) }), type: required(oneOf(type)) }
  return { ...named, ...recordTable[type] }
}
