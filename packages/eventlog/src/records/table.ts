/**
 * Every type of record with its fields, in the order of writing. The types of records, the schemas, the reference
 * encoder, the revision and the features of a log and the tables in SPEC.md follow from this table. To add an optional
 * field, add the field to this table by `addedBy` with the next revision, and change the writers and readers of the
 * record. To add a type of record, use `typeAddedBy`. If a reader would misunderstand a log without knowing the field
 * or type, wrap the addition in `mustBeKnown` or `typeMustBeKnown` with the name of a feature.
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
  migrateSpec,
  mustBeKnown,
  names,
  natural,
  naturalFrom,
  naturals,
  object,
  oneOf,
  optional,
  positive,
  queueSpec,
  ratio,
  reference,
  required,
  someOf,
  tableEntries,
  text,
  time,
  typeMustBeKnown,
} from './kinds.ts'

/** Version of the format that this table describes, and that this program writes. */
export const VERSION = 3

const cause = required(reference, 'seq of the earlier record that triggered this record')
const job = required(text, 'id of the job that the record is about')
const happened = optional(
  time,
  'time at which the event happened, if `t` is the time at which the writer of the log learned of the event',
)
const bandwidth = optional(natural, 'MB/s for the job on each link of `links`')
const heldLinks = optional(links, 'ids of links, one idset a level')
const communication = object({
  pattern: required(text, 'communication pattern of the ranks, such as `alltoall` or `matrix:NAME`'),
  share: required(natural, 'share of the run time that the job spends communicating, in 1/1000'),
})

const pgft = object({
  m: required(naturals, 'children of each switch, one number a level, leaves first'),
  w: required(naturals, 'parents of each node, then of each switch, one number a level'),
  p: required(naturals, 'parallel cables to each parent, one number a level, cables of nodes first'),
})
const graph = object({
  leaves: required(naturals, 'number of nodes of each leaf switch, in id order'),
  parents: required(
    list(list(naturals)),
    'for each level below the top, and each switch of the level: the switch at the other end of each up-port',
  ),
})

const absent = object({
  nodes: optional(text, 'absent nodes of present leaves, as an idset'),
  switches: optional(list(text), 'absent switches, one idset a level'),
  links: optional(list(text), 'absent links between present switches, one idset a level'),
})

const rails = {
  ...optional(
    object({
      count: required(naturalFrom(2), 'number of rails'),
      common_from: optional(
        naturalFrom(1),
        'lowest level of the switches that all rails have in common; absent if the rails have no common switch',
      ),
    }),
    'equal trees over the same nodes, one for each adapter of a node; absent if each node has one adapter',
  ),
  feature: 'rails',
}
const block = object({
  name: required(text, 'name of the block'),
  nodes: required(idset, 'ids of the nodes of the block'),
})
const blocks = mustBeKnown(
  'blocks',
  optional(list(block), 'blocks of nodes with a faster interconnect between them, such as NVLink domains'),
)

const topology = either(
  {
    name: required(text, 'name of the topology'),
    blocks,
    pgft: required(pgft, 'shape of a regular tree; absent if `envelope` or `graph` is present'),
    rails,
  },
  {
    name: required(text, 'name of the topology'),
    blocks,
    envelope: { ...required(pgft, 'shape of a regular tree of which some parts are absent'), feature: 'absent' },
    absent: required(absent, 'absent parts of the regular tree, with their ids in the whole tree'),
    rails,
  },
  {
    name: required(text, 'name of the topology'),
    blocks,
    graph: required(graph, 'switches of a tree, one by one; absent if `pgft` or `envelope` is present'),
    rails,
  },
)
const part = object({ from: required(time, 'start of the part'), until: required(time, 'end of the part') })
const linkClass = object({
  name: required(text, 'name of the class of links'),
  capacity: required(natural, 'MB/s of each link of the class'),
  links: required(links, 'links of the class, one idset a level'),
})
const matrix = object({
  name: required(text, 'name of the communication matrix'),
  sha256: required(hexSha256, 'SHA-256 of the file of the matrix'),
})
const workload = object({
  name: required(text, 'name of the workload'),
  source_sha256: optional(hexSha256, 'SHA-256 of the source file as published'),
  filter: required(text, 'filter that selected the jobs; empty for no filter'),
  jobs: required(natural, 'number of jobs that the filter kept'),
  sha256: required(hexSha256, 'SHA-256 of the canonical list of the jobs'),
  submits_sha256: optional(
    hexSha256,
    'SHA-256 of all submit records, each with seq 0; absent if the jobs are not known',
  ),
  matrices: optional(someOf(matrix), 'communication matrices that the patterns of jobs name'),
})
const share = object({
  uplink: required(ratio, 'flows on each leaf uplink and direction, at most'),
  spine: required(ratio, 'flows on each L2 uplink and direction, at most'),
})
const claims = object({
  links: required(
    oneOf('owned', 'capped', 'rule', 'shared'),
    'use of links: one job a link, a cap in MB/s, the checks of `rule`, or any job on any link',
  ),
  rule: optional(text, 'name of a set of further checks in the auditor'),
  full_bandwidth: required(flag, 'true if every allocation has full bandwidth'),
  share_bandwidth: optional(share, 'every allocation has its share of a tapered tree, with these loads of links'),
  exact_size: required(flag, 'true if every allocation has exactly the requested number of nodes'),
  monotone: required(flag, 'true if a refused request is also refused when fewer of the same resources are free'),
  complete: required(flag, 'true if the policy finds a placement whenever its class of placements has one'),
  any_free_nodes: optional(oneOf(true), 'the policy places every job for which enough nodes are free'),
  speedup_scenarios: required(flag, 'true if the option `scenario` shortens run times under the policy'),
})
const policy = object({
  name: required(text, 'name of the policy'),
  version: required(text, 'version of the policy'),
  config: required(jsonObject, 'config of the policy, with every default filled in'),
  claims: required(claims, 'claims of the policy on the topology of the header'),
  link_capacity: optional(natural, 'MB/s that all jobs together may hold on one link, if `claims.links` is `capped`'),
})
const router = object({
  name: required(text, 'name of the router'),
  version: required(text, 'version of the router'),
  claims: required(
    object({
      links: required(oneOf('owned', 'shared'), 'entries use only links of their job (`owned`), or any links'),
      changes: required(
        oneOf('none', 'own', 'any'),
        'entries that a start or end changes: none, entries for nodes of its job, or any entries',
      ),
    }),
    'claims of the router',
  ),
  reroutes: optional(oneOf(true), 'the router answers failures and repairs with changes of the tables'),
})
/** Options of a run, with the same names as in an experiment. An absent option has its default. */
const options = object({
  procsPerNode: optional(naturalFrom(1), 'processors of a node, used to convert sizes in SWF into nodes'),
  sizes: optional(oneOf('requested', 'allocated'), 'field of the SWF trace that is the size of a job'),
  skipBadLines: optional(oneOf(true), 'lines of the trace without a job were skipped'),
  arrivals: required(
    text,
    'arrival times: all at 0 (`zero`), as in the trace (`trace`), or multiplied (`scale:FACTOR`)',
  ),
  arrivesWhen: optional(oneOf('submit'), "time in Slurm's accounting at which a job arrives; default `eligible`"),
  timeZone: optional(text, "time zone of the times in Slurm's accounting; default `UTC`"),
  columns: optional(text, 'columns of the trace, a table in CSV or Parquet'),
  resample: optional(text, 'rule that drew the workload from the trace, such as `weeks:7`'),
  queue: required(queueSpec, 'queue discipline and window'),
  reservation: optional(
    oneOf('fixed'),
    'reservations keep their nodes and links; default `movable`: reservations keep only their times',
  ),
  windowOrder: optional(
    oneOf('largest', 'smallest', 'shortest'),
    'order in which EASY tries the jobs of its window; default: queue order',
  ),
  replan: optional(
    oneOf(true),
    'every scheduling pass of EASY chooses the reserved nodes and links again, for the same start time',
  ),
  moveMinNodes: optional(
    naturalFrom(2),
    'least size, in nodes, of a job that may move a movable reservation of EASY; default 1',
  ),
  migrate: mustBeKnown(
    'migrate',
    optional(
      migrateSpec,
      'time that a move adds to a running job, in seconds, and most moves for one start; default: no job moves',
    ),
  ),
  estimates: required(
    oneOf('exact', 'requested'),
    'source of the estimates: run time (`exact`) or walltime (`requested`)',
  ),
  overrun: optional(
    oneOf('run-on', 'clamp', 'extend'),
    'treatment of a job whose run time exceeds its walltime; default `kill`',
  ),
  requeue: optional(oneOf(true), 'jobs that were killed for a reservation or a failure wait again'),
  unroutable: optional(oneOf('kill'), 'treatment of a job that loses its routes by a failure; default `run-on`'),
  scenario: optional(text, 'rule that shortened the run times of jobs, such as `10%`; default `none`'),
  bandwidth: optional(oneOf('classes'), 'rule that drew the bandwidth of each job; default `none`'),
  communication: optional(
    text,
    'rule that chose the communicating jobs, such as `90%:recursive-doubling:50%`; default `none`',
  ),
  runTimes: optional(
    oneOf('communication', 'contention'),
    'model of the run times of communicating jobs; default `fixed`: no allocation changes a run time',
  ),
  cost: optional(
    oneOf('sized', 'plain'),
    'measure of communication costs; default `effective`: effective hops, all steps of a pattern weigh the same',
  ),
  costsFrom: optional(
    oneOf('two-runs', 'one-run'),
    'earlier runs whose communication costs scaled the run times; default `none`',
  ),
  seed: optional(integer, 'seed of all random draws of the run; default 1'),
  refusals: optional(oneOf(true), 'the log has `refuse` records, and notes in allocate records'),
})

const order = object({
  name: required(text, 'name of the order'),
  version: required(text, 'version of the order'),
  config: required(jsonObject, 'config of the order, with every default filled in'),
  claims: required(
    object({
      fixed: required(flag, 'the score of a job depends only on the submit record of the job'),
      history: required(flag, 'scores depend on runs that have ended'),
      waits: optional(oneOf(true), 'the order may keep all jobs waiting in a scheduling pass, as an agent may'),
      recorded: optional(oneOf(true), 'scores depend on `turn`, and a job joins the queue at its `eligible`'),
    }),
    'claims of the order',
  ),
})

const overruns = object({
  jobs: required(natural, 'number of jobs with a run time above their walltime'),
  node_seconds: required(natural, 'node-seconds of all jobs beyond their walltimes'),
  of_node_seconds: required(natural, 'node-seconds of all run times of the workload'),
  longest_seconds: optional(
    natural,
    'longest time that a job runs beyond its walltime, in seconds, if `overrun` is `run-on`',
  ),
})

const header = {
  format: required(oneOf('cloister-log'), 'name of the format'),
  version: required(oneOf(VERSION), 'version of the format'),
  revision: required(natural, 'revision of the version that has every field and type of record of the log'),
  requires: optional(names, 'features that a reader must know to understand the log, ascending'),
  origin: required(
    oneOf('simulated', 'observed', 'driven'),
    'source of the events: a simulation, a watched foreign scheduler, or a real machine that this program schedules',
  ),
  topology: required(topology, 'topology of the machine'),
  link_classes: mustBeKnown('link_classes', optional(someOf(linkClass), 'classes of links with known capacities')),
  workload: required(workload, 'workload of the run'),
  part: mustBeKnown(
    'part',
    optional(part, 'times of the run that this log covers; absent if the log covers the whole run'),
  ),
  policy: required(policy, 'policy that places the jobs'),
  router: optional(router, 'router that fills the forwarding tables; absent if the log has no routes'),
  order: mustBeKnown('order', optional(order, 'order of the waiting jobs; absent for the order of submission')),
  options: required(options, 'options of the run'),
  overruns: optional(overruns, 'count of the jobs with a run time above their walltime'),
  seal_every: required(naturalFrom(2), 'distance between two seals, in records'),
  program: required(text, 'program that wrote the log, with its version'),
  epoch: optional(integer, 'Unix time of t = 0, in seconds'),
  names: optional(text, 'names of the nodes in id order, as a hostlist'),
  switch_names: optional(text, 'names of the switches from the leaves up, each level in id order, as a hostlist'),
  x: optional(jsonObject, 'any further facts of the writer; no reader needs these facts'),
} satisfies Fields

const outage = {
  nodes: required(idset, 'ids of nodes; may be empty'),
  links: heldLinks,
  rails: optional(idset, 'rails of `cables`; absent if the links failed or came back in every rail'),
  cables: optional(links, 'links of which a cable failed or came back, in each of `rails`; one idset a level'),
  happened,
} satisfies Fields

/** Fields of each type of record after the first fields `seq`, `t` and `type`; a header has no `t`. */
export const recordTable = {
  header,
  submit: {
    job: required(text, 'id of the new job; no earlier job has this id'),
    size: required(natural, 'number of nodes that the job requests'),
    estimate: optional(time, 'run time that the scheduler believes'),
    walltime: optional(time, 'time that the user asked for; absent if unknown or equal to `estimate`'),
    name: optional(text, 'name of the job'),
    user: optional(text, 'user who submitted the job'),
    account: optional(text, 'account that pays for the job'),
    queue: optional(text, "queue that the user chose; Slurm's partition"),
    qos: optional(text, 'quality of service (QOS) of the job'),
    advance_reservation: optional(text, "advance reservation that the job asked for; Slurm's reservation"),
    priority: optional(
      positive,
      'priority that a foreign scheduler gave the job, the latest that the writer knew; larger starts earlier',
    ),
    gpus: optional(positive, 'graphics processors that the job requests on all nodes together'),
    array: optional(text, "id of the job's array, in the words of the foreign scheduler"),
    array_task: optional(natural, 'number of the job in `array`'),
    het_job: optional(text, 'id of the heterogeneous job, in the words of the foreign scheduler'),
    het_offset: optional(
      natural,
      'number of the component in `het_job`; absent if the job consists of all components of `het_job`',
    ),
    bandwidth: optional(natural, 'MB/s that the job wants on each of its links'),
    communication: optional(communication, 'communication of the ranks of the job'),
    smaller_than_node: optional(oneOf(true), 'the job uses only a part of its nodes, and gets whole nodes'),
    recorded_wait: optional(time, 'wait of the job in the history from which the workload comes'),
    turn: optional(
      naturalFrom(1),
      'place of the job in the order of the recorded starts, for an order that claims `recorded`',
    ),
    eligible: optional(time, 'time at which all jobs of earlier turns are submitted; absent if this is at most `t`'),
    happened,
  },
  cancel: { job, happened },
  finish: { job, cause, status: optional(oneOf('failed'), 'the job failed; absent for any other end'), happened },
  down: outage,
  up: outage,
  reserve: {
    job,
    start: required(time, 'planned start of the job'),
    nodes: required(idset, 'ids of the reserved nodes'),
    links: heldLinks,
    bandwidth,
    cause,
    happened,
  },
  unreserve: { job, for: required(reference, 'seq of the reserve record that is taken back'), cause, happened },
  allocate: {
    job,
    nodes: required(idset, 'ids of the allocated nodes'),
    links: heldLinks,
    ranks: optional(naturals, 'node of each rank; absent if the ranks follow the order of the node ids'),
    bandwidth,
    estimate: optional(time, 'estimate for this allocation; absent if equal to the estimate of the submit record'),
    gpus: optional(positive, 'graphics processors of the allocation'),
    started_by: optional(
      oneOf('main', 'backfill', 'submit'),
      'part of the foreign scheduler that started the job: the main scheduler, its backfilling, or the submission',
    ),
    backfill: optional(reference, 'seq of the reserve record that the job was started ahead of'),
    note: optional(json, 'note of the policy on the placement'),
    moved: mustBeKnown(
      'migrate',
      optional(reference, 'seq of the release with `for` that this record follows; absent unless the job moves'),
    ),
    cause,
    happened,
  },
  release: {
    job,
    for: mustBeKnown(
      'migrate',
      optional(text, 'id of the job that starts by the move; absent unless the released job moves and runs on'),
    ),
    cause,
    happened,
  },
  route: {
    cause,
    job: optional(text, 'id of the job whose end takes back the record; absent for entries that stay'),
    entries: optional(tableEntries, 'entries that enter the forwarding tables; absent if `undo` is present'),
    undo: optional(reference, 'seq of the first route record of the job; all route records of the job are taken back'),
    unroutable: optional(text, 'nodes of the job without a route between them, for people; absent if there are none'),
    happened,
  },
  kill: {
    job,
    code: required(
      oneOf('estimate', 'reservation', 'node-down', 'unroutable', 'cancel', 'preempted', 'requeued'),
      'reason of the kill',
    ),
    cause,
    happened,
  },
  requeue: { job, cause, happened },
  reject: {
    job,
    code: required(text, 'code of the refusal'),
    constraint: required(text, 'constraint that the job can never meet'),
    cause,
    happened,
  },
  refuse: {
    job,
    code: required(text, 'code of the refusal'),
    constraint: required(text, 'constraint that the request did not meet'),
    nearest: optional(json, 'nearest miss of the request, as the policy describes it'),
    cause,
    happened,
  },
  progress: typeMustBeKnown('progress', {
    job,
    rate: required(natural, 'new rate of the job, in 1/1000 of the rate at which the job runs alone'),
    cause,
    happened,
  }),
  withdraw: {
    job,
    of: required(reference, 'seq of the allocate or kill record that was never carried out'),
    cause,
    happened,
  },
  fault: {
    job,
    purpose: required(text, 'purpose of the request to the policy, such as `start`'),
    request: required(json, 'last request to the policy before the failure'),
    message: required(text, 'description of the failure, for people'),
    cause,
    code: optional(text, 'kind of the failure: `throws`, `answer`, `placement`, `rewritten` or `time`'),
    limit: optional(time, 'time limit of an answer, if the policy exceeded the limit'),
  },
  gap: { since: required(time, 'start of the time without an observer, which ends at `t`') },
  seal: {
    state: required(digest, 'digest of the state of the machine'),
    hash: required(digest, 'digest of the bytes since the previous seal, chained to the hash of the previous seal'),
  },
  end: {
    submitted: required(natural, 'number of submit records'),
    started: required(natural, 'number of allocate records without `moved`'),
    finished: required(natural, 'number of finish records'),
    rejected: required(natural, 'number of reject records'),
    killed: required(natural, 'number of kill records'),
    cancelled: required(natural, 'number of jobs that left the queue by a cancel record'),
  },
} satisfies { readonly [type: string]: Fields }

export type RecordTable = typeof recordTable
/** Name of a type of record in the table. */
export type RecordType = keyof RecordTable

/** Returns all fields of a type of record in the order of writing, with `seq`, `t` and `type`; a header has no `t`. */
export function fieldsOf(type: RecordType): Fields {
  const line = 'number of the line of the record, from 0'
  const seq = type === 'header' ? required(oneOf(0), line) : required(natural, line)
  const t = type === 'header' ? {} : { t: required(time, 'seconds since the start of the trace') }
  const named = { seq, ...t, type: required(oneOf(type), 'type of the record') }
  return { ...named, ...recordTable[type] }
}
