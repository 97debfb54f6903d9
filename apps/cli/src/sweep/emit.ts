import { describeSpec, OptionError } from '@cloister/run'
import { attempt, Files } from '@cloister/run/node'
import { SlurmCommands } from '@cloister/cluster'
import {
  type Cell,
  type EmittedSweep,
  type EngineName,
  engines,
  estimate,
  type ShardOptions,
  shardsFor,
  spread,
  type SweepFolder,
} from '@cloister/sweep'
import { Effect, Option } from 'effect'
import { join } from 'node:path'
import { OwnProgram } from '../node/own-program.ts'
import { remark } from '../terminal/output.ts'
import { bytes, count, duration } from '../terminal/quantities.ts'
import { thisProgram } from './experiment.ts'
import { runOwnShard } from './shards.ts'

export interface EmitOptions extends ShardOptions {
  readonly experiment: string
  readonly engine: EngineName
  readonly shards: Option.Option<number>
  /** Number of cells that `cloister sweep --emit` runs before it prints the script, to measure time and memory. */
  readonly sample: number
  /** Options of `cloister sweep` for every shard, as the user gave the options. */
  readonly passedOn: ReadonlyArray<string>
}

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
  yield* runOwnShard(spread(cells, options.sample), folder, { ...options, workers: 1, claim: true, retry: false })
  const measured = yield* attempt(() => estimate(cells, folder))
  if (measured === undefined)
    return yield* new OptionError({
      option: 'sample',
      reason: `none of the sampled cells, such as ${describeSpec(cells[0].cell)}, has a result`,
    })
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
    build: thisProgram().build,
    options: [...options.passedOn, '--claim', '--workers', String(workers)],
    folder: folder.path,
    threads: workers,
    megabytes,
    minutes,
  }
  return engines[engine](sweep)
})

const slurmArraySize = Effect.gen(function* () {
  const { ask } = yield* SlurmCommands
  const said = yield* ask('scontrol', ['show', 'config']).pipe(Effect.orElseSucceed(() => ''))
  return Number(/^MaxArraySize\s*=\s*(\d+)/m.exec(said)?.[1] ?? MAX_ARRAY_SIZE) - 1
})

const copyProgram = Effect.fnUntraced(function* (folder: SweepFolder) {
  const { copyTo } = yield* OwnProgram
  const { writeText } = yield* Files
  const programs = join(folder.path, 'program')
  const { build } = thisProgram()
  const path = yield* copyTo(join(programs, build))
  const text = `FROM node:24-slim
COPY ${build} /opt/cloister
ENTRYPOINT ["node", "/opt/cloister/cloister.js"]
`
  yield* attempt(() => writeText(join(programs, 'Containerfile'), text, 'overwrite'))
  return path
})
