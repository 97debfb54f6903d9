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
import { parseTopology, topologySpecs } from '@cloister/topology'
import { traceManifest } from '@cloister/trace-io'
import * as Schema from 'effect/Schema'
import { communicationForms, formatCommunication, parseCommunication } from './communication.ts'
import { matrixPaths } from './matrices.ts'
import { choice, defaulted, integer, json, onOff, optional, required, text, undecided } from './option.ts'
import { formatQueue, parseQueue, queueForms } from './queue.ts'
import { overrunInRun } from './overruns.ts'
import { byCommunication } from './run-times-in-header.ts'

const presets = traceManifest()
  .logs.map(({ preset }) => preset)
  .join(', ')

/**
 * Every option of a run, once. Flags and their help, the fields of an experiment and their errors, the commands that
 * are printed, random runs and what a log says of its run all follow from this table: a new option is an entry here, and
 * what it does. What it needs beyond its value (a file, the jobs, the policy) is found in `prepare`.
 */
export const runOptions = {
  trace: required(
    text({
      metavar: 'TRACE',
      help: `A job log in SWF, as sacct -P prints it or an event log (.gz, .zst too), a preset (${presets}), or synth:MEAN[:COUNT[:SEED]]`,
      read: (trace) => trace,
      canonical: (trace) => (trace.startsWith('synth:') ? formatSynthetic(parseSynthetic(trace)) : trace),
      samples: ['synth:4:60:7', 'jobs.swf.gz'],
    }),
  ),
  filter: defaulted(
    '',
    text({
      metavar: 'TERMS',
      help: "Which jobs to keep: 'status!=5,runtime>0,nodes<=1024,user=3|7,from=2004-02-01,until=2004-03-01,first-days=7,first-jobs=1000'",
      schema: Schema.String,
      read: (filter) => filter,
      canonical: canonicalFilter,
      samples: ['nodes<=8', 'runtime>0,first-jobs=20'],
    }),
  ),
  procsPerNode: optional(
    integer({
      least: 1,
      help: 'Processors of a node: SWF counts processors, jobs are placed on nodes',
      samples: [1, 2],
    }),
  ),
  sizes: undecided(
    choice(['requested', 'allocated'], {
      help: 'Which processors of SWF are the size of a job: those it requested or was allocated; default: requested, or as the filter says',
    }),
  ),
  skipBadLines: onOff({ help: 'Pass over lines of the trace that are no jobs, and say how many' }),
  arrivals: optional(
    text({
      metavar: 'zero|trace|scale:F',
      help: 'All jobs at time 0, as in the log, or its times multiplied; default: as the preset says, trace for files',
      read: (arrivals) => arrivals,
      canonical: (arrivals) => formatArrivals(parseArrivals(arrivals)),
      samples: ['zero', 'trace', 'scale:0.5'],
      header: (_, { arrivals }) => ({ arrivals }),
    }),
  ),
  arrivesWhen: choice(['eligible', 'submit'], {
    help: "When a job of Slurm's accounting arrives: when it could have started, its dependencies and begin time over, or when it was submitted",
  }),
  timeZone: defaulted(
    'UTC',
    text({
      metavar: 'ZONE',
      help: "Time zone of the times of day in Slurm's accounting, such as Europe/Berlin or +02:00; SLURM_TIME_FORMAT=%s needs none",
      read: (zone) => zone,
      samples: ['Europe/Berlin', '+02:00'],
    }),
  ),
  resample: optional(
    text({
      metavar: 'SPEC',
      help: `Another workload of the same load, for replicates on a real log: ${resampleSpecs}`,
      read: parseResample,
      canonical: (resample) => formatResample(parseResample(resample)),
      samples: ['weeks:7', 'users:7', 'drop-first:5'],
    }),
  ),
  topology: required(
    text({
      metavar: 'TOPOLOGY',
      help: `The machine: ${topologySpecs.map(({ spec }) => spec).join(' ')}`,
      read: (topology, { readText, parseYaml }) => parseTopology(topology, readText, parseYaml),
      // A file keeps the path that it is read by.
      canonical: (topology, { readText, parseYaml }) => {
        const { name } = parseTopology(topology, readText, parseYaml)
        return /^(slurm|ib):/.test(topology) ? topology : name
      },
      samples: ['radix:6', 'kary:2:4', 'pgft:2;4,4;1,4;1,1'],
    }),
  ),
  policy: required(
    text({
      metavar: 'NAME',
      help: 'The placement policy: a built-in one, a package, or a file (see cloister policy list)',
      read: (policy) => policy,
      samples: ['baseline', './mine.ts'],
    }),
  ),
  config: json({ flag: 'policy-config', help: "The policy's configuration", samples: [{ order: 'sparsest-first' }] }),
  queue: defaulted(
    'easy:50',
    text({
      metavar: 'QUEUE',
      help: `Queue discipline: ${queueForms}`,
      alwaysShown: true,
      read: parseQueue,
      canonical: (queue) => formatQueue(parseQueue(queue)),
      samples: [
        'fcfs',
        'fcfs,sjf',
        'easy:1',
        'easy:5',
        'easy:5,sjf',
        'easy:50,smallest',
        'easy:50,kill',
        'easy:5,smallest,kill',
        'conservative:3',
        'conservative:50',
        'conservative:4,smallest',
      ],
      simulation: (_, { queue }) => ({ queue }),
      header: (_, { queue }) => ({ queue }),
    }),
  ),
  reservation: choice(['movable', 'fixed'], {
    help: 'Under easy and conservative: whether a job may have what is reserved for another, where that can be placed elsewhere at the same time; with ,kill it may not',
    // The queue as it is applied has it.
  }),
  windowOrder: choice(['queue', 'largest', 'smallest', 'shortest'], {
    help: 'Under easy: which jobs of the window are tried first; by nodes, or by estimate',
    // The queue as it is applied has it.
  }),
  replan: onOff({
    help: 'Under easy: ask the policy again at every pass where to place the head at the time of its reservation; not with ,kill',
  }),
  movers: defaulted(
    1,
    integer({
      least: 1,
      metavar: 'NODES',
      help: 'Under easy with a movable reservation: a job of fewer nodes than that has to fit beside what is reserved where it is',
      samples: [2, 20],
      // The queue as it is applied has it.
    }),
  ),
  estimates: undecided(
    choice(['exact', 'requested'], {
      formerNames: ['walltime'],
      help: "What the scheduler takes for a job's length: its run time, or what its user asked for; default: what users asked for where jobs arrive as in the log and most have it, else run times",
      simulation: (_, { estimates }) => ({ estimates }),
      header: (_, { estimates }) => ({ estimates }),
    }),
  ),
  overrun: choice(['kill', 'run-on', 'clamp', 'extend'], {
    help: "What becomes of a job that outlives its user's estimate: it is killed, runs on, is cut to it beforehand, or has it raised beforehand",
    simulation: (overrun) => ({ overrun: overrunInRun(overrun) }),
    header: (overrun, { overruns }) => ({
      overrun: overrunInRun(overrun),
      ...(overruns === undefined ? {} : { overruns }),
    }),
  }),
  outages: optional(
    text({
      metavar: 'FILE',
      help: 'What breaks and is mended, and when: lines such as {"t":3600,"type":"down","nodes":"17"}',
      read: (path) => path,
      samples: ['outages.ndjson'],
    }),
  ),
  requeue: onOff({
    help: 'Let jobs wait again that were killed by an outage or for a reservation',
    simulation: (requeue) => ({ requeue }),
    header: (requeue) => (requeue ? { queue: { requeue: true } } : {}),
  }),
  scenario: defaulted(
    'none',
    text({
      metavar: 'SCENARIO',
      help: `How much sooner jobs end where no other disturbs them: ${scenarioSpecs}`,
      read: parseScenario,
      canonical: (scenario) => formatScenario(parseScenario(scenario)),
      samples: ['10%', 'v1', 'v2', 'v2-by-class', 'random', 'all:20%'],
      header: (_, { scenario }) => ({ scenario }),
    }),
  ),
  bandwidth: choice(['none', 'classes'], {
    help: 'Draw the bandwidth that each job wants of every link: 500, 1000, 1500 or 2000 MB/s',
    header: (bandwidth) => (bandwidth === 'none' ? {} : { bandwidth }),
  }),
  communication: defaulted(
    'none',
    text({
      metavar: 'CLASSES',
      help: `Which share of the jobs communicates, in which pattern, for which share of their time: ${communicationForms}`,
      read: parseCommunication,
      canonical: (communication) => formatCommunication(parseCommunication(communication)),
      samples: ['90%:recursive-doubling:50%', '50%:recursive-doubling*3+binomial-tree*7:20.5%'],
      header: (communication) =>
        communication === undefined ? {} : { communication: formatCommunication(communication) },
    }),
  ),
  matrices: optional(
    text({
      metavar: 'FILES',
      help: 'What ranks send each other: files of communication matrices with commas between them, in each a line for every sender with bytes for every receiver. A job that communicates has the one of as many ranks as it has nodes, if there is one, in place of its pattern',
      read: matrixPaths,
      canonical: (matrices) => matrixPaths(matrices).join(','),
      samples: ['pair.txt', 'pair.txt,three.txt'],
      // The workload of the header names those that jobs have.
    }),
  ),
  runTimes: choice(['fixed', 'communication', 'contention'], {
    help: 'Whether a job that communicates takes another time than in the log: communication, by what it costs where it is put, against where Slurm would put it; contention, longer by what other jobs take of its links',
    header: (runTimes, { contention }) =>
      contention !== undefined
        ? { requires: ['progress'], run_times: contention }
        : runTimes === 'fixed'
          ? {}
          : { run_times: byCommunication },
  }),
  router: choice(['none', 'partition'], {
    help: 'Also record what each job changes in the forwarding tables: partition keeps its traffic on its own links',
    header: (router) => ({ router: router === 'none' ? null : router }),
  }),
  maxPlaceMs: optional(
    integer({
      least: 1,
      help: 'Stop a policy that takes longer than so many milliseconds for an answer; watching costs about 0.1 ms a question',
      samples: [60_000],
    }),
  ),
  seed: defaulted(
    1,
    integer({ help: 'Seed of whatever the run draws', samples: [0, 7, -3], header: (seed) => ({ seed }) }),
  ),
  refusals: onOff({
    formerNames: ['decisions'],
    help: 'Also record why jobs did not start, and notes of the policy: slower, longer logs',
    simulation: (refusals) => ({ refusals }),
    header: (refusals) => ({ refusals }),
  }),
}

/** The table of options. */
export type RunOptions = typeof runOptions
/** The name of an option: a field of an experiment's cell. */
export type RunOptionName = keyof RunOptions

/** The names of all options, in the table's order. */
export const runOptionNames = Object.keys(runOptions) as ReadonlyArray<RunOptionName>

/** The flag of an option, without its dashes: `procs-per-node`. */
export function flagOf(name: RunOptionName): string {
  const { flag }: { readonly flag?: string } = runOptions[name]
  return flag ?? name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
