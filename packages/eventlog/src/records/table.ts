/**
 * Every type of record with its fields, in the order of writing: the single description of the content of a log. The
 * types of records, the schemas, the reference encoder, the revision of a log and the tables in SPEC.md follow from
 * this table. To add an optional field, add the field here by `addedBy` with the next revision, write the field, and
 * read the field. Add a type of record likewise, by `typeAddedBy`.
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

const cause = required(reference, 'record that triggered this record')
const job = required(text, 'id of the job')
const happened = optional(time, 'time of the event, if `t` is the time at which the event was learned')
const bandwidth = optional(natural, 'MB/s on each of the links')
const heldLinks = optional(links)
const communication = object({
  pattern: required(text, 'pattern in which the ranks communicate'),
  share: required(natural, 'share of communication in the run time, in 1/1000'),
})

const pgft = object({
  m: required(naturals, 'children of a switch, level by level'),
  w: required(naturals, 'parents of a switch or node'),
  p: required(naturals, 'parallel cables to each parent'),
})
const graph = object({
  leaves: required(naturals, 'nodes of each leaf'),
  parents: required(list(list(naturals)), 'for each switch below the top: the switch at the other end of each up-port'),
})

const topology = either(
  { name: required(text), pgft: required(pgft, 'the shape of a regular tree') },
  { name: required(text), graph: required(graph, 'any other tree, switch by switch') },
)
const part = object({ from: required(time), until: required(time) })
const linkClass = object({
  name: required(text),
  capacity: required(natural, 'MB/s of each link of the class'),
  links: required(links),
})
const matrix = object({ name: required(text), sha256: required(hexSha256) })
const workload = object({
  name: required(text),
  source_sha256: optional(hexSha256, 'digest of the source file as published'),
  filter: required(text, 'applied filter, empty for none'),
  jobs: required(natural, 'number of jobs after the filter'),
  sha256: required(hexSha256, 'digest of the canonical list of the jobs'),
  matrices: optional(someOf(matrix), 'communication matrices that jobs name'),
})
const claims = object({
  links: required(oneOf('owned', 'capped', 'rule', 'shared')),
  rule: optional(text, 'a named set of checks'),
  full_bandwidth: required(flag),
  exact_size: required(flag),
  monotone: required(flag),
  complete: required(flag),
  speedup_scenarios: required(flag, 'true if the speed-up scenarios apply'),
})
const policy = object({
  name: required(text),
  version: required(text),
  config: required(jsonObject, 'config with every default filled in'),
  claims: required(claims, 'claims on this topology'),
  link_capacity: optional(natural, 'MB/s that jobs may hold together on one link, if links are capped'),
})
const queue = object({
  order: required(oneOf('submit', 'estimate', 'size'), 'smallest first; ties by submit'),
  backfill: required(oneOf('none', 'easy', 'conservative', 'external')),
  window: optional(natural, 'number of jobs that may pass the head, or have reservations'),
  kill: optional(oneOf(true), 'at the time of a reservation, backfilled jobs in its way are killed'),
  reservation: addedBy(
    1,
    optional(
      oneOf('movable'),
      'a reservation may move to other nodes and links at the same time, for a job that needs the reserved ones',
    ),
  ),
  passing: addedBy(
    2,
    optional(oneOf('largest', 'smallest', 'shortest'), 'window order: jobs of the window that are tried first'),
  ),
  replans: addedBy(
    2,
    optional(
      oneOf(true),
      'nodes and links of a reservation are chosen again at every scheduling pass, for the same time',
    ),
  ),
  movers: addedBy(4, optional(natural, 'least size in nodes of a job that moves a movable reservation; 1 if absent')),
  requeue: optional(oneOf(true), 'jobs killed for a reservation or a failure wait again'),
})

const overruns = object({
  by: required(text, 'treatment of the jobs'),
  jobs: required(natural),
  node_seconds: required(natural, 'node-seconds beyond the requested times'),
  of_node_seconds: required(natural, 'node-seconds of all jobs'),
  longest_seconds: addedBy(3, optional(natural, 'longest time for which one of the jobs may hold up other jobs')),
})

/** Fields of the header after `seq` and `type`. */
const header = {
  format: required(oneOf('cloister-log')),
  version: required(oneOf(VERSION)),
  revision: required(natural, 'counts the additions to the version'),
  requires: optional(names, 'features that a reader must know'),
  origin: required(oneOf('simulated', 'observed', 'driven')),
  topology: required(topology, 'the machine'),
  link_classes: optional(someOf(linkClass), 'capacities of links'),
  workload: required(workload, 'the jobs'),
  part: optional(part, 'times of the run that this log covers'),
  policy: required(policy, 'policy that places the jobs'),
  queue: required(queue, 'queue discipline'),
  estimates: required(oneOf('exact', 'requested'), 'source of the estimates of run times'),
  overrun: required(oneOf('run-on', 'kill'), 'treatment of a job that outlives its estimate'),
  overruns: addedBy(1, optional(overruns, 'jobs that outlive the times that their users asked for')),
  arrivals: required(text, 'source of the submit times'),
  scenario: required(text, 'jobs that were sped up; `none`'),
  bandwidth: optional(text, 'rule that drew jobs into classes of bandwidth'),
  communication: optional(text, 'rule that made jobs communicate'),
  router: required(textOrNull, 'router of the forwarding tables; null for none'),
  seed: required(integer, 'seed of everything that was drawn'),
  refusals: required(flag, 'true if `refuse` records and notes are written'),
  seal_every: required(naturalFrom(2), 'distance of two seals in records, at least 2'),
  program: required(text, 'program that wrote the log, with its version'),
  run_times: optional(runTimes, 'dependence of run times on the allocation'),
  epoch: optional(integer, 'Unix seconds of t = 0'),
  names: optional(text, 'names of the nodes, as a hostlist'),
  x: optional(jsonObject, 'anything'),
} satisfies Fields

const outage = { nodes: required(idset, 'may be empty'), links: heldLinks, happened } satisfies Fields

/** Fields of each type after `seq`, `t` and `type`; a header has no `t`. */
export const recordTable = {
  header,
  submit: {
    job: required(text, 'new id'),
    size: required(natural, 'number of nodes'),
    estimate: optional(time, 'run time that the scheduler believes'),
    walltime: optional(time, 'time that the user asked for, if known and different from the estimate'),
    name: optional(text),
    user: optional(text),
    account: optional(text),
    queue: optional(text, 'queue that the user chose'),
    bandwidth: optional(natural, 'MB/s wanted on every link'),
    communication: optional(communication),
    happened,
  },
  cancel: { job, happened },
  finish: { job, cause, status: optional(oneOf('failed')), happened },
  down: outage,
  up: outage,
  reserve: {
    job,
    start: required(time, 'time at which the job shall start'),
    nodes: required(idset),
    links: heldLinks,
    bandwidth,
    cause,
    happened,
  },
  unreserve: { job, for: required(reference, 'reserve that is taken back'), cause, happened },
  allocate: {
    job,
    nodes: required(idset),
    links: heldLinks,
    ranks: optional(naturals, 'node of each rank, if the order is not the order of ids'),
    bandwidth,
    estimate: optional(time, 'estimate for this allocation, if different from the estimate of the submit'),
    backfill: optional(reference, 'reserve that the job was started ahead of'),
    note: optional(json, 'note of the policy'),
    cause,
    happened,
  },
  release: { job, cause, happened },
  route: {
    job,
    op: required(oneOf('add', 'remove')),
    scheme: required(text, "the header's router"),
    entries: required(natural, 'number of entries'),
    digest: required(digest, 'digest of the entries'),
    cause,
    happened,
  },
  kill: { job, code: required(oneOf('estimate', 'reservation', 'node-down', 'cancel'), 'reason'), cause, happened },
  requeue: { job, cause, happened },
  reject: {
    job,
    code: required(text, 'reason'),
    constraint: required(text, 'constraint that failed'),
    cause,
    happened,
  },
  refuse: {
    job,
    code: required(text, 'reason'),
    constraint: required(text, 'constraint that failed'),
    nearest: optional(json, 'nearest miss'),
    cause,
    happened,
  },
  progress: { job, rate: required(natural, 'in 1/1000 of the rate at which the job runs by itself'), cause, happened },
  withdraw: { job, of: required(reference, 'start or kill that was never carried out'), cause, happened },
  fault: {
    job,
    purpose: required(text, 'purpose of the request'),
    request: required(json, 'request to the policy'),
    message: required(text, 'description of the failure'),
    cause,
    code: optional(text, 'kind of the failure'),
    limit: optional(time, 'time limit of the answer, if the policy exceeded the limit'),
  },
  gap: { since: required(time, 'time from which nobody watched') },
  seal: { state: required(digest, 'digest of the state'), hash: required(digest, 'digest of the bytes') },
  end: {
    submitted: required(natural),
    started: required(natural, 'number of allocates'),
    finished: required(natural),
    rejected: required(natural),
    killed: required(natural),
    cancelled: required(natural, 'jobs that left the queue by a cancel'),
  },
} satisfies { readonly [type: string]: Fields }

export type RecordTable = typeof recordTable
export type RecordType = keyof RecordTable

/** Returns all fields of a type of record, in order. */
export function fieldsOf(type: RecordType): Fields {
  const seq = type === 'header' ? required(oneOf(0)) : required(natural)
  const named = { seq, ...(type === 'header' ? {} : { t: required(time) }), type: required(oneOf(type)) }
  return { ...named, ...recordTable[type] }
}
