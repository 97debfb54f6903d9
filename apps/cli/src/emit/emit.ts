import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { describeSpec, OptionError } from '@cloister/run'
import { Effect, Option } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { Files } from '../files/files.ts'
import { SlurmCommands } from '@cloister/slurm'
import type { Cell } from '../shards/cells.ts'
import type { ShardOptions } from '../shards/shard-worker.ts'
import { readTimes } from '../shards/read-times.ts'
import { runShard } from '../shards/run-shard.ts'
import type { SweepFolder } from '../shards/sweep-folder.ts'
import { build } from '../sweep/run-cell.ts'
import { remark } from '../terminal/output.ts'
import { bytes, count, duration } from '../terminal/quantities.ts'
import type { EngineName } from './engine-names.ts'
import { type EmittedSweep, engines } from './engine.ts'
import { OwnProgram } from './own-program.ts'

export interface EmitOptions extends ShardOptions {
  readonly experiment: string
  readonly engine: EngineName
  readonly shards: Option.Option<number>
  /** Number of cells that `cloister sweep --emit` runs before it prints the script, to measure time and memory. */
  readonly sample: number
  /** Options of `cloister sweep` for every shard, as the user gave the options. */
  readonly passedOn: ReadonlyArray<string>
}

/** Intended run time of a shard in seconds, long compared with the time in which a batch system starts a task. */
const SECONDS_A_SHARD = 900
/** Default of Slurm's parameter MaxArraySize. The indices of a job array must stay below MaxArraySize. */
const MAX_ARRAY_SIZE = 1001

/**
 * Returns the script by which a workflow engine runs the shards of a sweep. First runs at most `options.sample` cells
 * to estimate time and memory of all cells, and keeps the results. Copies the program into the folder of the sweep for
 * the shards.
 */
export const emitSweep = Effect.fnUntraced(function* (
  cells: ReadonlyArray<Cell>,
  folder: SweepFolder,
  options: EmitOptions,
) {
  const { engine, experiment, workers } = options
  const most = Math.min(cells.length, engine === 'slurm' ? yield* slurmArraySize : Infinity)
  const given = Option.getOrUndefined(options.shards)
  if (given !== undefined && (given < 1 || given > most))
    return yield* new OptionError({
      option: 'shards',
      reason: `found ${given}, expected 1 to ${most}: the experiment has ${cells.length} cells${most < cells.length ? `, and this Slurm allows job arrays of ${most} tasks` : ''}`,
    })
  yield* runShard(spread(cells, options.sample), folder, { ...options, workers: 1, claim: true, retry: false })
  const measured = yield* attempt(() => measure(cells, folder))
  const shards = given ?? Math.min(most, shardsFor(engine, measured.seconds, workers))
  const program = yield* copyProgram(folder)
  const megabytes = workers * measured.megabytes
  const minutes = Math.ceil((2 * (measured.seconds / shards / workers + measured.longest)) / 60) + 5
  yield* remark(
    `${count(measured.known)} cells measured: mean ${duration(measured.seconds / cells.length)}, longest ${duration(measured.longest)}, ${bytes(measured.megabytes * 1e6)} of memory; all cells take about ${duration(measured.seconds)} of one processor`,
  )
  const sweep: EmittedSweep = {
    experiment,
    cells: cells.length,
    shards,
    workingDirectory: process.cwd(),
    program: ['node', program],
    build: build(),
    options: [...options.passedOn, '--claim', '--workers', String(workers)],
    folder: folder.path,
    threads: workers,
    megabytes,
    minutes,
  }
  return engines[engine](sweep)
})

/** Returns at most `sample` cells: first one cell of each pair of trace and topology, then cells spread evenly. */
export function spread(cells: ReadonlyArray<Cell>, sample: number): ReadonlyArray<Cell> {
  const kinds = new Map<string, Cell>()
  for (const each of cells) {
    const kind = JSON.stringify([each.cell.trace, each.cell.topology])
    if (!kinds.has(kind)) kinds.set(kind, each)
  }
  const step = Math.max(1, Math.floor(cells.length / sample))
  const others = cells.filter((_, at) => at % step === Math.floor(step / 2))
  return [...new Set([...kinds.values(), ...others])].slice(0, sample)
}

interface Measured {
  readonly known: number
  /** Estimated time of all cells of the sweep on one processor, in seconds. */
  readonly seconds: number
  /** Time of the slowest measured cell, in seconds. */
  readonly longest: number
  /** Peak memory of this process plus 50 %, in MiB, rounded up to a multiple of 64. */
  readonly megabytes: number
}

function measure(cells: ReadonlyArray<Cell>, folder: SweepFolder): Measured {
  const times = readTimes(folder)
  const known = cells.flatMap(({ digest }) => times.get(digest)?.seconds ?? [])
  if (known.length === 0)
    throw new OptionError({
      option: 'sample',
      reason: `none of the sampled cells, such as ${describeSpec(cells[0].cell)}, has a result`,
    })
  const mean = known.reduce((sum, each) => sum + each, 0) / known.length
  const peak = process.resourceUsage().maxRSS / 1024
  return {
    known: known.length,
    seconds: mean * cells.length,
    longest: Math.max(...known),
    megabytes: Math.ceil((peak * 1.5) / 64) * 64,
  }
}

function shardsFor(engine: EngineName, seconds: number, workers: number): number {
  const long = Math.ceil(seconds / workers / SECONDS_A_SHARD)
  return engine === 'make' || engine === 'parallel' ? Math.max(long, availableParallelism()) : long
}

const slurmArraySize = Effect.gen(function* () {
  const { ask } = yield* SlurmCommands
  const said = yield* ask('scontrol', ['show', 'config']).pipe(Effect.orElseSucceed(() => ''))
  return Number(/^MaxArraySize\s*=\s*(\d+)/m.exec(said)?.[1] ?? MAX_ARRAY_SIZE) - 1
})

const copyProgram = Effect.fnUntraced(function* (folder: SweepFolder) {
  const { copyTo } = yield* OwnProgram
  const { writeText } = yield* Files
  const programs = join(folder.path, 'program')
  const path = yield* copyTo(join(programs, build()))
  const text = `FROM node:24-slim
COPY ${build()} /opt/cloister
ENTRYPOINT ["node", "/opt/cloister/cloister.js"]
`
  yield* attempt(() => writeText(join(programs, 'Containerfile'), text, 'overwrite'))
  return path
})
