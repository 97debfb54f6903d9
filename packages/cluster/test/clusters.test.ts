import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readLogFile } from '@cloister/eventlog/node'
import { bindPolicy } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { fileSystem, givenPolicies } from '@cloister/run/node'
import { parseTopology } from '@cloister/topology'
import { Console, Effect, Layer } from 'effect'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  commandsSource,
  driveSlurm,
  importSlurm,
  liveQueue,
  localOpensm,
  observeSlurm,
  Reporter,
  SlurmCommandError,
  SlurmCommands,
} from '../src/index.ts'

const topology = parseTopology('radix:4')
const program = 'test@1.0.0'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cloister-cluster-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * Fakes of Slurm's commands. `jobs` are the values that `squeue` prints; `changes` gets the arguments of changes, unless
 * `refuses` returns true.
 */
function slurmWith(
  jobs: ReadonlyArray<string>,
  changes: Array<string> = [],
  refuses: (change: string) => boolean = () => false,
): Layer.Layer<SlurmCommands> {
  return Layer.succeed(SlurmCommands, {
    ask: (command, args) => {
      const asked = [command, ...args].join(' ')
      if (command === 'squeue') {
        const [, separator] = /--Format=\w+:(\|[0-9a-f]+\|)/.exec(asked)!
        return Effect.succeed(jobs.map((job) => `${job.replaceAll('|', separator)}${separator}\n`).join(''))
      }
      if (command === 'sinfo') return Effect.succeed('idle|node[0-14]\ndown*|node15\n')
      return Effect.succeed(asked.includes('partition') ? 'PartitionName=batch OverSubscribe=NO\n' : 'MinJobAge = 0\n')
    },
    change: (args) =>
      Effect.suspend(() => {
        const change = args.join(' ')
        if (refuses(change)) return new SlurmCommandError({ command: 'scontrol', reason: 'not now', mayPass: true })
        changes.push(change)
        return Effect.void
      }),
  })
}

const typesIn = (log: string): ReadonlyArray<string> => [...readLogFile(log)].map(({ type }) => type)

describe('observeSlurm', () => {
  it('observeSlurm writes events from the commands of Slurm, and gives remarks to the Reporter', async () => {
    const log = join(newFolder(), 'live.ndjson')
    const said: Array<string> = []
    const observing = Effect.gen(function* () {
      const source = yield* commandsSource(topology, ['batch'])
      return yield* observeSlurm({ topology, source, log, program, interval: 0.1, polls: 2, shadows: ['baseline'] })
    })
    const jobs = [
      '7|RUNNING|1699999990|1699999990|1699999995|N/A|10:00|2|node[0-1]|ann|physics|batch|0|node=2|9|normal|(null)',
    ]
    const services = Layer.mergeAll(slurmWith(jobs), fileSystem, givenPolicies([baseline]))
    const report = await Effect.runPromise(
      observing.pipe(
        Effect.provide(services),
        Effect.provideService(Reporter, {
          remark: (text) => Effect.sync(() => void said.push(text)),
          describe: (error) => error._tag,
        }),
      ),
    )
    expect(report).toMatchObject({ polls: 2, records: 3, gaps: 0, shadowAnswers: 1 })
    expect(typesIn(log)).toEqual(['header', 'submit', 'allocate', 'down'])
    expect(said).toEqual([expect.stringMatching(/^the controller forgets jobs 0 s after the end \(MinJobAge\)/)])
  })
})

describe('driveSlurm', () => {
  const jobs = [
    '7|PENDING|1700000000|N/A|N/A|N/A|10:00|3||ann|physics|batch|0|node=3|0|normal|(null)|JobHeldUser|(null)||(null)|(null)|N/A|cloister',
  ]
  const options = (folder: string) => ({
    partition: 'batch',
    topology,
    policy: bindPolicy(baseline, topology),
    policyName: 'baseline',
    queue: liveQueue('easy:50'),
    policyTimeout: 10,
    log: join(folder, 'driven.ndjson'),
    program,
    lease: join(folder, 'lease'),
    leaseSeconds: 60,
    interval: 0.1,
    startWithin: 60,
    commandSeconds: 1,
    polls: 1,
  })
  const start = ['update JobId=7 NumNodes=3 ReqNodeList=node[0-2]', 'release 7']

  it('driveSlurm starts held jobs on nodes of the policy, and gives the lease back', async () => {
    const folder = newFolder()
    const changes: Array<string> = []
    const driving = driveSlurm(options(folder)).pipe(Effect.provide(Layer.merge(slurmWith(jobs, changes), localOpensm)))
    expect(await Effect.runPromise(driving)).toMatchObject({ polls: 1, decisions: 1, changes: 2, failed: 0 })
    expect(changes).toEqual(start)
    expect(typesIn(join(folder, 'driven.ndjson'))).toEqual(['header', 'down', 'submit', 'allocate'])
    const [newest] = readdirSync(join(folder, 'lease'))
    expect(JSON.parse(readFileSync(join(folder, 'lease', newest), 'utf8'))).toMatchObject({ ended: true })
  })

  it('driveSlurm kept the nodes of a job whose changes Slurm refuses, and the job behind it waited', async () => {
    const folder = newFolder()
    const changes: Array<string> = []
    const said: Array<string> = []
    const [first] = jobs
    const behind = first.replace('7|', '8|').replaceAll('3|', '15|').replace('node=3', 'node=15')
    let isRefusing = true
    const slurm = slurmWith([first, behind], changes, (change) => {
      // Slurm takes changes of the first job again after the start of the second job.
      isRefusing &&= !changes.includes('release 8')
      return isRefusing && change.includes('7')
    })
    const isHandedBack = Effect.gen(function* () {
      while (!changes.includes('release 7')) yield* Effect.sleep('10 millis')
    })
    const driving = driveSlurm({ ...options(folder), interval: 0.02, startWithin: 0.1, polls: undefined }).pipe(
      Effect.raceFirst(isHandedBack),
      Effect.provide(Layer.merge(slurm, localOpensm)),
      Effect.provideService(Reporter, {
        remark: (text) => Effect.sync(() => void said.push(text)),
        describe: (error) => error._tag,
      }),
    )
    await Effect.runPromise(driving)
    expect(changes.filter((change) => change.includes('7'))).toEqual([
      'update JobId=7 ReqNodeList= AdminComment=cloister-handed-back',
      'release 7',
    ])
    expect(said).toContain(
      'job 7 is held for the controller and cannot be placed: Slurm refuses the changes of the job (not now); the job is handed back to Slurm',
    )
  })

  it('driveSlurm with dryRun prints the commands, changes no job and writes no file', async () => {
    const folder = newFolder()
    const changes: Array<string> = []
    const printed: Array<string> = []
    const console: Console.Console = Object.assign(Object.create(globalThis.console), {
      log: (text: string) => void printed.push(text),
    })
    const driving = driveSlurm({ ...options(folder), dryRun: true }).pipe(
      Effect.provide(Layer.merge(slurmWith(jobs, changes), localOpensm)),
      Effect.provideService(Console.Console, console),
    )
    expect(await Effect.runPromise(driving)).toMatchObject({ changes: 2, failed: 0 })
    expect(printed).toEqual(start.map((command) => `scontrol ${command}`))
    expect([changes, existsSync(join(folder, 'driven.ndjson')), existsSync(join(folder, 'lease'))]).toEqual([
      [],
      false,
      false,
    ])
  })

  it('liveQueue refuses a queue that kills jobs', () => {
    expect(() => liveQueue('easy:50,kill')).toThrow('on a real machine no job is killed')
  })
})

describe('importSlurm', () => {
  const heading = 'JobID|NNodes|State|Submit|Start|End|Elapsed|NodeList\n'
  const importing = (folder: string, rows: string) => {
    writeFileSync(join(folder, 'sacct.psv'), `${heading}${rows}`)
    return importSlurm({
      topology,
      jobs: join(folder, 'sacct.psv'),
      sharing: 'refuse',
      skipBadLines: false,
      arrivesWhen: 'eligible',
      utcOffset: () => 0,
      log: join(folder, 'real.ndjson'),
      force: false,
      program,
    })
  }

  it('importSlurm writes a log, and does not overwrite a log without force', () => {
    const folder = newFolder()
    const rows = '1|2|COMPLETED|1700000000|1700000010|1700000100|00:01:30|node[0-1]\n'
    expect(importing(folder, rows)).toMatchObject({ jobs: 1, started: 1, finished: 1, badLines: 0, steps: 0 })
    expect(typesIn(join(folder, 'real.ndjson'))).toContain('allocate')
    expect(() => importing(folder, rows)).toThrow('the file exists')
  })

  it('importSlurm leaves no file if no run can be imported', () => {
    const folder = newFolder()
    expect(() => importing(folder, '1|2|COMPLETED|1700000000|1700000010|1700000100|00:01:30|other\n')).toThrow('other')
    expect(existsSync(join(folder, 'real.ndjson'))).toBe(false)
  })
})
