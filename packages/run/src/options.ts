import { type MigrationRules, migrationOf } from '@cloister/eventlog'
import { formatDiscipline, parseDiscipline, type QueueDiscipline } from '@cloister/kernel'
import { costMeasures } from '@cloister/communication'
import { filesOfSpec, parseTopology, topologySpecs } from '@cloister/topology'
import { jobColumnNames, jobTables, parseJobColumns, traceManifest } from '@cloister/trace-io'
import {
  canonicalFilter,
  formatArrivals,
  formatResample,
  formatScenario,
  formatSynthetic,
  parseArrivals,
  parseResample,
  parseScenario,
  parseSynthetic,
  resampleSpecs,
  scenarioSpecs,
} from '@cloister/workload'
import * as Schema from 'effect/Schema'
import { communicationForms, formatCommunication, matrixPaths, parseCommunication } from './communication.ts'
import { OptionError } from './errors.ts'
import { choice, integer, json, onOff, text } from './option.ts'

const presets = traceManifest()
  .logs.map(({ preset }) => preset)
  .join(', ')

/** Built-in routers by name, with descriptions for people. */
export const routerDescriptions: Readonly<Record<string, string>> = {
  partition: 'The messages of a job stay on the links of the job',
  'd-mod-k': 'One table for the whole tree: the destination alone chooses the way up',
  random: 'A random way up for each switch and destination',
  'min-hop': 'Tables of the engine minhop of OpenSM: destinations spread over the ports of shortest routes',
  updn: 'Tables of the engine updn of OpenSM; on these machines equal to min-hop',
  ftree: 'Tables of the engine ftree of OpenSM: for shifts of all nodes on a fat tree',
  'scheduling-aware': 'D-mod-k, and lightly loaded routes between the nodes of each running job',
}

/** Values of the option `router`, besides packages and files. */
export const routerNames: ReadonlyArray<string> = ['none', ...Object.keys(routerDescriptions)]

/** Built-in queue orders by name, with descriptions for people. */
export const orderDescriptions: Readonly<Record<string, string>> = {
  submit: 'First come, first served',
  shortest: 'Shortest estimate first',
  smallest: 'Fewest nodes first',
  largest: 'Most nodes first',
  wfp: 'Greatest (wait / estimate)³ · nodes first: large jobs and long waits',
  unicef: 'Greatest wait / (log₂(nodes) · estimate) first: small, short jobs',
  f1: 'Least log₁₀(estimate) · nodes + 870 · log₁₀(submission) first',
  f2: 'Least √estimate · nodes + 25,600 · log₁₀(submission) first',
  f3: 'Least estimate · nodes + 6,860,000 · log₁₀(submission) first',
  f4: 'Least estimate · √nodes + 530,000 · log₁₀(submission) first',
  'fair-share': 'Users with little recent usage first, and old jobs',
  recorded: 'The order in which the jobs of the trace really started',
}

const orderNames = Object.keys(orderDescriptions)

/** Accepted forms of the option `queue`, for help and errors. */
export const queueForms =
  'fcfs, easy:WINDOW, conservative:WINDOW, unreserved:WINDOW or counting:WINDOW, such as easy:50; then ,kill for easy to kill backfilled jobs that delay a reservation, and ,early or ,in-order for counting to start fewer jobs before the head'

/**
 * Table of all options of a run. Flags, help, the fields of experiments, errors, printed commands, random runs and the
 * log's header follow from the table. `prepare` finds everything beyond the value: a file, the jobs, the policy.
 */
export const runOptions = {
  /** Job log: a preset, `synth:[laas:]MEAN[:COUNT[:SEED]]` with MEAN in nodes, or the path of a file. */
  trace: text({
    presence: 'required',
    metavar: 'TRACE',
    group: 'jobs',
    help: `Job log: a preset, a synthetic trace or a file\nPresets: ${presets}.\nSynthetic: synth:[laas:]MEAN[:COUNT[:SEED]], MEAN in nodes.\nFiles: SWF, output of sacct -P, a table in CSV or Parquet with --columns, jobspecs of Flux or Workloads of Kueue in JSON, or an event log; plain, .gz or .zst.`,
    canonical: (trace) => (trace.startsWith('synth:') ? formatSynthetic(parseSynthetic(trace)) : trace),
    samples: ['synth:4:60:7', 'jobs.swf.gz'],
  }),
  /** Terms that the kept jobs meet, such as `nodes<=1024,runtime>0`. Default: empty, all jobs. */
  filter: text({
    presence: 'defaulted',
    byDefault: '',
    metavar: 'TERMS',
    group: 'jobs',
    help: "Keep only the jobs for which every term holds\nExample: 'status!=5,runtime>0,nodes<=1024,user=3|7,from=2004-02-01,until=2004-03-01,first-days=7,first-jobs=1000'",
    schema: Schema.String,
    canonical: canonicalFilter,
    samples: ['nodes<=8', 'runtime>0,first-jobs=20'],
  }),
  /** Processors of a node, to convert sizes in SWF into nodes; at least 1. Default: from the filter, else the trace. */
  procsPerNode: integer({
    least: 1,
    group: 'jobs',
    help: 'Processors of a node, to convert sizes in SWF into nodes',
    samples: [1, 2],
  }),
  /** Processors in SWF that give the size of a job. Default: the processors that the filter names, else requested. */
  sizes: choice(['requested', 'allocated'], {
    presence: 'optional',
    group: 'jobs',
    help: 'Field of SWF that is the size of a job\nDefault: requested, or the field that the filter names.',
  }),
  /** Skips lines of the trace that hold no valid job. Default: false, so the first bad line is an error. */
  skipBadLines: onOff({ group: 'jobs', help: 'Skip lines of the trace that hold no job, and count them' }),
  /** Arrival times: `zero`, `trace` or `scale:FACTOR`. Default: the preset's; `zero` for synth, `trace` for files. */
  arrivals: text({
    metavar: 'zero|trace|scale:F',
    group: 'jobs',
    help: 'Arrival times: all at 0, from the trace, or multiplied by F\nDefault: the setting of the preset; zero for synth, trace for files.',
    canonical: (arrivals) => formatArrivals(parseArrivals(arrivals)),
    samples: ['zero', 'trace', 'scale:0.5'],
  }),
  /** Time in Slurm's accounting at which a job arrives. Default: eligible. */
  arrivesWhen: choice(['eligible', 'submit'], {
    group: 'jobs',
    help: "Time in Slurm's accounting at which a job arrives\neligible: its dependencies and begin time are over. submit: its user submitted it.",
  }),
  /** Columns of a trace that is a table in CSV or Parquet: `submit=COLUMN,…`, or the name of a public set such as `helios`. */
  columns: text({
    metavar: 'COLUMNS',
    group: 'jobs',
    help: `Columns of a trace that is a table in CSV or Parquet\nExample: submit=submitted_at,run=duration_ms/1000,nodes=gpu_num/8,user=owner\nMeanings: ${jobColumnNames.join(', ')}.\nPublic sets: ${Object.keys(jobTables).join(', ')}.`,
    canonical: (columns) => {
      parseJobColumns(columns)
      return columns
    },
    samples: ['helios', 'submit=at,run=seconds,nodes=nodes'],
  }),
  /** Time zone of the times in Slurm's accounting, such as `Europe/Berlin`. Default: UTC. */
  timeZone: text({
    presence: 'defaulted',
    byDefault: 'UTC',
    metavar: 'ZONE',
    group: 'jobs',
    help: "Time zone of the times in Slurm's accounting\nExamples: Europe/Berlin, +02:00. Times written under SLURM_TIME_FORMAT=%s need none.",
    samples: ['Europe/Berlin', '+02:00'],
  }),
  /** Rule to make a new workload from the trace: `weeks:7` draws whole weeks with seed 7. Default: `none`, the trace itself. */
  resample: text({
    presence: 'defaulted',
    byDefault: 'none',
    metavar: 'SPEC',
    group: 'jobs',
    help: `Draw another workload of the same load from the trace\n${resampleSpecs}`,
    read: (resample) => (resample === 'none' ? undefined : parseResample(resample)),
    canonical: (resample) => (resample === 'none' ? resample : formatResample(parseResample(resample))),
    samples: ['weeks:7', 'users:7', 'drop-first:5'],
  }),
  /** The machine: a shape such as `radix:18`, a preset, or a file, such as `slurm:FILE`. */
  topology: text({
    presence: 'required',
    metavar: 'TOPOLOGY',
    group: 'machine',
    help: `The machine: a shape, a preset or a file\nForms: ${topologySpecs.map(({ spec }) => spec).join(' ')}.`,
    read: (topology, { readText, parseYaml }) => parseTopology(topology, readText, parseYaml),
    // The name of a topology has no file of node names, and no folder of a file such as slurm:FILE.
    canonical: (topology, { readText, parseYaml }) => {
      const { name } = parseTopology(topology, readText, parseYaml)
      if (topology.includes(' without ')) return topology
      const [file] = filesOfSpec(topology)
      if (file === undefined) return name
      return topology.endsWith(`@${file}`) ? `${name}@${file}` : topology
    },
    samples: ['radix:6', 'kary:2:4', 'pgft:2;4,4;1,4;1,1'],
  }),
  /** Placement policy: the name of a built-in policy, a package, a file or `exec:COMMAND`, with or without its config. */
  policy: text({
    presence: 'required',
    metavar: 'NAME',
    group: 'policy',
    help: 'Placement policy: a built-in one, a package, a file or exec:COMMAND\n`cloister policy list` lists the built-in and installed ones. COMMAND starts a program that speaks the protocol of policies.',
    samples: ['baseline', './mine.ts'],
  }),
  /** Configuration of the policy, a JSON object. Default: {}. */
  config: json({
    flag: 'policy-config',
    group: 'policy',
    help: 'Configuration of the policy, default: {}\n`cloister policy show NAME` lists the options of a policy.',
    samples: [{ order: 'sparsest-first' }],
  }),
  /** Queue discipline and window, such as `easy:50`. Default: easy:50. */
  queue: text({
    presence: 'defaulted',
    byDefault: 'easy:50',
    metavar: 'QUEUE',
    group: 'queue',
    help: `Queue discipline\n${queueForms}`,
    alwaysShown: true,
    read: parseQueue,
    canonical: (queue) => formatDiscipline(parseQueue(queue)),
    samples: [
      'fcfs',
      'easy:1',
      'easy:5',
      'easy:50,kill',
      'easy:5,kill',
      'conservative:3',
      'conservative:50',
      'unreserved:5',
      'unreserved:50',
      'counting:5',
      'counting:50,early',
      'counting:4,in-order',
    ],
  }),
  /** Queue order: the name of a built-in order, a package, a file or `exec:COMMAND`. Default: submit. */
  order: text({
    presence: 'defaulted',
    byDefault: 'submit',
    metavar: 'NAME',
    group: 'queue',
    help: `Order of the waiting jobs: a built-in name, package, file or program\nA program is exec:COMMAND. Built in: ${orderNames.join(', ')}. \`cloister order list\` describes them. The first job of the order is the head of the queue.`,
    // The order `recorded` needs a trace with recorded starts.
    samples: orderNames.slice(1, -1),
  }),
  /** Configuration of the queue order, a JSON object. Default: {}. */
  orderConfig: json({
    group: 'queue',
    help: 'Configuration of the queue order, default: {}\n`cloister order show NAME` shows the options of an order.',
    samples: [{ halfLifeHours: 24 }],
  }),
  /** Reservations of easy and conservative: movable to other nodes, or fixed. Default: movable; fixed under `,kill`. */
  reservation: choice(['movable', 'fixed'], {
    group: 'queue',
    help: 'Reservations of easy and conservative: movable or fixed\nmovable: a job may start on reserved nodes if the reservation finds other nodes at the same time. Always fixed with ,kill.',
  }),
  /** Order in which easy tries the jobs of its window. Default: queue, the queue order. */
  windowOrder: choice(['queue', 'largest', 'smallest', 'shortest'], {
    group: 'queue',
    help: 'Order in which easy tries the jobs of its window\nlargest and smallest compare nodes, shortest compares estimates.',
  }),
  /** Makes easy choose the reserved nodes and links again at every scheduling pass. Default: false. */
  replan: onOff({
    group: 'queue',
    help: 'Plan the reservation of the head again in every pass\nOnly under easy without ,kill.',
  }),
  /** Least size in nodes of a job that may move a movable reservation of easy. Default: 1. */
  moveMinNodes: integer({
    presence: 'defaulted',
    byDefault: 1,
    least: 1,
    metavar: 'NODES',
    group: 'queue',
    help: 'Least size of a job that may move a reservation, in nodes\nOnly under easy with movable reservations; default: 1.',
    samples: [2, 20],
  }),
  /**
   * Estimates of the scheduler: run times (exact) or walltimes (requested). Default: requested if arrivals are not zero
   * and most jobs have a walltime, else exact.
   */
  estimates: choice(['exact', 'requested'], {
    presence: 'optional',
    group: 'queue',
    help: "Estimate of a job's length: run time or user's walltime\nDefault: requested if arrivals are not zero and most jobs have a walltime, else exact.",
  }),
  /** Fate of a job whose run time exceeds its walltime. Default: kill. */
  overrun: choice(['kill', 'run-on', 'clamp', 'extend'], {
    group: 'queue',
    help: 'Fate of a job whose run time exceeds its walltime\nkill: it ends at its walltime. run-on: it runs to its end. clamp: its run time becomes its walltime before the simulation. extend: its walltime becomes its run time before the simulation.',
  }),
  /**
   * Path of a file of failures and repairs of nodes and links. Default: the outages of the trace, if the trace is a log
   * of the same machine and jobs arrive as in the log; else none.
   */
  outages: text({
    metavar: 'FILE',
    group: 'machine',
    help: 'File of failures and repairs of nodes and links\nA line each, such as {"t":3600,"type":"down","nodes":"17"}. nodes has ids or names, such as node[0-17]. Instead of nodes, switch has the name of a switch, such as leaf1, or link two switches, such as "leaf1 -> l2-0". links has ids of links by level, such as ["0-3"].',
    samples: ['outages.ndjson'],
  }),
  /** Queues jobs again that an outage or a reservation killed. Default: false. */
  requeue: onOff({ group: 'queue', help: 'Queue killed jobs again\nOutages and reservations under ,kill kill jobs.' }),
  /**
   * Moves running jobs to other nodes for a start, such as `cost=60,limit=2`. `cost`: seconds that a move adds to the
   * job's run time. `limit`: most jobs that move for one start. Default: `none`.
   */
  migrate: text({
    presence: 'defaulted',
    byDefault: 'none',
    metavar: 'cost=S,limit=N',
    group: 'queue',
    help: 'Move at most N running jobs for a start; each runs S seconds longer\nOnly for policies whose jobs own their links, under fcfs, unreserved, and easy without ,kill.',
    read: parseMigrate,
    canonical: (migrate) => (migrate === 'none' ? migrate : formatMigrate(parseMigrate(migrate)!)),
    samples: ['cost=0,limit=1', 'cost=60,limit=2'],
  }),
  /** Treatment of a job that loses its routes by a failure. Default: the job runs on. */
  unroutable: choice(['run-on', 'kill'], {
    group: 'queue',
    help: 'Treatment of a job that loses its routes by a failure\nFor runs with a router. run-on: until its end, without routes between some of its nodes. kill: the job ends, and waits again with --requeue.',
  }),
  /** Speed-up of jobs on isolated partitions, such as `10%`. Default: none. */
  scenario: text({
    presence: 'defaulted',
    byDefault: 'none',
    metavar: 'SCENARIO',
    group: 'run times',
    help: `Speed-up of jobs on isolated partitions\n${scenarioSpecs}`,
    read: parseScenario,
    canonical: (scenario) => formatScenario(parseScenario(scenario)),
    samples: ['10%', 'v1', 'v2', 'v2-by-class', 'random', 'all:20%'],
  }),
  /** Bandwidth of each job on its links: `classes` draws one of four bandwidths, in MB/s. Default: none. */
  bandwidth: choice(['none', 'classes'], {
    group: 'run times',
    help: "Draw each job's bandwidth on each of its links, in MB/s\nclasses: 500, 1000, 1500 or 2000.",
  }),
  /** Jobs that communicate, with pattern and share of time, such as `90%:recursive-doubling:50%`. Default: none. */
  communication: text({
    presence: 'defaulted',
    byDefault: 'none',
    metavar: 'CLASSES',
    group: 'run times',
    help: `Share of the jobs that communicate, pattern, share of time\n${communicationForms}`,
    read: parseCommunication,
    canonical: (communication) => formatCommunication(parseCommunication(communication)),
    samples: ['90%:recursive-doubling:50%', '50%:recursive-doubling*3+binomial-tree*7:20.5%'],
  }),
  /** Paths of files of communication matrices, separated by commas. Default: none. */
  matrices: text({
    metavar: 'FILES',
    group: 'run times',
    help: 'Files of communication matrices, separated by commas\nInstead of a file, halo:27-point:64 makes the matrix of a program of 64 ranks that exchange borders. A file has a line for each sending rank, with the bytes for each receiving rank. A communicating job with as many nodes as a matrix has ranks uses the matrix instead of its pattern.',
    read: matrixPaths,
    canonical: (matrices) => matrixPaths(matrices).join(','),
    samples: ['pair.txt', 'pair.txt,three.txt', 'halo:staged:4,pair.txt'],
    // The workload in the header names the matrices of the jobs.
  }),
  /** Model of the run time of communicating jobs. Default: fixed, as in the trace. */
  runTimes: choice(['fixed', 'communication', 'contention'], {
    group: 'run times',
    help: "Model of the run time of communicating jobs\nfixed: run time of the trace. communication: scaled by the communication cost of the allocation, relative to Slurm's tree placement. contention: longer by the bandwidth that other jobs take on shared links.",
  }),
  /** Measure of communication costs. Default: effective hops, all steps of a pattern weigh the same. */
  cost: choice(costMeasures, {
    group: 'run times',
    help: 'Measure of communication costs\neffective: hops with contention. sized: hops with contention, by the sizes of messages. plain: hops without contention. For run times that follow costs.',
  }),
  /** Earlier runs whose communication costs scale the run times before the run. Default: none. */
  costsFrom: choice(['none', 'two-runs', 'one-run'], {
    group: 'run times',
    help: "Scale run times before the run, by costs in earlier runs\ntwo-runs: by a job's cost in a run under the policy, relative to its cost in a run under slurm-tree. one-run: by its cost in a run under the policy, relative to the placement of slurm-tree at its start.",
  }),
  /** Router whose changes of forwarding tables are recorded: a built-in name, a package or a file. Default: none. */
  router: text({
    presence: 'defaulted',
    byDefault: 'none',
    metavar: 'NAME',
    samples: routerNames.slice(1),
    group: 'output',
    help: 'Record the forwarding tables: a built-in router, a package or a file\n`cloister router list` lists the built-in and installed ones. partition: the traffic of a job stays on its own links. d-mod-k: one table for the whole tree. random: random ways up. min-hop, updn, ftree: the tables of OpenSM. scheduling-aware: the tables follow the running jobs.',
  }),
  /** Longest time for an answer of the policy, in ms. Default: no limit. */
  maxPlaceMs: integer({
    least: 1,
    group: 'policy',
    help: 'Stop a policy that takes longer than N ms for an answer\nThe watch costs about 0.1 ms a request.',
    samples: [60_000],
  }),
  /** Seed of everything that the run draws. Default: 1. */
  seed: integer({
    presence: 'defaulted',
    byDefault: 1,
    group: 'jobs',
    help: 'Seed of everything that the run draws, default: 1',
    samples: [0, 7, -3],
  }),
  /** Records refusals and notes of the policy, too. Default: false. */
  refusals: onOff({
    group: 'output',
    help: 'Record refusals and notes of the policy, too\nThe simulation takes longer, and logs grow.',
  }),
}

/** Type of the table of options. */
export type RunOptions = typeof runOptions
/** Name of an option, and of a field in an experiment's cell. */
export type RunOptionName = keyof RunOptions

/** Names of all options, in the table's order. */
export const runOptionNames = Object.keys(runOptions) as ReadonlyArray<RunOptionName>

/** Returns the name of an option's flag, without dashes: `procs-per-node`. */
export function flagOf(name: RunOptionName): string {
  const { flag }: { readonly flag?: string } = runOptions[name]
  return flag ?? name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Reads a queue discipline, such as `fcfs` or `easy:50,kill`. @throws OptionError for any other form */
export function parseQueue(text: string): QueueDiscipline {
  const queue = parseDiscipline(text)
  if (queue !== undefined) return queue
  throw new OptionError({ option: 'queue', reason: `found ${JSON.stringify(text)}, expected ${queueForms}` })
}

/** Reads cost and limit of moves, such as `cost=60,limit=2`, in either order. @throws OptionError for any other form */
function parseMigrate(text: string): MigrationRules | undefined {
  if (text === 'none') return undefined
  const rules = migrationOf(text.replace(/^(limit=[^,]*),(cost=[^,]*)$/, '$2,$1'))
  if (rules !== undefined) return rules
  throw new OptionError({
    option: 'migrate',
    reason: `found ${JSON.stringify(text)}, expected none or cost=SECONDS,limit=N, such as cost=60,limit=2`,
  })
}

function formatMigrate({ cost, limit }: MigrationRules): string {
  return `cost=${cost / 1000},limit=${limit}`
}
