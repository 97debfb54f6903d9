/**
 * Every type of record with its fields, in the order of writing: the single description of the content of a log. The
 * types of records, the schemas, the reference encoder, the revision and the features of a log and the tables in
 * SPEC.md follow from this table. To add an optional field, add the field here by `addedBy` with the next revision, write
 * the field, and read the field. To add a type of record, use `typeAddedBy`. If a reader would misunderstand a log without
 * knowing the field or type, wrap the addition in `mustBeKnown` or `typeMustBeKnown` with the name of a feature.
 */
import {
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
  mustBeKnown,
  names,
  natural,
  naturalFrom,
  naturals,
  object,
  oneOf,
  optional,
  queueSpec,
  reference,
  required,
  someOf,
  text,
  time,
  typeMustBeKnown,
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
/** Options of a run, named as in an experiment. An optional option that is absent has its default value. */
const options = object({
  procsPerNode: optional(naturalFrom(1), 'processors of a node, by which sizes in SWF were converted'),
  sizes: optional(oneOf('requested', 'allocated'), 'field of SWF that is the size of a job'),
  skipBadLines: optional(oneOf(true), 'lines of the trace that hold no job were skipped'),
  arrivals: required(text, 'arrival times: `zero`, `trace` or `scale:FACTOR`'),
  arrivesWhen: optional(oneOf('submit'), 'time in the accounting at which a job arrives; default `eligible`'),
  timeZone: optional(text, 'time zone of the times in the accounting; default `UTC`'),
  resample: optional(text, 'rule by which another workload was drawn from the trace'),
  queue: required(queueSpec, 'queue discipline, window and queue order'),
  reservation: optional(oneOf('fixed'), 'reservations keep their nodes and links; default `movable`'),
  windowOrder: optional(
    oneOf('largest', 'smallest', 'shortest'),
    'order in which easy tries the jobs of its window; default: queue order',
  ),
  replan: optional(oneOf(true), 'every scheduling pass chooses the reserved nodes and links again, for the same time'),
  moveMinNodes: optional(naturalFrom(2), 'least size in nodes of a job that moves a movable reservation; default 1'),
  estimates: required(oneOf('exact', 'requested'), 'source of the estimates: run time or walltime'),
  overrun: optional(
    oneOf('run-on', 'clamp', 'extend'),
    'treatment of a job whose run time exceeds its walltime; default `kill`',
  ),
  requeue: optional(oneOf(true), 'jobs killed for a reservation or a failure wait again'),
  scenario: optional(text, 'rule by which jobs were sped up; default `none`'),
  bandwidth: optional(oneOf('classes'), 'rule by which jobs got bandwidths; default `none`'),
  communication: optional(text, 'rule by which jobs were made to communicate; default `none`'),
  runTimes: optional(oneOf('communication', 'contention'), 'model of the run times; default `fixed`'),
  router: optional(text, 'router of the forwarding tables; default `none`'),
  seed: optional(integer, 'seed of everything that was drawn; default 1'),
  refusals: optional(oneOf(true), '`refuse` records and notes are written'),
})

const overruns = object({
  jobs: required(natural, 'number of the jobs'),
  node_seconds: required(natural, 'node-seconds beyond the requested times'),
  of_node_seconds: required(natural, 'node-seconds of all jobs'),
  longest_seconds: optional(natural, 'longest time for which one of the jobs may hold up other jobs'),
})

/** Fields of the header after `seq` and `type`. */
const header = {
  format: required(oneOf('cloister-log')),
  version: required(oneOf(VERSION)),
  revision: required(natural, 'counts the additions to the version'),
  requires: optional(names, 'features that a reader must know'),
  origin: required(oneOf('simulated', 'observed', 'driven')),
  topology: required(topology, 'the machine'),
  link_classes: mustBeKnown('link_classes', optional(someOf(linkClass), 'capacities of links')),
  workload: required(workload, 'the jobs'),
  part: mustBeKnown('part', optional(part, 'times of the run that this log covers')),
  policy: required(policy, 'policy that places the jobs'),
  options: required(options, 'options of the run'),
  overruns: optional(overruns, 'jobs that outlive the times that their users asked for'),
  seal_every: required(naturalFrom(2), 'distance of two seals in records, at least 2'),
  program: required(text, 'program that wrote the log, with its version'),
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
  progress: typeMustBeKnown('progress', {
    job,
    rate: required(natural, 'in 1/1000 of the rate at which the job runs by itself'),
    cause,
    happened,
  }),
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
